"""Which patches of a commit are read: those that can hold a fact, as far as limits in characters and hunks allow."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from agent.domain import FileChange
from tools.diff.demands import refusing_files
from tools.diff.hunks import Patch, read_patch
from tools.diff.interest import may_tell_whole, telling
from tools.diff.languages import reader_for
from tools.diff.readers.manifest import is_submodule_patch
from tools.diff.roles import Role, role

_PATCH_LIMIT = 2_000_000
_COMMIT_LIMIT = 1_500_000
"""Characters of hunks that are parsed; four times what the largest of two thousand real commits needed."""
_MOST_HUNKS = 3_000
_KEPT = 256
"""Patches that are kept taken apart: a commit is asked which files to read first, and then for its facts."""
_CUT = 8
"""Of a file that came or went as a whole hardly anything is parsed."""


def is_whole(file: FileChange) -> bool:
    """Tell whether the patch holds all there is of a file, on its only side."""
    return file.status in ("added", "removed")


def patches(files: Sequence[FileChange], skipped: list[str]) -> Iterator[tuple[FileChange, Patch]]:
    """Give the files that can hold facts with those of their hunks that can; what is too large is said."""
    budget, hunks = _COMMIT_LIMIT, _MOST_HUNKS
    refusing = refusing_files(files)
    for file in files:
        if file.patch is not None and is_submodule_patch(file.patch):
            patch = read_patch(file.patch)
            yield file, replace(patch, telling=patch.hunks)
            continue
        if file.patch is None or reader_for(file.path) is None or role(file.path) is Role.TEST:
            continue
        if len(file.patch) > _PATCH_LIMIT:
            skipped.append(f"{file.path}: too large to be read ({len(file.patch)} bytes of patch)")
        elif (worth := _worth_reading(file, file.patch, skipped, refusing)) is not None:
            budget, hunks = budget - _cost(file, worth), hunks - len(worth.telling)
            if budget < 0 or hunks < 0:
                skipped.append(f"{file.path}: not read, the commit is too large")
            else:
                yield file, worth


def _worth_reading(file: FileChange, text: str, skipped: list[str], refusing: Set[str]) -> Patch | None:
    """Take a patch apart if it can hold a fact; what is malformed is said."""
    whole = is_whole(file)
    if whole and not (file.path in refusing or may_tell_whole(file.path, text)):
        return None
    patch = _taken_apart(file.path, text, whole=whole)
    if patch.problem:
        skipped.append(f"{file.path}: {patch.problem}")
    if not patch.telling:
        return None
    return replace(patch, refusing=True) if file.path in refusing else patch


@lru_cache(maxsize=_KEPT)
def _taken_apart(path: str, text: str, *, whole: bool) -> Patch:
    """Take a patch apart and choose the hunks that can hold a fact: all of them, of a file that came or went."""
    patch = read_patch(text)
    return replace(patch, telling=patch.hunks if whole else telling(path, patch.hunks))


def _cost(file: FileChange, patch: Patch) -> int:
    if is_whole(file):
        return len(file.patch or "") // _CUT
    return sum(sum(map(len, hunk.lines)) for hunk in patch.telling)
