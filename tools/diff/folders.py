"""Folders that were renamed: many renamed files, told as one."""

from collections.abc import Sequence

from agent.domain import FileChange

_SEVERAL = 3
"""Files that leave a folder together; of fewer, others that the commit does not touch are likely to stay."""


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
