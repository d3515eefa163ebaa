#!/bin/bash
# Runs the showcase scene and films its recording; prints where everything is and how long it took.
set -euo pipefail
cd "$(dirname "$0")/.."
scene=scenes/demo/curtain.json
out=out/demo
begin=$SECONDS
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
