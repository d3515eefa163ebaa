#!/bin/bash
# Runs the showcase scene and films its recording; prints where everything is and how long it took.
#   tools/demo.sh --plan    only says what `make demo` is going to install, build and do
set -euo pipefail
cd "$(dirname "$0")/.."
scene=scenes/demo/curtain.json
out=out/demo
begin=$SECONDS
if [ "${1:-}" = --plan ]; then
    echo "make demo, in three steps:"
    if ! packages=$(tools/install_deps.sh --check 2>/dev/null) && [ -n "$packages" ]; then
        echo "  1. install these system packages by apt: $(awk '$1 == "missing" { printf "%s ", $2 }' <<<"$packages")"
        echo "     (some hundred megabytes, a few minutes; needs root or sudo)"
    else
        echo "  1. system packages: nothing to install"
    fi
    if [ -e build/release/sinew ]; then
        echo "  2. build what has changed of the command build/release/sinew (no tests, no benchmarks)"
    else
        echo "  2. build the command build/release/sinew (no tests, no benchmarks): about 10 minutes on two cores"
    fi
    echo "  3. run $scene and film it to $out/: a few minutes on two cores"
    echo "Nothing is written outside of this folder but those packages. Ctrl-C stops; 'make demo' again goes on."
    echo
    exit 0
fi
for needed in build/release/sinew "$scene"; do
    if [ ! -e "$needed" ]; then
        echo "demo: $needed is missing; 'make demo' builds it first" >&2
        exit 1
    fi
done

echo "This runs $scene (5 s of curtains in a gusty wind, thousands of dust particles) and films two of them;"
echo "everything goes to $out/. A few minutes on two cores."
echo "==> run $scene"
build/release/sinew run "$scene" --out "$out" --overwrite
ran=$SECONDS
echo "    ran in $((ran - begin)) s"

echo "==> render the recording to a moving picture"
build/release/sinew render "$out/curtain.sinew" --out "$out/curtain.png" --frames 30-77 --size 640x360 \
    --samples 4 --limit 3 --overwrite
echo "    rendered in $((SECONDS - ran)) s"

echo
echo "moving picture  $PWD/$out/curtain.png   (animated PNG: open it in a browser)"
echo "recording       $PWD/$out/curtain.sinew"
echo "everything else $PWD/$out/"
echo "time taken      $((SECONDS - begin)) s"
