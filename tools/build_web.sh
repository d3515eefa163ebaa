#!/bin/bash
# build_web.sh OUT: builds the viewer's page from web/ into the folder OUT. Called by CMake (target `web`).
# Where its packages are not to be had (no network, an old Node) it says so and succeeds: the rest of Sinew does not need it. A page that
# does not compile is an error.
set -uo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/../web" || exit 1
give_up() {
    echo "the viewer's page was not built: $1; by hand: cd web && npm ci && npm run build" >&2
    exit 0
}
if [ "$(node -p 'process.versions.node.split(".")[0] >= 18' 2>/dev/null)" != true ]; then give_up "Node 18 or newer is needed"; fi
npm=(npm --no-update-notifier --loglevel=error)
# what is installed already needs no network
if ! cmp -s package-lock.json node_modules/.sinew-lock.json; then
    timeout 300 "${npm[@]}" ci --no-audit --no-fund --fetch-retries=0 --fetch-timeout=20000 || give_up "npm ci failed"
    cp package-lock.json node_modules/.sinew-lock.json
fi
rm -rf "$out"
SINEW_WEB_OUT=$out "${npm[@]}" run build
