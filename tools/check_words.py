#!/usr/bin/env python3
"""Checks for words that must not be in the repository: machine paths, unowned TODOs, forbidden names."""
import argparse
import re
import sys
from pathlib import Path

from source_files import CODE_FOLDERS, CPP, list_files, read

TEXT = (".md", ".txt", ".csv", ".json", ".yml", ".yaml", ".cff", ".cmake", ".py", ".sh", ".ts", ".html", *CPP)

# (pattern, code only, why); slashes are written [/] so that this file does not accuse itself
RULES = [
    (r"(?<![\w./-])[/](?:work|root|home|Users)[/]\w+", False, "absolute path of one machine"),
    (r"\b(?:TO[D]O|FIX[M]E|XX[X])\b(?!\W{0,3}#\d+)", True, "say it in an issue and give its number"),
    (r"\b(?:class|struct)\s+\w*(?:Manager|Handler|Helper|Util|Utils|Impl|Base)\b", True,
     "a name that says nothing (docs/names.md)"),
    (r"(?<![\w.:>])get_[a-z]\w*\s*\([^)]*\)\s*(?:const\s*)?\{", True, "no get_ (docs/names.md)"),
]


def check_file(root: Path, name: Path):
    is_code = name.parts[0] in CODE_FOLDERS and name.suffix in CPP
    for number, line in enumerate(read(root, name).split("\n"), 1):
        for pattern, code_only, why in RULES:
            match = re.search(pattern, line) if is_code or not code_only else None
            if match:
                yield f"{name}:{number}: '{match[0].strip()}': {why}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    files = [name for name in list_files(root)
             if name.suffix in TEXT or name.name in ("Makefile", "Dockerfile", "run", ".clang-tidy")]
    errors = [error for name in files for error in check_file(root, name)]
    print("\n".join([*errors, f"{len(files)} files, {len(errors)} forbidden words"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
