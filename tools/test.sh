#!/bin/bash
# Every test of the release build: CTest, the scenes' expectations, the embedding example, the ledger.
# The last line is the count. Tests labelled `soak` belong to tools/soak.sh. Tests that skip themselves (no data, no library)
# are named and counted apart: those on real meshes look for their data in ../shared/data, ../../shared/data or $SINEW_DATA.
set -euo pipefail
source "$(dirname "$0")/steps.sh"
log=build/test_log
mkdir -p "$log"
passed=0
failed=0
skipped=0

# adds the counts a step printed; a step that failed without saying how often counts as one
count() {  # passed failed steps_failed_before
    passed=$((passed + $1))
    failed=$((failed + $2))
    if [ "$steps_failed" -gt "$3" ] && [ "$2" = 0 ]; then failed=$((failed + 1)); fi
}

run_ctest() {
    ctest --test-dir build/release -j 2 --output-on-failure --no-tests=error -LE '^soak$' |
        tee "$log/ctest.txt"
}
before=$steps_failed
step "CTest" run_ctest
# "97% tests passed, 3 tests failed out of 120"
pattern='s/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p'
read -r bad all < <(sed -n "$pattern" "$log/ctest.txt") || { bad=0 all=0; }
# "The following tests did not run:" and then lines like "  12 - folder.name (Skipped)"
mapfile -t left_out < <(sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (\(Skipped\|Disabled\|Not Run\))$/\1/p' "$log/ctest.txt")
skipped=${#left_out[@]}
count $((all - bad - skipped)) "$bad" "$before"

if [ -x build/release/sinew ] && [ -d scenes ]; then
    run_scenes() {
        build/release/sinew test scenes | tee "$log/scenes.txt"
        }
    before=$steps_failed
    step "expectations of all scenes" run_scenes
    # its last line: "31 passed, 0 failed"
    pattern='s/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p'
    read -r good bad < <(sed -n "$pattern" "$log/scenes.txt" | tail -1) || { good=0 bad=0; }
    count "$good" "$bad" "$before"
else
    skip "expectations of all scenes" "no build/release/sinew or no scenes/"
fi

single() {  # a step that counts as one test
    local before=$steps_passed
    step "$@"
    if [ "$steps_passed" -gt "$before" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
if [ -d example/embed ]; then
    single "embedding example against an install prefix" tools/test_embed.sh
else
    skip "embedding example" "no example/embed"
fi
single "coverage ledger" tools/check_coverage.py

finish_steps || true
if [ "$skipped" -gt 0 ]; then
    echo
    echo "skipped:"
    printf '    %s\n' "${left_out[@]}"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
