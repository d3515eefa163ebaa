#!/usr/bin/env python3
"""Runs one scene at several values of one of its vars and writes a row of figures per run (docs/gallery.md).

  tools/resolutions.py                                   cloth over a sphere at n = 10, 12 ... 30
  tools/resolutions.py --values 10:80:2                  the document's 36 resolutions; some hours
  tools/resolutions.py --scene scenes/demo/hanging_sheet.json --var n --values 8,16 --out out/sheets.csv

Every run is one thread. Rows that the output has for other values stay, so that a long list can be run in parts.
Columns: the value, points of the scene's largest object, steps, Newton iterations per step, the most in one step, deepest
vertex at the end [m], elements turned inside out in any step, steps repeated shorter, processor time [s], expectations met.
"""
import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ["value", "points", "steps", "iterations_per_step", "iterations_most", "penetration_end_m", "inverted_most",
           "retries", "cpu_s", "expect"]


def parse_values(text):
    if ":" in text:
        first, last, step = (int(part) for part in text.split(":"))
        return [str(v) for v in range(first, last + 1, step)]
    return text.split(",")


def run_one(sinew, scene, var, value, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sinew, "run", str(scene), "--set", f"vars.{var}={value}", "--threads", "1", "--out", str(folder), "--overwrite",
                           "--quiet"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    reports = sorted(folder.glob("**/report.csv"))
    if not reports:
        sys.exit(f"resolutions: {var} = {value} failed:\n{done.stderr}")
    with open(reports[0], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[1:]  # the first holds units
    column = lambda name: next(key for key in rows[0] if key.split(" ")[0] == name)
    numbers = lambda name: [float(row[column(name)]) for row in rows if row[column(name)] != ""]
    iterations = numbers("iterations")[1:]  # without the start
    return {"value": value, "points": f"{numbers('alive')[-1]:.0f}", "steps": len(iterations),
            "iterations_per_step": f"{sum(iterations) / max(1, len(iterations)):.2f}", "iterations_most": f"{max(iterations):.0f}",
            "penetration_end_m": f"{numbers('penetration')[-1]:.3g}", "inverted_most": f"{max(numbers('inverted')):.0f}",
            "retries": f"{sum(numbers('retries')):.0f}", "cpu_s": f"{after.ru_utime - before.ru_utime:.2f}",
            "expect": "met" if done.returncode == 0 else "not met"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", default=str(ROOT / "build" / "release" / "sinew"))
    parser.add_argument("--scene", default=str(ROOT / "scenes" / "demo" / "cloth_over_sphere.json"))
    parser.add_argument("--var", default="n")
    parser.add_argument("--values", default="10:30:2")
    parser.add_argument("--out", default=str(ROOT / "out" / "resolutions.csv"))
    args = parser.parse_args()
    out = Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    kept = {}
    if out.exists():
        with open(out, encoding="utf-8", newline="") as file:
            kept = {row["value"]: row for row in csv.DictReader(file)}
    for value in parse_values(args.values):
        with tempfile.TemporaryDirectory() as folder:
            kept[value] = run_one(args.sinew, args.scene, args.var, value, Path(folder) / "run")
        print(json.dumps(kept[value]), flush=True)
        with open(out, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(kept.values(), key=lambda row: float(row["value"])))


if __name__ == "__main__":
    main()
