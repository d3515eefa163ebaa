#!/bin/bash
# Runs every ```sh block of docs/hello.md in an empty folder, as a newcomer would, and looks at what it leaves.
# usage: hello_test.sh <source folder> <folder of the sinew command>
set -euo pipefail
page=$1/docs/hello.md
PATH=$2:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$page" > "$folder/commands.sh"
[ "$(wc -l < "$folder/commands.sh")" -ge 10 ] || { echo "no commands found in $page" >&2; exit 1; }
cd "$folder"
bash -euo pipefail commands.sh
for made in out/hello/hello.sinew out/hello/report.csv out/coarse/hello.sinew hello.png still.png hello.usda; do
    [ -s "$made" ] || { echo "$made is missing" >&2; exit 1; }
done
# an animated PNG has an animation control chunk
grep -q acTL hello.png
