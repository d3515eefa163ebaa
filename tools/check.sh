#!/bin/bash
# What CI runs after `make test`: rules of the source tree, then one clang build with address and undefined
# behaviour sanitizers for the code that reads foreign data or computes addresses, its tests, a fixed
# run of each fuzzer, and clang-tidy on what changed. Under 20 minutes on two cores.
#   SINEW_FUZZ_RUNS=20000   inputs for each fuzzer, the same ones every time; `make soak` tries new ones
set -euo pipefail
source "$(dirname "$0")/steps.sh"

step "the checks refuse bad input" tools/test_checks.py
step "include layers and homes of headers" tools/check_layers.py
step "lengths of files, functions and lines" tools/check_lengths.py
step "paths in the docs" tools/check_docs.py
step "forbidden words" tools/check_words.py
step "coverage ledger" tools/check_coverage.py

# Under the sanitizers here: the tests of core, linalg and geometry (mesh readers among them) but for a few on large meshes and
# matrices, and the scene loader and compiler, recordings and other readers by their fuzzers. Those few and the tests of model,
# constraint, collision, scene, output and the command with the viewer's server follow in `tools/soak.sh asan`, those of energy and
# solvers in `tools/soak.sh asan_solver`: their time would not fit beside `make test`.
folders=()
for folder in core linalg geometry; do
    if [ -f test/$folder/CMakeLists.txt ]; then folders+=("$folder"); fi
done
fuzzers=()
if [ -f test/fuzz/CMakeLists.txt ]; then
    mapfile -t fuzzers < <(sed -n 's/^ *sinew_fuzz(\(\w*\).*/\1_fuzz/p' test/fuzz/CMakeLists.txt)
fi
large='decompose\.(the_cow|a_torus|a_convex)|stuffing\.(dragon|bunny|spot)|a_kept_solver_and_a_new_one|assembly_factor_and_solve'
test_sanitized() {
    local labels
    labels=$(IFS='|'; echo "${folders[*]}")
    ctest --test-dir build/asan -j 2 --output-on-failure --no-tests=error -L "^($labels)\$" -E "$large"
}
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1

step "build with address and undefined behaviour sanitizers" \
    tools/build.sh asan "${folders[@]/#/test_}" "${fuzzers[@]}"
if step_ok; then
    step "tests of ${folders[*]} under the sanitizers" test_sanitized
    step "fuzzers" tools/fuzz.sh 120 "${SINEW_FUZZ_RUNS:-20000}"
else
    skip "tests and fuzzers under the sanitizers" "not built"
fi
# remarks are printed here and refused by `make soak`
advise() { "$@" || echo "clang-tidy has remarks, see above"; }
step "clang-tidy on changed files" advise tools/tidy.sh 15

finish_steps
