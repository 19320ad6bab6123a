"""Folders that were renamed or came as packages: many files, told as one."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from agent.domain import FileChange
from tools.diff.roles import Role, role

_SEVERAL = 3
"""Files that leave a folder together; of fewer, others that the commit does not touch are likely to stay."""

_MANIFESTS = ("pyproject.toml", "setup.py", "Cargo.toml")
_FIRST = "__init__.py"
_ROOTS = (_FIRST, "/lib.rs", "/main.rs")
_UPKEEP = (Role.TEST, Role.DOCUMENT, Role.EXAMPLE, Role.BENCHMARK, Role.CI, Role.VENDORED, Role.SCRIPT)


class Package(NamedTuple):
    """A folder that came with all that makes it a package."""

    folder: str
    manifest: FileChange


def new_packages(files: Sequence[FileChange]) -> list[Package]:
    """Find packages that came as wholes: with a manifest of their own, or at the top of the repository."""
    found: list[Package] = []
    parts = [(*file.path.rpartition("/")[::2], file) for file in files if file.status == "added"]
    heads = [
        (folder, name == _FIRST, file)
        for folder, name, file in parts
        if name in _MANIFESTS or (name == _FIRST and "/" not in folder)
    ]
    for folder, _, file in sorted(heads, key=lambda head: head[:2]):
        inside = [other for other in files if other.path.startswith(f"{folder}/")]
        known = any(f"{folder}/".startswith(f"{package.folder}/") for package in found)
        if folder and not known and role(f"{folder}/x.py") not in _UPKEEP and _is_package(inside):
            found.append(Package(folder, _installing(folder, files) or file))
    return found


def _installing(folder: str, files: Sequence[FileChange]) -> FileChange | None:
    """Find the new manifest at the top of the repository that installs a package beside it, by its name."""
    called = re.compile(rf"""\n\+\s*name\s*=\s*["']{re.escape(folder).replace("_", "[_-]")}["']""")
    top = (file for file in files if file.path in _MANIFESTS and file.status == "added")
    return next((file for file in top if called.search(file.patch or "")), None)


def _is_package(inside: Sequence[FileChange]) -> bool:
    """Tell whether files make a package of which nothing was there before."""
    if any(file.status != "added" for file in inside):
        return False
    code = [file.path for file in inside if file.path.endswith((".py", ".rs")) and role(file.path) not in _UPKEEP]
    return len(code) >= _SEVERAL and any(path.endswith(_ROOTS) for path in code)


def renamed_folders(files: Sequence[FileChange]) -> list[tuple[str, str, int]]:
    """Find folders that became other folders: old, new, and how many files moved along, most first."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for file in files:
        if file.status == "renamed" and file.previous_path is not None:
            change = _folder_change(file.previous_path, file.path)
            if change is not None:
                groups.setdefault(change, []).append((file.previous_path, file.path))
    there = [file.path for file in files if file.status != "removed"]
    moved: list[tuple[str, str, int]] = []
    whole: list[tuple[str, str, int]] = []
    waiting = [moves for moves in groups.values() if len(moves) > 1]
    while waiting:
        moves = waiting.pop()
        row = (*_shared(moves), len(moves))
        moved.append(row)
        # A file that is still (or newly) in the old folder shows that the folder did not go away; those in it may have.
        if row[0] and not any(path.startswith(row[0] + "/") for path in there):
            whole.append(row)
        else:
            waiting += [part for part in _parts(moves, row[0]) if len(part) >= _SEVERAL]
    return sorted((row for row in whole if _is_rename(row, moved)), key=lambda row: (-row[2], row))


def _parts(moves: list[tuple[str, str]], folder: str) -> list[list[tuple[str, str]]]:
    """Part moves by the folders directly below one."""
    start = len(folder) + 1 if folder else 0
    parts: dict[str, list[tuple[str, str]]] = {}
    for old, new in moves:
        first, _, rest = old[start:].partition("/")
        if rest:
            parts.setdefault(first, []).append((old, new))
    return list(parts.values())


def _is_rename(row: tuple[str, str, int], moved: list[tuple[str, str, int]]) -> bool:
    """Tell a rename from a folder that is split up, and from one that is emptied into another."""
    old, new, _ = row
    split = any(other[0] == old and other[1] != new for other in moved)
    merged = any(other[1] == new and other[0] != old for other in moved)
    same_leaf = old.rpartition("/")[2] == new.rpartition("/")[2]
    return not split and (same_leaf or not merged) and not old.startswith(new + "/")


def _folder_change(old: str, new: str) -> tuple[str, str] | None:
    """Take the common beginning and end off two paths; None when the file's own name changed too."""
    before, after = old.split("/"), new.split("/")
    tail = 0
    while tail < min(len(before), len(after)) and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    left, right = "/".join(before[: len(before) - tail]), "/".join(after[: len(after) - tail])
    return (left, right) if tail else None


def _shared(moves: list[tuple[str, str]]) -> tuple[str, str]:
    """Find the deepest folder that all the moves have in common, before and after."""
    folders = [(old.split("/")[:-1], new.split("/")[:-1]) for old, new in moves]
    befores, afters = zip(*folders, strict=True)
    return _common(befores), _common(afters)


def _common(paths: Sequence[list[str]]) -> str:
    """Join the components that all paths begin with."""
    shared = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)
