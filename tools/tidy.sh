#!/bin/bash
# tidy.sh [MOST | all]: clang-tidy on the source files changed since the last release tag, or since the first
# commit when there is no tag: the newest MOST of them (default 15), or all files.
set -euo pipefail
source "$(dirname "$0")/steps.sh"
most=${1:-15}
# how each file is compiled on its own; nothing is built there
database=build/tidy
cmake --preset asan -DSINEW_UNITY=OFF -DSINEW_PRECOMPILE=OFF -DSINEW_TESTS=OFF -B $database >/dev/null

# all sources, the last changed first; a file that was never committed counts as new
list_changed() {
    git ls-files -o --exclude-standard -- 'src/*.cpp' 'app/*.cpp'
    git log --name-only --diff-filter=AM --format= "$1" -- 'src/*.cpp' 'app/*.cpp'
}
if [ "$most" = all ] || ! git rev-parse --verify -q HEAD >/dev/null; then
    files=$(find src app -name '*.cpp' | sort)
else
    if tag=$(git describe --tags --abbrev=0 2>/dev/null); then range=$tag..HEAD; else range=HEAD; fi
    files=$(list_changed "$range" | python3 -c '
import os, sys
names = [name for name in dict.fromkeys(sys.stdin.read().split("\n")) if os.path.isfile(name)]
print("\n".join(names[:int(sys.argv[1])]))
' "$most")
fi
files=$(python3 -c '
import json, os, sys
known = {os.path.realpath(entry["file"]) for entry in json.load(open(sys.argv[1]))}
print("\n".join(name for name in sys.stdin.read().split() if os.path.realpath(name) in known))
' $database/compile_commands.json <<<"$files")
if [ -z "$files" ]; then
    echo "no changed files"
    exit 0
fi
echo "$files"
# it counts the warnings of system headers on stderr
xargs -P "$jobs" -n 1 clang-tidy -p $database --quiet <<<"$files" 2> >(grep -v 'warnings\? generated' >&2)
