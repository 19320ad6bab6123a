"""Folders that were renamed: many renamed files, told as one."""

from collections.abc import Sequence

from agent.domain import FileChange


def renamed_folders(files: Sequence[FileChange]) -> list[tuple[str, str, int]]:
    """Find folders that became other folders: old, new, and how many files moved along, most first."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for file in files:
        if file.status == "renamed" and file.previous_path is not None:
            change = _folder_change(file.previous_path, file.path)
            if change is not None:
                groups.setdefault(change, []).append((file.previous_path, file.path))
    # A file that is still (or newly) in the old folder shows that the folder did not go away.
    there = [file.path for file in files if file.status != "removed"]
    found = []
    for moves in groups.values():
        old, new = _shared(moves)
        if len(moves) > 1 and not any(path.startswith(old + "/") for path in there) and not old.startswith(new + "/"):
            found.append((old, new, len(moves)))
    return sorted(found, key=lambda row: (-row[2], row))


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
