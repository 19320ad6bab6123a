"""The lines of a patch with their numbers on either side."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from agent.domain.patch import read_hunks
from agent.gate.verbatim import BREAK, normal


class PatchLine(NamedTuple):
    """One line of a hunk; a removed line is numbered in the old file, any other in the new one."""

    mark: str
    """`+`, `-` or a space."""
    number: int
    text: str
    hunk: int


@lru_cache(maxsize=512)
def patch_lines(patch: str) -> tuple[PatchLine, ...]:
    """Read the lines of all hunks."""
    return tuple(
        PatchLine(mark, number, line[1:], place)
        for place, hunk in enumerate(read_hunks(patch), start=1)
        for mark, number, line in hunk.numbered()
    )


@lru_cache(maxsize=512)
def readings(patch: str, start: int | None, end: int | None) -> tuple[str, ...]:
    """Give the normalised forms in which people quote a patch, within a range of lines.

    With the signs of a diff, without them, and each side by itself: the file as it was, the file as it became.
    """
    lines = [line for line in patch_lines(patch) if (start or 0) <= line.number <= (end or start or line.number)]
    return (
        _joined(lines, lambda line: line.mark.strip() + line.text.strip()),
        _joined(lines, lambda line: line.text),
        _joined((line for line in lines if line.mark != "-"), lambda line: line.text),
        _joined((line for line in lines if line.mark != "+"), lambda line: line.text),
    )


def _joined(lines: Iterable[PatchLine], form: Callable[[PatchLine], str]) -> str:
    hunks = groupby(lines, key=lambda line: line.hunk)
    return BREAK.join(normal("\n".join(form(line) for line in hunk)) for _, hunk in hunks)
