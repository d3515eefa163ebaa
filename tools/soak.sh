#!/bin/bash
# The long checks, before a release or before an issue is called resolved: hours on two cores.
#   SINEW_FUZZ_SECONDS=600   time for each fuzzer
# Tests too long for `make test` are suites named soak_..., which test/CMakeLists.txt labels `soak`: the big
# oracles, jittered runs, in the release build; the sanitizers see the same code on the inputs of all other tests. Golden
# hashes must be met by the release build and by the debug build (-O0): running test/determinism in both shows that
# optimisation changes no bit. Without optional libraries the folders are tested that would use them.
set -euo pipefail
source "$(dirname "$0")/steps.sh"

run_soak() {  # preset
    if ctest --test-dir "build/$1" -N -L '^soak$' | grep -q 'Total Tests: 0'; then
        echo "no tests are labelled soak"
    else
        ctest --test-dir "build/$1" -j 2 --output-on-failure -L '^soak$'
    fi
}
run_determinism() {  # preset
    if [ ! -d test/determinism ]; then
        echo "no test/determinism"
    else
        ctest --test-dir "build/$1" -j 2 --output-on-failure --no-tests=error -L '^determinism$'
    fi
}
run_minimal() {
    local linked
    linked=$(ldd build/minimal/test/core/test_core | grep -E 'cholmod|tbb|embree' || true)
    if [ -n "$linked" ]; then
        echo "linked although switched off: $linked"
        return 1
    fi
    ctest --test-dir build/minimal -j 2 --output-on-failure --no-tests=error -L '^(core|linalg|solver|output|render)$'
}
run_threaded() { # the folders whose tests run on more than one thread
    ctest --test-dir build/tsan -j 2 --output-on-failure --no-tests=error -L '^(core|linalg|collision|solver|determinism)$'
}
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1

step "release build" tools/build.sh release
if step_ok; then step "long tests, release" run_soak release; fi
step "an energy from outside the tree" tools/test_extra_energy.sh
step "build without optional libraries and precompiled headers" tools/build.sh minimal test_core test_linalg test_solver test_output test_render
if step_ok; then step "tests without optional libraries" run_minimal; fi
step "debug build (-O0, g++ without warnings)" tools/build.sh debug sinew-app test_determinism
if step_ok; then step "golden hashes at -O0" run_determinism debug; fi
step "build with the thread sanitizer" tools/build.sh tsan test_core test_linalg test_collision test_solver test_determinism
if step_ok; then step "tests under the thread sanitizer" run_threaded; fi
step "build with address and undefined behaviour sanitizers" tools/build.sh asan
if step_ok; then
    step "all tests under the sanitizers" ctest --test-dir build/asan -j 2 --output-on-failure --no-tests=error -LE '^soak$'
    step "fuzzers" tools/fuzz.sh "${SINEW_FUZZ_SECONDS:-600}"
fi
step "clang-tidy on all files" tools/tidy.sh all

finish_steps
