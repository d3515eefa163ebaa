#!/bin/bash
# Fills the parts of pages that come from the program and from files, then checks every page for dead paths.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "==> fill pages"
tools/fill_pages.py
echo "==> page of the studies, from their results"
tools/francu.sh --resume
git status --short docs README.md
echo "==> check pages"
tools/check_docs.py
