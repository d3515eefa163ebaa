"""The files that the checks look at: what git tracks or would track, or everything below a plain folder."""
import subprocess
from pathlib import Path

CPP = (".h", ".hpp", ".cpp", ".inl")
CODE_FOLDERS = ("include", "src", "app", "test", "bench", "example", "python")


def list_files(root: Path):
    """Paths relative to root, sorted, without build output."""
    found = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, text=True, check=False,
    ) if (root / ".git").exists() else None
    if found and found.returncode == 0:
        names = [Path(name) for name in found.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root) for path in root.rglob("*")]
    skipped = {"build", "out", "__pycache__", "node_modules"}
    return sorted(name for name in set(names) if (root / name).is_file() and not skipped & set(name.parts))


def list_code(root: Path, folders=CODE_FOLDERS, suffixes=CPP):
    """Hand-written sources in the given folders; generated code is exempt from the rules of style."""
    return [name for name in list_files(root)
            if name.parts[0] in folders and name.suffix in suffixes and "generated" not in name.parts]


def read(root: Path, name: Path):
    return (root / name).read_text(encoding="utf-8", errors="replace")
