#!/usr/bin/env python3
"""Fills the parts of pages that come from elsewhere; --check only says which are out of date (exit 1).

Three kinds of parts, in README.md, docs/*.md and docs/theory/*.md:
  <!-- file PATH -->            a fenced block follows with the file's text
  <!-- generated: sinew ... --> what the command prints
  <!-- table: NAME -->         a table of measured figures, tools/bench_tables.py NAME
All end with <!-- end -->.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from bench_tables import make_table

PART = re.compile(r"(<!-- (file|generated:|table:) (.*?) -->\n)(.*?)(<!-- end -->)", re.S)


def fill_page(root: Path, sinew: Path, text: str):
    def replace(match):
        head, kind, what, old, end = match.groups()
        if kind == "file":
            fence = old.split("\n", 1)[0]
            return f"{head}{fence}\n{(root / what).read_text(encoding='utf-8').rstrip()}\n```\n{end}"
        if kind == "table:":
            return f"{head}{make_table(what, root / 'bench/results')}\n{end}"
        if sinew is None:
            return match.group(0)
        printed = subprocess.run([str(sinew), *what.split()[1:]], capture_output=True, text=True, check=True)
        return f"{head}{printed.stdout.strip()}\n{end}"
    return PART.sub(replace, text)


def find_extra_energies(sinew: Path):
    """SINEW_EXTRA_ENERGIES of the build that this program is in; such a program lists more than the pages may say."""
    cache = sinew.resolve().parent / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    match = re.search(r"^SINEW_EXTRA_ENERGIES:\w+=(.+)$", text, re.M)
    return match[1].strip() if match else ""


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sinew", type=Path, default=root / "build/release/sinew")
    parser.add_argument("--files-only", action="store_true", help="leave the program's parts alone")
    options = parser.parse_args()
    stale = []
    parts = 0
    sinew = None if options.files_only else options.sinew
    if sinew is not None and (extra := find_extra_energies(sinew)):
        print(f"{sinew} is built with SINEW_EXTRA_ENERGIES={extra}, which the pages must not list: configure that folder again with "
              "-DSINEW_EXTRA_ENERGIES= and build, name another program by --sinew, or take --files-only")
        return 1
    docs = root / "docs"
    for page in [root / "README.md", *sorted(docs.glob("*.md")), *sorted((docs / "theory").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        parts += len(PART.findall(text))
        filled = fill_page(root, sinew, text)
        if filled != text:
            stale.append(str(page.relative_to(root)))
            if not options.check:
                page.write_text(filled, encoding="utf-8")
    for page in stale:
        print(f"{page}: {'out of date, run tools/fill_pages.py' if options.check else 'filled'}")
    print(f"{parts} parts of pages, {len(stale)} pages {'out of date' if options.check else 'changed'}")
    return 1 if options.check and (stale or parts == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
