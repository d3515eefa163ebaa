#!/bin/bash
# Runs the studies of scenes/paper/francu_2016 and writes their page docs/francu_2016.md. --overwrite runs all of them again;
# by default those whose results are there are kept, and only the page is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."
build/release/sinew study scenes/paper/francu_2016 --out docs/francu_2016 --page docs/francu_2016.md "${1:---resume}"
