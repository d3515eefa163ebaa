#!/bin/bash
# An energy from outside the tree: configures with SINEW_EXTRA_ENERGIES, builds, runs the list-driven tests of that
# energy and a scene that uses it. Also: entries that cannot work are refused when configuring, with the reason.
#   test_extra_energy.sh [build folder, default build/extra]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/extra}
energy="example/energy/spring_green.h:SpringGreen;example/energy/tet_bulk_shear.h:TetBulkShear"
configure() { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"; }
refuse() {  # entry expected-words
    if configure "-DSINEW_EXTRA_ENERGIES=$1" > "$build.log" 2>&1 || ! tr -s ' \n' ' ' < "$build.log" | grep -q "$2"; then
        cat "$build.log"
        echo "$1: should be refused with \"$2\"" >&2
        exit 1
    fi
}
mkdir -p "$(dirname "$build")"
refuse no_struct_name.h "is not of the form"
refuse /nowhere/foo.h:Foo "there is no file /nowhere/foo.h"
refuse example/energy/spring_green.h:SpringGren "has no struct SpringGren"
refuse src/energy/spring.h:Spring "already has a struct Spring"
rm "$build.log"

configure "-DSINEW_EXTRA_ENERGIES=$energy"
cmake --build "$build" -j "$(nproc)" --target test_energy sinew-app
"$build/test/energy/test_energy" --gtest_filter='*/spring_green:*/tet_bulk_shear' | tee "$build/tests.txt"
grep -Eq 'PASSED  . (1[0-9]|[2-9][0-9]) tests' "$build/tests.txt"
"$build/sinew" explain spring_green
cat > "$build/line.json" <<'SCENE'
{ "time": { "seconds": 0.2 },
  "objects": { "line": { "kind": "chain", "to": [1, 0, 0], "fixed": { "index": 0 },
      "material": { "rod": { "model": "spring_green", "stiffness": 200 } } } } }
SCENE
for solver in explicit newton; do
    "$build/sinew" run "$build/line.json" --solver $solver --quiet --overwrite --out "$build/line"
done
cat > "$build/block.json" <<'SCENE'
{ "time": { "seconds": 0.2 },
  "objects": { "block": { "kind": "solid", "cells": [2, 2, 2], "fixed": "x_min",
      "material": { "solid": { "model": "bulk_shear", "bulk": "200 kPa", "shear": "100 kPa" } } } },
  "expect": [ { "at": "end", "inverted": 0, "block.min.y": { "max": -0.51 } } ] }
SCENE
"$build/sinew" run "$build/block.json" --solver newton --quiet --overwrite --out "$build/block"
sed 's/"shear": "100 kPa"/"shear": "100 kPa", "damping": { "stiffness": "1 ms" }/' "$build/block.json" > "$build/damped.json"
if "$build/sinew" check "$build/damped.json" > "$build/damped.txt" 2>&1 || ! grep -q "Young's modulus, which this model has not" "$build/damped.txt"; then
    cat "$build/damped.txt"
    echo "damping by stiffness of a model without Young's modulus should be refused" >&2
    exit 1
fi
echo "an energy from outside the tree works"
