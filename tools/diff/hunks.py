"""A file's patch, taken apart: which lines went, which came, and both sides of each hunk as text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tools.diff.reading import Source

_HEADER = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
Side = Literal["old", "new"]


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk: where it stands on both sides, and its lines with their signs."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str
    lines: tuple[str, ...]

    def side(self, side: Side) -> tuple[int, list[str], set[int]]:
        """Give the first line's number, the text that stood, or stands, there, and which of its lines changed."""
        keep, start = ("-", self.old_start) if side == "old" else ("+", self.new_start)
        kept = [line for line in self.lines if line[:1] == keep or line[:1] == " " or not line]
        changed = {start + place for place, line in enumerate(kept) if line[:1] == keep}
        return start, [line[1:] for line in kept], changed

    def span(self, side: Side) -> tuple[int, int]:
        """Give the first and the last line of one side."""
        start, count = (self.old_start, self.old_count) if side == "old" else (self.new_start, self.new_count)
        return start, start + count - 1

    def holds(self, side: Side, line: int) -> bool:
        """Tell whether a line of one side is in this hunk."""
        start, last = self.span(side)
        return start <= line <= last


@dataclass(frozen=True, slots=True)
class Patch:
    """All hunks of a file, and the changed lines by their numbers."""

    hunks: tuple[Hunk, ...]
    removed: dict[int, str]
    """Old line number → the line as the diff has it, with its `-`."""
    added: dict[int, str]
    """New line number → the line as the diff has it, with its `+`."""
    problem: str | None = None
    telling: tuple[Hunk, ...] = ()
    """The hunks that can hold a fact, once somebody has looked."""

    def shown(self, side: Side, start: int, end: int) -> list[tuple[int, str]]:
        """Give the changed lines of one side between two line numbers, both included."""
        lines = self.removed if side == "old" else self.added
        if end - start < len(lines):
            return [(number, lines[number]) for number in range(start, end + 1) if number in lines]
        return sorted((number, line) for number, line in lines.items() if start <= number <= end)

    def touches(self, side: Side, start: int, end: int) -> bool:
        """Tell whether any line between two numbers changed."""
        return bool(self.shown(side, start, end))

    def together(self, old: int, new: int) -> bool:
        """Tell whether an old and a new line stand in the same hunk."""
        return any(hunk.holds("old", old) and hunk.holds("new", new) for hunk in self.hunks)


def fragment(hunk: Hunk, side: Side, path: str, *, digest: bool = False) -> Source | None:
    """Cut one side of a hunk out as a source to read; None where there is nothing on that side."""
    start, lines, changed = hunk.side(side)
    return Source(path, _encoded(lines), start, False, hunk.heading, changed, digest=digest) if lines else None


def whole_file(patch: Patch, side: Side, path: str) -> Source | None:
    """Give the side of a file that came or went as a whole; of its own declarations nothing is compared."""
    lines = [line for hunk in patch.telling for line in hunk.side(side)[1]]
    return Source(path, _encoded(lines), changed=frozenset(), near=()) if lines else None


def _encoded(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def read_patch(text: str | None) -> Patch:
    """Take a patch apart; one that does not keep to its own line counts is a problem in words."""
    hunks: list[Hunk] = []
    removed: dict[int, str] = {}
    added: dict[int, str] = {}
    lines = text.split("\n") if text else []
    at = 0
    while at < len(lines):
        header = _HEADER.match(lines[at])
        if header is None:
            return Patch(tuple(hunks), removed, added, f"line {at + 1} of the patch is no hunk")
        old = old_first = int(header[1])
        new = new_first = int(header[3])
        old_left = old_count = int(header[2] or 1)
        new_left = new_count = int(header[4] or 1)
        first = at = at + 1
        while at < len(lines) and (old_left > 0 or new_left > 0 or lines[at][:1] == "\\"):
            line = lines[at]
            sign = line[:1]
            if sign == "+":
                added[new] = line
                new, new_left = new + 1, new_left - 1
            elif sign == "-":
                removed[old] = line
                old, old_left = old + 1, old_left - 1
            elif sign == " " or line == "":
                old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
            elif sign != "\\":
                return Patch(tuple(hunks), removed, added, f"line {at + 1} of the patch has no sign")
            at += 1
        if old_left or new_left:
            return Patch(tuple(hunks), removed, added, f"the hunk before line {at + 1} of the patch is cut off")
        hunks.append(Hunk(old_first, old_count, new_first, new_count, header[5], tuple(lines[first:at])))
    return Patch(tuple(hunks), removed, added)
