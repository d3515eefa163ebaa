#!/bin/bash
# Regenerates the pages that the program writes (CMake target `docs`), then checks every page for dead paths.
set -euo pipefail
cd "$(dirname "$0")/.."
if ninja -C build/release -t targets all | grep -q '^docs: '; then
    echo "==> regenerate pages"
    cmake --build --preset release --target docs
    git status --short docs README.md
else
    echo "==> no generated pages"
fi
echo "==> check pages"
tools/check_docs.py
