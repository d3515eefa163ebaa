#!/bin/bash
# tidy.sh [MOST | all]: clang-tidy on the source files changed since the last release tag, or since the first
# commit when there is no tag: the newest MOST of them (default 15) one by one, or all files, a few of a folder at a time
# (cmake/unity.cmake): what it takes long for are the headers.
set -euo pipefail
source "$(dirname "$0")/steps.sh"
most=${1:-15}
# how files are compiled; nothing is built there
database=build/tidy unity=OFF
if [ "$most" = all ]; then database=build/tidy_all unity=ON; fi
cmake --preset asan -DSINEW_UNITY=$unity -DSINEW_PRECOMPILE=OFF -DSINEW_TESTS=OFF -B $database >/dev/null
tidy() { # files on standard input; it counts the warnings of system headers on stderr
    xargs -P "$jobs" -n 1 clang-tidy -p $database --quiet 2> >(grep -v 'warnings\? generated' >&2)
}
if [ "$most" = all ]; then
    # what one group of files says, then how many groups there were
    python3 -c '
import json, sys
print("\n".join(entry["file"] for entry in json.load(open(sys.argv[1]))))
' $database/compile_commands.json | tee $database/files.txt | tidy
    echo "$(wc -l < $database/files.txt) groups of files"
    exit 0
fi

# all sources, the last changed first; a file that was never committed counts as new
list_changed() {
    git ls-files -o --exclude-standard -- 'src/*.cpp' 'app/*.cpp'
    git log --name-only --diff-filter=AM --format= "$1" -- 'src/*.cpp' 'app/*.cpp'
}
if ! git rev-parse --verify -q HEAD >/dev/null; then
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
tidy <<<"$files"
