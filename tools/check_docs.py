#!/usr/bin/env python3
"""Checks that every path and link in the Markdown pages leads somewhere.

Looked at: README.md, the other pages in the root, docs/. Checked are links [text](path#anchor), paths in
`backticks`, and paths in fenced blocks. A path is a word that starts with a folder of the repository, or with
a folder of src/ (`energy/spring.h` is short for src/energy/spring.h). Patterns with `*` must match
something; words with placeholders (<name>, NAME, ...) and build output are left alone.
"""
import argparse
import re
import sys
from pathlib import Path

from source_files import list_files, read

# where a short path may start, after the page's own folder
BASES = ("", "src", "include", "docs")
OUTPUT = ("build", "out")
PLACEHOLDER = re.compile(r"[<>{}$%]|\.\.\.|…|\b[A-Z]{3,}\b(?!\.md)")
ROOT_FILE = re.compile(r"(README|CHANGELOG|CONTRIBUTING|CITATION|CMake\w+)\.\w+|Makefile|Dockerfile|LICENSE")
PATH = re.compile(r"\.?[\w*?-]+(?:[./][\w*?.+-]+)*/?")


def find_slugs(text: str):
    """Anchors of the headings, as Git hosts write them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    headings = re.findall(r"^#+\s+(.*?)\s*$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(root: Path, page: Path, path: str):
    path = path.rstrip("/")
    for base in (root / page.parent, *(root / base for base in BASES)):
        if "*" in path or "?" in path:
            if base.is_dir() and next(base.glob(path), None) is not None:
                return True
        elif (base / path).exists():
            return True
    return False


def looks_like_path(root: Path, word: str):
    """A word is taken for a path when its first folder is one of ours or it names a file in the root."""
    if PLACEHOLDER.search(word) or not PATH.fullmatch(word):
        return False
    first = word.split("/")[0]
    if "/" not in word:
        return ROOT_FILE.fullmatch(word) is not None
    if first in OUTPUT:
        return False
    return any((root / base / first).is_dir() for base in BASES)


def check_link(root: Path, page: Path, link: str, pages: dict):
    if re.match(r"[a-z+]+:", link):
        return None
    path, _, anchor = link.partition("#")
    full = (root / page.parent / path).resolve() if path else (root / page).resolve()
    if not full.exists() or not full.is_relative_to(root.resolve()):
        return f"link to {link}: no such file"
    target = full.relative_to(root.resolve())
    if anchor and target in pages and anchor not in find_slugs(pages[target]):
        return f"link to {link}: no such heading"
    return None


def check_page(root: Path, page: Path, pages: dict):
    fenced = False
    for number, line in enumerate(pages[page].split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced:
            words = line.split()
        else:
            words = [word for code in re.findall(r"`([^`]+)`", line) for word in code.split()]
            for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                error = check_link(root, page, link, pages)
                if error:
                    yield f"{page}:{number}: {error}"
        for word in words:
            word = word.strip("\"'(),;:")
            if looks_like_path(root, word) and not exists(root, page, word):
                yield f"{page}:{number}: {word}: no such path"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    pages = {name: read(root, name) for name in list_files(root)
             if name.suffix == ".md" and (len(name.parts) == 1 or name.parts[0] == "docs")}
    errors = [error for page in pages for error in check_page(root, page, pages)]
    print("\n".join([*errors, f"{len(pages)} pages, {len(errors)} dead paths"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
