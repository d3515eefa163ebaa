#!/bin/bash
# The picture of the viewer in docs/viewer.md: tools/viewer_picture.sh [scene frame out [field]]
set -euo pipefail
cd "$(dirname "$0")/.."
scene=${1:-scenes/position/cloth_on_sphere.json} frame=${2:-60} out=${3:-docs/images/viewer.png} field=${4-}
if [ ! -x build/release/sinew ] || [ ! -f build/release/web/index.html ]; then
    echo "viewer_picture: build/release/sinew or build/release/web is missing; 'make' builds them where npm is there" >&2
    exit 1
fi
exec node web/test/picture.mjs build/release/sinew build/release/web "$(command -v chromium)" "$scene" "$frame" "$out" "$field"

