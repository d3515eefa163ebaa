#!/bin/bash
# build_web.sh OUT: builds the viewer's page from web/ into the folder OUT. Called by CMake (target `web`).
# Where it cannot be built (no network for the packages, an old Node) it says so and succeeds: the rest of Sinew does not need it.
set -uo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/../web" || exit 1
give_up() {
    echo "the viewer's page was not built: $1; by hand: cd web && npm ci && npm run build" >&2
    exit 0
}
npm=(npm --no-update-notifier --loglevel=error)
# what is installed already needs no network
if ! cmp -s package-lock.json node_modules/.sinew-lock.json; then
    timeout 300 "${npm[@]}" ci --no-audit --no-fund --fetch-retries=0 --fetch-timeout=20000 || give_up "npm ci failed"
    cp package-lock.json node_modules/.sinew-lock.json
fi
SINEW_WEB_OUT=$out "${npm[@]}" run build || give_up "npm run build failed"
