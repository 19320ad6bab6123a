"""A name for what a commit changes, equal for the same change elsewhere and mirrored for the change that undoes it.

`git patch-id` cannot be had from a change: file modes, the hashes of binary files and the content behind a pure rename
are not in it. It is also another one as soon as a neighbouring line changes, and git's diffs are not symmetric: undoing
a commit may show other lines than the commit did. So our name takes, for each file, its paths and which lines it has
more and which it has fewer, counted without white space and without order: that is the same whatever way the lines
were matched.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from agent.domain import FileChange
from tools.diff2.roles import Role, role

_WRITTEN_BY_TOOLS = (Role.LOCK, Role.GENERATED, Role.VENDORED)
_SIZE = 16
_SAMPLE = 64
_NOWHERE = b"/dev/null"
# Odd, so that different checksums stay different.
_MINUS = 0x9E3779B1
_PLUS = 0x85EBCA6B


@dataclass(frozen=True, slots=True)
class PatchIds:
    """The names of a change and of its opposite."""

    forward: str
    reverse: str
    lines: int
    """How many lines there are more or fewer; without any (a binary file, a new order) the name tells nothing."""
    sketch: frozenset[int]
    """A sample of the lines with their signs, the same for everybody: those with the smallest hashes. What tools write
    (lock files) is left out: it would outweigh the change."""
    mirrored: frozenset[int]
    """The same sample of the opposite change."""


def likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """Estimate from two samples how many of the lines of two changes are common to both, from 0 to 1."""
    if one.isdisjoint(other):
        return 0.0
    union = sorted(one | other)[:_SAMPLE]
    return sum(line in one and line in other for line in union) / len(union)


def patch_ids(files: Iterable[FileChange]) -> PatchIds:
    """Name a change and its opposite in one pass over its patches."""
    forward, reverse, lines = [], [], 0
    hashes: list[int] = []
    mirrored: list[int] = []
    for file in files:
        removed, added = _changed(file.patch or "")
        old, new = _paths(file)
        gone, come = _digest(sorted(removed)), _digest(sorted(added))
        forward.append(_digest([old, new, gone, come]))
        reverse.append(_digest([new, old, come, gone]))
        lines += len(removed) + len(added)
        if role(file.path) in _WRITTEN_BY_TOOLS:
            continue
        seed = crc32(b"\n".join(sorted({old, new})))
        less, more = [crc32(line, seed) for line in set(removed)], [crc32(line, seed) for line in set(added)]
        hashes += _smallest(less, _MINUS) + _smallest(more, _PLUS)
        mirrored += _smallest(less, _PLUS) + _smallest(more, _MINUS)
    name, opposite = (_digest(sorted(side)).hex() for side in (forward, reverse))
    return PatchIds(name, opposite, lines, _sample(hashes), _sample(mirrored))


def patch_id(files: Iterable[FileChange]) -> str:
    """Name a change: equal for a commit, its cherry-pick and its re-land."""
    return patch_ids(files).forward


def reverse_patch_id(files: Iterable[FileChange]) -> str:
    """Name the change that would undo this one: equal to the name of the commit's revert."""
    return patch_ids(files).reverse


def _changed(patch: str) -> tuple[list[bytes], list[bytes]]:
    """List the lines of which there are fewer and more than before; a line that only moved is in neither."""
    removed, added = [], []
    for line in _bytes(patch).split(b"\n"):
        # A slice, because a byte taken by its index is a number.
        if line[:1] == b"+":
            added.append(b"".join(line[1:].split()))
        elif line[:1] == b"-":
            removed.append(b"".join(line[1:].split()))
    if removed and added:
        less, more = Counter(removed), Counter(added)
        removed, added = [*(less - more).elements()], [*(more - less).elements()]
    return [line for line in removed if line], [line for line in added if line]


def _paths(file: FileChange) -> tuple[bytes, bytes]:
    """Say where the file was and where it is."""
    path = _bytes(file.path)
    if file.status == "added":
        return _NOWHERE, path
    if file.status == "removed":
        return path, _NOWHERE
    return (_bytes(file.previous_path) if file.status == "renamed" and file.previous_path else path), path


def _smallest(hashes: list[int], factor: int) -> list[int]:
    """Mix the checksums of lines with their sign, which spreads them evenly, and keep the smallest."""
    return sorted([(number * factor) & 0xFFFFFFFF for number in hashes])[:_SAMPLE]


def _sample(hashes: list[int]) -> frozenset[int]:
    """Keep the smallest hashes of all files."""
    return frozenset(sorted(set(hashes))[:_SAMPLE])


def _bytes(text: str) -> bytes:
    """Encode a text that may hold anything."""
    return text.encode("utf-8", "surrogatepass")


def _digest(parts: list[bytes]) -> bytes:
    """Digest some texts in their order."""
    return hashlib.blake2b(b"\n".join(parts), digest_size=_SIZE).digest()
