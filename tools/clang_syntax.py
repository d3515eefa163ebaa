#!/usr/bin/env python3
"""Lets clang read the source files of a build in these folders without generating code; warnings are errors.

  clang_syntax.py BUILD FOLDER...   BUILD/compile_commands.json was configured with clang++ and -Werror (SINEW_STRICT)
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def read(entry):
    """The compiler's words on one file, empty if it has none."""
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if Path(word).name.startswith("clang++"))
    command = [word for word in words[compiler:] if not word.startswith("-fsanitize")]
    output = command.index("-o")
    del command[output:output + 2]
    result = subprocess.run(command + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return result.stderr if result.returncode else ""


def main():
    folders = tuple(str(Path(folder).resolve()) + os.sep for folder in sys.argv[2:])
    entries = json.loads((Path(sys.argv[1]) / "compile_commands.json").read_text())
    entries = [entry for entry in entries if entry["file"].startswith(folders)]
    refused = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, words in zip(entries, pool.map(read, entries)):
            if words:
                refused += 1
                print(words)
    print(f"{len(entries)} files, {refused} refused")
    return 1 if refused or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
