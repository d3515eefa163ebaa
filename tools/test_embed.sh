#!/bin/bash
# Installs the release build to a fresh prefix, then builds and runs example/embed against it as a user would:
# its own project, find_package(sinew), nothing of the source tree in sight. The user's side alone is compiled
# with -mavx2, because a user's flags must not change the library's ABI.
# The example's executable is called `embed` and runs in its own source folder, without arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=$PWD/build/prefix
build=$PWD/build/embed
rm -rf "$prefix" "$build"
cmake --install build/release --prefix "$prefix" >/dev/null

flags=-mavx2
if ! grep -qw avx2 /proc/cpuinfo; then
    echo "this processor has no AVX2: the example is built without -mavx2"
    flags=
fi
cmake -S example/embed -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$flags" \
    -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$build"
cd example/embed
timeout 300 "$build/embed"
