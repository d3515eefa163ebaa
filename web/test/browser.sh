#!/bin/bash
# browser.sh SINEW PAGE: the viewer's page in Chromium (browser.mjs). 77 = something it needs is not here, said on standard output.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: $1"
    exit 77
}
command -v node >/dev/null || skip "no node"
[ -d node_modules/playwright-core ] || skip "web/node_modules is not installed (npm ci)"
[ -f "$2/index.html" ] || skip "the page is not built"
chromium=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
exec timeout --kill-after=10 150 node test/browser.mjs "$1" "$2" "$chromium"
