#!/bin/bash
# fuzz.sh SECONDS [RUNS]: runs every libFuzzer target of build/asan for that long, two at a time.
# With RUNS: that many inputs from a fixed seed and the seed files alone, so that a failure comes again (at most
# SECONDS). Without: random seeds, and what earlier runs found.
# Seeds are the files of test/fuzz/<name>_corpus/; inputs found on the way stay in build/asan/fuzz/<name>/ and
# are used again; what crashes, hangs or leaks is left in build/asan/fuzz/ and named.
#   SINEW_FUZZ_BUILD=build/asan_all   another build
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
runs=${2:-}
export build=${SINEW_FUZZ_BUILD:-build/asan}

run_one() {
    local target=$1 seconds=$2 runs=$3
    local name
    name=$(basename "$target" _fuzz)
    local found=$build/fuzz/$name
    local seeds=(test/fuzz/"${name}"_corpus)
    if [ -n "$runs" ]; then rm -rf "$found"; fi
    mkdir -p "$found"
    if [ ! -d "${seeds[0]}" ]; then seeds=(); fi
    local options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2500 -max_len=65536)
    options+=(-print_final_stats=1 -artifact_prefix="$build/fuzz/$name-")
    if [ -n "$runs" ]; then options+=(-seed=1 -runs="$runs"); fi
    if "$target" "${options[@]}" "$found" "${seeds[@]}" >"$found.log" 2>&1; then
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log") inputs, nothing found"
    else
        echo "$name: FAILED"
        tail -n 60 "$found.log"
        return 1
    fi
}
export -f run_one

if ! compgen -G "$build/test/fuzz/*_fuzz" >/dev/null; then
    echo "no fuzzers are built"
    exit 1
fi
mkdir -p "$build/fuzz"
printf '%s\n' "$build"/test/fuzz/*_fuzz | xargs -P 2 -I{} bash -c 'run_one "$@"' run_one {} "$seconds" "$runs"
