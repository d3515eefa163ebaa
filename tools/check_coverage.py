#!/usr/bin/env python3
"""Checks the coverage ledger docs/coverage.csv and prints a summary per feature table.

A row is one capability of one of the five feature tables (LETTERS). Columns:
  id          letter and number, unique
  capability  what it is, in a few words
  status      done | partial | open | background (theory, nothing to build)
  code        paths in the repository, separated by ';'
  proof       CTest names (with '*' for several) or scene files with `expect`, separated by ';'
  note        free text: comparison methods, known substitutions
A `done` row needs code and proof; whatever a row names must exist. CTest names are looked up in
build/release when it is built. Where some of its test programs are not, names that no other program has are not looked up.
"""
import argparse
import collections
import csv
import fnmatch
import json
import re
import subprocess
import sys
from pathlib import Path

# letter: (number of rows, feature table)
LETTERS = {
    "U": (131, "unified constraint dynamics"),
    "C": (75, "XPBD and projective dynamics compared"),
    "A": (82, "asynchronous contact"),
    "T": (112, "cloth and hair with contact"),
    "P": (157, "physics-based animation"),
}
STATUSES = ("done", "partial", "open", "background")
UNKNOWN = ": no such CTest test"
COLUMNS = ["id", "capability", "status", "code", "proof", "note"]


def find_ctest_names(build: Path):
    """Names of all registered tests, or None when there is no build to ask."""
    if not (build / "CTestTestfile.cmake").exists():
        return None
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return None
    return [test["name"] for test in json.loads(found.stdout)["tests"]]


def find_missing_programs(build: Path):
    """Folders of test/ whose program test_<folder> CMake knows, but nobody has built: their tests have no names yet."""
    known = {match[1] for path in build.glob("test/*/*_include.cmake")
             if (match := re.fullmatch(r"test_(\w+)\[\d+\]_include\.cmake", path.name))}
    return sorted(folder for folder in known if not (build / f"test/{folder}/test_{folder}").is_file())


def split_list(cell: str):
    return [part.strip() for part in cell.split(";") if part.strip()]


def check_proof(root: Path, proof: str, tests):
    """An error text, or None when the proof exists or cannot be looked up."""
    if "/" in proof and proof.endswith(".json"):
        scene = root / proof
        if not scene.is_file():
            return f"proof {proof}: no such scene"
        if '"expect"' not in scene.read_text(encoding="utf-8"):
            return f"proof {proof}: the scene has no expect"
        return None
    if tests is not None and not fnmatch.filter(tests, proof):
        return f"proof {proof}{UNKNOWN}"
    return None


def check_row(root: Path, row: dict, tests):
    errors = []
    code, proof = split_list(row["code"]), split_list(row["proof"])
    if row["status"] not in STATUSES:
        errors.append(f"status '{row['status']}' is none of {', '.join(STATUSES)}")
    if not row["capability"].strip():
        errors.append("no capability")
    if row["status"] == "done" and not code:
        errors.append("done without code")
    if row["status"] == "done" and not proof:
        errors.append("done without proof")
    errors += [f"code {path}: no such path" for path in code if not (root / path).exists()]
    errors += [error for name in proof if (error := check_proof(root, name, tests))]
    return errors


def check_ledger(root: Path, rows: list, tests, expected: dict):
    errors = []
    seen = collections.Counter(row["id"] for row in rows)
    errors += [f"{name}: {count} rows" for name, count in seen.items() if count > 1]
    counts = collections.Counter()
    for row in rows:
        match = re.fullmatch(r"([A-Z])\d+", row["id"])
        if not match or match[1] not in expected:
            errors.append(f"{row['id']}: not an id of a feature table")
            continue
        counts[match[1]] += 1
        errors += [f"{row['id']}: {error}" for error in check_row(root, row, tests)]
    for letter, (count, _) in expected.items():
        if counts[letter] != count:
            errors.append(f"{letter}: {counts[letter]} rows, the feature table has {count}")
    return errors


def print_summary(rows: list):
    print(f"{'':3}{'rows':>5}" + "".join(f"{status:>12}" for status in STATUSES))
    for letter, (_, title) in [*LETTERS.items(), ("all", (0, ""))]:
        part = [row for row in rows if letter == "all" or row["id"].startswith(letter)]
        states = collections.Counter(row["status"] for row in part)
        numbers = "".join(f"{states[status]:12}" for status in STATUSES)
        print(f"{letter:3}{len(part):5}{numbers}   {title}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    with open(root / "docs/coverage.csv", encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    if reader.fieldnames != COLUMNS or any(None in row.values() or None in row for row in rows):
        print(f"docs/coverage.csv: every line needs the columns {', '.join(COLUMNS)}")
        return 1
    tests = find_ctest_names(root / "build/release")
    errors = check_ledger(root, rows, tests, LETTERS)
    print_summary(rows)
    if tests is None:
        print("CTest names were not looked up: build/release is not built")
    missing = find_missing_programs(root / "build/release") if tests is not None else []
    if missing:
        # a name that the built programs have not may be of one of these: only with all of them is it wrong
        unknown = [error for error in errors if error.endswith(UNKNOWN)]
        errors = [error for error in errors if not error.endswith(UNKNOWN)]
        print(f"{len(unknown)} CTest names were not looked up: not built are {', '.join('test_' + name for name in missing)}")
    for error in errors:
        print(f"docs/coverage.csv: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
