#!/bin/bash
# build.sh PRESET [TARGET...]: configures when that was not done yet or the presets changed, then builds.
set -euo pipefail
preset=$1
shift
source "$(dirname "$0")/steps.sh"
begin=$SECONDS
if [ ! -f "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "build/$preset/build.ninja" ]; then
    echo "==> configure build/$preset"
    cmake --preset "$preset"
fi
echo "==> build build/$preset with $jobs jobs"
cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
echo "    built in $((SECONDS - begin)) s"
