#!/usr/bin/env python3
"""Checks who includes whom.

Layers: a file may include its own folder and folders of lower rank, never up, never sideways. Public headers
are standard C++ only. Some headers have one home: threads in core/, sparse matrices and factorisations in
linalg/, and so on (HOMES).
"""
import argparse
import re
import sys
from pathlib import Path

from source_files import list_code, read

RANKS = [
    ("core",),
    ("linalg",),
    ("geometry",),
    ("model",),
    ("energy", "constraint", "collision", "particle", "grid"),
    ("output", "render", "solver"),
    ("scene",),  # asks solvers for their parameters and what they can take
    ("simulate",),  # the files directly in src/
    ("embed",),
    ("study",),
    ("app",),
]
RANK = {folder: rank for rank, folders in enumerate(RANKS) for folder in folders}

# (header pattern, folders or single files that may include it, why); the viewer's server has a thread of its own, for the network must
# answer while a step takes seconds: view_hub.h is where both meet
HOMES = [
    (r"(oneapi/)?tbb/.*|omp\.h|pthread\.h|sched\.h", ("core",), "threads live in core/parallel.h"),
    (r"thread|atomic|(shared_)?mutex|condition_variable|future|semaphore|latch|barrier|stop_token|execution",
     ("core", "app/view_server.cpp", "app/view_hub.h"), "threads live in core/parallel.h"),
    (r"boost/.*", ("app/view_server.cpp",), "the network lives in app/view_server.cpp"),
    (r"Eigen/(Sparse\w*|IterativeLinearSolvers|OrderingMethods|\w+Support)|unsupported/Eigen/.*", ("linalg",),
     "sparse matrices live in linalg/"),
    # Eigen/LU is free: it holds the closed inverse and determinant of 2x2 to 4x4
    (r"Eigen/(Dense|Cholesky|QR|SVD|Eigenvalues)", ("linalg",), "factorisations live in linalg/"),
    (r"(suitesparse/)?(cholmod|camd|amd|umfpack|klu|SuiteSparse)\w*\.h|(c?blas|lapacke?|metis)\.h",
     ("linalg",), "factorisations live in linalg/"),
    (r"embree\d/.*", ("render",), "Embree lives in render/"),
    (r"CLI/.*", ("app",), "the command line lives in app/"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def find_includes(text: str):
    """(line number, quoted or not, path) of every include that is not commented out."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def find_folder(name: Path):
    """The layer a file belongs to."""
    if name.parts[0] == "src":
        return name.parts[1] if len(name.parts) > 2 else "simulate"
    return name.parts[0]


def check_public(quoted: bool, path: str):
    if path.startswith("sinew/"):
        return None
    if quoted or "/" in path or "." in path:
        return f"public headers use standard headers and sinew/ only, not {path}"
    return None


def check_layer(root: Path, name: Path, path: str):
    folder = find_folder(name)
    if path.startswith("sinew/"):
        return None
    if "/" not in path:
        where = "simulate" if (root / "src" / path).is_file() else folder
        if where == folder and not (root / name.parent / path).is_file():
            return f"{path}: no such file"
        if where == folder and folder not in ("app", "simulate"):
            return f'write the folder: "{folder}/{path}"'
    else:
        where = path.split("/")[0]
    if where not in RANK:
        return f"{path}: {where}/ is no folder of src/ or app/"
    if where != folder and RANK[where] >= RANK[folder]:
        return f"{folder}/ may not include {where}/ ({path})"
    return None


def check_home(name: Path, path: str):
    for pattern, homes, why in HOMES:
        if re.fullmatch(pattern, path) and find_folder(name) not in homes and name.as_posix() not in homes:
            return f"{path}: {why}"
    return None


def check_file(root: Path, name: Path):
    for number, quoted, path in find_includes(read(root, name)):
        if name.parts[0] == "include":
            errors = [check_public(quoted, path)]
        else:
            errors = [check_home(name, path), quoted and check_layer(root, name, path)]
        for error in errors:
            if error:
                yield f"{name}:{number}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    errors, files = [], list_code(root, ("include", "src", "app"))
    for name in files:
        folder = find_folder(name)
        if folder not in RANK and folder != "include":
            errors.append(f"{name}: {folder}/ has no rank in tools/check_layers.py")
        else:
            errors += check_file(root, name)
    print("\n".join([*errors, f"{len(files)} files, {len(errors)} forbidden includes"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
