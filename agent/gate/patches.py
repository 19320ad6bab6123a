"""The lines of a patch with their numbers on either side."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from agent.gate.verbatim import BREAK, normal

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)")


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
    lines: list[PatchLine] = []
    old = new = hunk = 0
    for line in patch.split("\n"):
        if head := _HUNK.match(line):
            old, new, hunk = int(head[1]), int(head[2]), hunk + 1
            continue
        if not hunk or line.startswith("\\"):
            continue
        mark = line[:1] if line[:1] in ("+", "-") else " "
        lines.append(PatchLine(mark, old if mark == "-" else new, line[1:], hunk))
        old, new = old + (mark != "+"), new + (mark != "-")
    return tuple(lines)


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
