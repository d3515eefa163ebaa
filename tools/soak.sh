#!/bin/bash
# The long checks, before a release or before an issue is called resolved, in parts of about half an hour on two cores.
#   soak.sh                    every part that has not passed yet at this commit (`make soak`): stop it and go on when you like
#   soak.sh PART...            these parts, passed or not
#   SINEW_FUZZ_SECONDS=180     time for each fuzzer
# Parts, in this order:
#   oracles        tests too long for `make test` (suites named soak_..., labelled so by test/CMakeLists.txt): geometry and detection
#   scenes         the same: bodies that stand for a minute, crowds, whole scenes
#   determinism    the same: whole scenes by threads, dropped caches, cuts
#   extra          an energy from outside the tree
#   minimal        without optional libraries: tests of the folders that would use them
#   debug          golden hashes at -O0: with the release build they show that optimisation changes no bit; g++ without warnings
#   tsan           thread sanitizer on the folders whose tests run on more than one thread, and on the viewer with its server
#   tsan_solver    the same, solvers
#   asan           address and undefined behaviour sanitizers, all of their checks, on the folders that `make check` leaves out, linalg, geometry and the command
#   asan_solver    the same, solvers
#   fuzz           fuzzers with new inputs
#   clang          clang accepts every file on its own, without precompiled headers and without warnings
#   tidy           clang-tidy on all files
# A part that passed leaves build/soak/PART with the commit; a tree with changes counts as no commit.
set -euo pipefail
source "$(dirname "$0")/steps.sh"

all=(oracles scenes determinism extra minimal debug tsan tsan_solver asan asan_solver fuzz clang tidy)
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1

ctest_in() {  # preset, options of ctest
    local preset=$1
    shift
    ctest --test-dir "build/$preset" -j 2 --output-on-failure --no-tests=error "$@"
}
labels() { local IFS='|'; echo "^($*)\$"; }
# a function before && does not stop at errors: what must not fail is followed by && or return
test_folders() {  # preset, folders: builds and runs their tests
    local preset=$1
    shift
    tools/build.sh "$preset" "${@/#/test_}" && ctest_in "$preset" -L "$(labels "$@")"
}
test_command() {  # preset, options of ctest: the tests of app/, of which most are runs of the command; a browser has time limits
    local preset=$1
    shift
    tools/build.sh "$preset" sinew-app test_app && ctest_in "$preset" -L '^app$' -E browser "$@"
}

geometry='soak_(ccd|broad_phase|convex|decompose|scene_step)'
part_oracles() { tools/build.sh release test_geometry test_collision && ctest_in release -L '^soak$' -R "$geometry"; }
part_scenes() { tools/build.sh release && ctest_in release -L '^soak$' -E "$geometry|soak_determinism"; }
part_determinism() { tools/build.sh release test_determinism && ctest_in release -L '^soak$' -R soak_determinism; }
part_extra() { tools/test_extra_energy.sh; }
part_minimal() {
    local folders=(core linalg solver output render) linked
    tools/build.sh minimal "${folders[@]/#/test_}" || return
    linked=$(ldd build/minimal/test/core/test_core | grep -E 'cholmod|tbb|embree' || true)
    if [ -n "$linked" ]; then
        echo "linked although switched off: $linked"
        return 1
    fi
    ctest_in minimal -L "$(labels "${folders[@]}")"
}
part_debug() {
    # all of it takes hours at -O0: the written hash, any number of threads, and what moves by frames
    tools/build.sh debug sinew-app test_determinism && ctest_in debug -L '^determinism$' -R 'golden_hash|large_scenes|rigid'
}
part_tsan() { test_folders tsan core linalg collision && test_command tsan -R view; }  # one thread of the command is the server
part_tsan_solver() { test_folders tsan solver position; }
part_asan() { test_folders asan_all linalg geometry model constraint collision scene output && test_command asan_all; }
part_asan_solver() { test_folders asan_all energy solver position; }
part_fuzz() {
    local fuzzers
    mapfile -t fuzzers < <(sed -n 's/^ *sinew_fuzz(\(\w*\).*/\1_fuzz/p' test/fuzz/CMakeLists.txt)
    tools/build.sh asan_all "${fuzzers[@]}" && SINEW_FUZZ_BUILD=build/asan_all tools/fuzz.sh "${SINEW_FUZZ_SECONDS:-180}"
}
part_clang() {
    cmake --preset asan -DSINEW_BENCH=ON -DSINEW_FUZZ=OFF -DSINEW_PRECOMPILE=OFF -DSINEW_UNITY=OFF -B build/clang &&
        tools/clang_syntax.py build/clang src test app bench
}
part_tidy() { tools/tidy.sh all; }

commit=$(git rev-parse HEAD 2>/dev/null || echo none)
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then commit=changed; fi
is_done() { [ "$commit" != changed ] && [ "$(cat "build/soak/$1" 2>/dev/null)" = "$commit" ]; }
mkdir -p build/soak
parts=("$@")
if [ $# = 0 ]; then parts=("${all[@]}"); fi
for part in "${parts[@]}"; do
    if [[ " ${all[*]} " != *" $part "* ]]; then
        echo "soak: no part '$part'; there are ${all[*]}" >&2
        exit 2
    fi
    if [ $# = 0 ] && is_done "$part"; then
        skip "$part" "passed at this commit"
        continue
    fi
    step "$part" "part_$part"
    if step_ok; then echo "$commit" > "build/soak/$part"; fi
done

finish_steps
