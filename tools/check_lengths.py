#!/usr/bin/env python3
"""Checks the length of files and functions.

Beyond a hard limit the check fails; beyond a soft limit the offender is counted, and listed with --verbose. A file whose first 20 lines
hold `length: <reason>` in a comment is left out of the soft lists, never of the hard limits. Code in
folders called generated/ is exempt.
"""
import argparse
import ast
import re
import sys
from pathlib import Path

from cpp_functions import Function, find_functions
from source_files import CODE_FOLDERS, CPP, list_code, list_files, read

FILE_SOFT, FILE_HARD = 400, 800
FUNCTION_SOFT, FUNCTION_HARD = 50, 100
LINE_SOFT = 110


def find_python_functions(text: str):
    nodes = ast.walk(ast.parse(text))
    return [Function(node.name, node.lineno, node.end_lineno) for node in nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def is_waived(text: str):
    return re.search(r"\blength: \w", "\n".join(text.split("\n")[:20])) is not None


def measure(root: Path, name: Path, hard: list, soft: list):
    text = read(root, name)
    lines = text.rstrip("\n").split("\n")
    mine = [(len(lines), FILE_SOFT, FILE_HARD, f"{name}", "lines")]
    functions = {".py": find_python_functions, ".sh": lambda _: []}.get(name.suffix, find_functions)(text)
    for function in functions:
        mine.append((function.length, FUNCTION_SOFT, FUNCTION_HARD, f"{name}:{function.begin}",
                     f"lines in {function.name}"))
    waived = is_waived(text)
    wide = [number for number, line in enumerate(lines, 1) if len(line) > LINE_SOFT]
    if wide and not waived:
        shown = ", ".join(map(str, wide[:8])) + (", ..." if len(wide) > 8 else "")
        soft.append(f"{name}: {len(wide)} lines over {LINE_SOFT} columns: {shown}")
    for value, low, high, where, what in mine:
        if value > high:
            hard.append(f"{where}: {value} {what}, the limit is {high}")
        elif value > low and not waived:
            soft.append(f"{where}: {value} {what}, aim at {low}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--verbose", action="store_true", help="list what is long, but allowed")
    options = parser.parse_args()
    root = options.root
    files = list_code(root, CODE_FOLDERS, CPP + (".py",))
    files += [name for name in list_files(root) if name.parts[0] == "tools" and name.suffix in (".py", ".sh")]
    hard, soft = [], []
    for name in files:
        measure(root, name, hard, soft)
    if soft and options.verbose:
        print("long, but allowed:", *soft, sep="\n  ")
    if hard:
        print("too long:", *hard, sep="\n  ")
    print(f"{len(files)} files, {len(hard)} too long, {len(soft)} long, but allowed (--verbose lists them)")
    return 1 if hard else 0


if __name__ == "__main__":
    sys.exit(main())
