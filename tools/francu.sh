#!/bin/bash
# Runs the studies of scenes/paper/francu_2016 and writes their page docs/francu_2016.md. By default those whose results are there are
# kept, and only the page is made anew.
#   tools/francu.sh --overwrite       all of them again
#   tools/francu.sh --timed           those that compare times, for a quiet machine
#   tools/francu.sh x13_stretch ...   some
set -euo pipefail
cd "$(dirname "$0")/.."
folder=scenes/paper/francu_2016
how=--resume
names=("$@")
case ${1:-} in
    --overwrite) how=--overwrite names=() ;;
    --resume) names=() ;;
    --timed) # with races, or with claims about costs
        names=()
        for file in $(grep -lE '"race":|cost\.median|cpu\.median' $folder/*.study.json); do names+=("$(basename "$file" .study.json)"); done ;;
esac
for name in "${names[@]}"; do
    begin=$SECONDS
    build/release/sinew study $folder/"$name".study.json --out docs/francu_2016 --overwrite
    echo "$name: $((SECONDS - begin)) s"
done
build/release/sinew study $folder --out docs/francu_2016 --page docs/francu_2016.md $how
