#!/usr/bin/env python3
"""Tables of measured figures in Markdown, from the CSV files that `sinew-bench NAME --out bench/results` writes.

  tools/bench_tables.py narrow|ccd|collision|sheets      prints one table

tools/fill_pages.py puts them into pages at <!-- table: NAME --> and its --check fails when a page and the CSV differ.
"""
import csv
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent / "bench" / "results"


def read_rows(name: str, folder: Path = RESULTS):
    """{test: {quantity: row}} in the order of the file, of the first machine that has it."""
    paths = sorted(folder.glob(f"*/{name}.csv"))
    if not paths:
        raise FileNotFoundError(f"no {name}.csv below {folder}; run build/release/sinew-bench {name} --out {folder}")
    tests = {}
    with open(paths[0], encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tests.setdefault(row["test"], {})[row["quantity"]] = row
    return tests, paths[0].parent.name


def number(row, digits=3):
    return "" if row is None else f"{float(row['median']):.{digits}g}"


def count(row):
    return "" if row is None else f"{float(row['median']):.0f}"


def percent(row):
    return "" if row is None else f"{100 * float(row['median']):.1f}"


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
                      *("| " + " | ".join(line) + " |" for line in lines)])


def narrow(folder):
    tests, machine = read_rows("narrow", folder)
    lines = []
    for test, row in tests.items():
        if test == "machine":
            continue
        line = [test, count(row["pairs"]), number(row["our distance off the judge"], 2),
                number(row["manifold: least gap off the judge"], 2), number(row["our points off the shapes"], 2)]
        for peer in ("FCL", "Bullet"):
            line += [percent(row.get(f"{peer} agrees")), count(row.get(f"{peer} is wrong")),
                     count(row.get(f"{peer} proves us wrong")), number(row.get(f"distance: {peer} / ours"))]
        lines.append(line)
    return machine, table(["pairs", "count", "distance off [m]", "manifold off [m]", "points off [m]",
                           "FCL agrees [%]", "FCL wrong", "proves us wrong", "FCL / ours",
                           "Bullet agrees [%]", "Bullet wrong", "proves us wrong", "Bullet / ours"], lines)


def ccd(folder):
    tests, machine = read_rows("ccd", folder)
    lines = [[test, count(row["queries"]), f"{float(row['hits']['median']):.1f}", number(row["rate"]),
              number(row["rate / plain rate"]), number(row["rate / plain, separated"])]
             for test, row in tests.items() if "rate / plain rate" in row]
    return machine, table(["set", "queries", "hits [%]", "rate [10⁶/s]", "rate / plain",
                           "with separation 10⁻⁴"], lines)


def collision(folder):
    tests, machine = read_rows("collision", folder)
    lines = [[test, count(row["boxes"]), count(row["pairs found"]),
              *(number(row.get(f"{what}: better peer / ours")) for what in ("build", "refit", "pairs"))]
             for test, row in tests.items() if "boxes" in row]
    return machine, table(["surface", "boxes", "pairs", "build: better peer / ours", "refit", "pairs of boxes"], lines)


def sheets(folder):
    tests, machine = read_rows("collision", folder)
    lines = []
    for test, row in tests.items():
        if "build: FCL / ours" in row:
            lines.append([test, number(row["build ours"]), number(row["build: FCL / ours"]),
                          number(row["detect ours"]), number(row["detect: FCL / ours"]),
                          number(row.get("query ours")), number(row.get("query: FCL, Newton / ours")),
                          count(row.get("hits")), count(row.get("hits unlike FCL, Newton")),
                          count(row.get("hits in metres unlike FCL, Newton"))])
    return machine, table(["pair", "build [ms]", "FCL / ours", "detect [ms]", "FCL / ours", "query [µs]",
                           "FCL / ours", "hits", "unlike FCL", "unlike FCL in metres"], lines)


TABLES = {"narrow": narrow, "ccd": ccd, "collision": collision, "sheets": sheets}


def make_table(name: str, folder: Path = RESULTS):
    machine, text = TABLES[name](folder)
    return f"{text}\n\nMeasured on {machine}, one thread; every row and its spread: `bench/results/{machine}/`."


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in TABLES:
        sys.exit(__doc__)
    print(make_table(sys.argv[1]))
