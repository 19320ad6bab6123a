"""A file's patch, taken apart: which lines went, which came, and both sides of each hunk as text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from tools.diff.reading import Source

_HEADER = re.compile(r"^ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
_CHANGED = re.compile(r"[-+\\]*[-+][-+\\]*")
Side = Literal["old", "new"]


class Run(NamedTuple):
    """Changed lines of a hunk that stand next to each other."""

    first: int
    """The place of the first of them among the lines of the hunk."""
    behind: int
    """The place of the line that follows."""
    old: int
    """The number that the first line has, or would have, on the old side."""
    new: int


@dataclass(frozen=True)
class Hunk:
    """One hunk: where it stands on both sides, and its lines with their signs."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str
    lines: tuple[str, ...]

    @cached_property
    def signs(self) -> str:
        """The sign of each line; one that is all empty stayed."""
        return "".join([line[:1] or " " for line in self.lines])

    @cached_property
    def text(self) -> str:
        """All lines as one text."""
        return "\n".join(self.lines)

    @cached_property
    def changed(self) -> Sequence[str]:
        """The lines that went or came."""
        return [line for run in self.runs for line in self.lines[run.first : run.behind] if line[0] != "\\"]

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The stretches of lines that went or came."""
        signs, at, old, new = self.signs, 0, self.old_start, self.new_start
        runs: list[Run] = []
        for found in _CHANGED.finditer(signs):
            first, behind = found.span()
            stayed = first - at - signs.count("\\", at, first)
            runs.append(Run(first, behind, old + stayed, new + stayed))
            old += stayed + signs.count("-", first, behind)
            new += stayed + signs.count("+", first, behind)
            at = behind
        return tuple(runs)

    def signed(self, side: Side) -> Sequence[str]:
        """Give the lines that stood, or stand, there, with their signs."""
        return self._before if side == "old" else self._after

    @cached_property
    def _before(self) -> Sequence[str]:
        return [line for line in self.lines if not line or line[0] not in "+\\"]

    @cached_property
    def _after(self) -> Sequence[str]:
        return [line for line in self.lines if not line or line[0] not in "-\\"]

    def side(self, side: Side) -> list[str]:
        """Give the text that stood, or stands, there."""
        return [line[1:] for line in self.signed(side)]

    def span(self, side: Side) -> tuple[int, int]:
        """Give the first and the last line of one side."""
        start, count = (self.old_start, self.old_count) if side == "old" else (self.new_start, self.new_count)
        return start, start + count - 1


@dataclass(frozen=True)
class Patch:
    """All hunks of a file, and the changed lines by their numbers."""

    hunks: tuple[Hunk, ...]
    problem: str | None = None
    telling: tuple[Hunk, ...] = ()
    """The hunks that can hold a fact, once somebody has looked."""
    refusing: bool = False
    """Of a new file: whether it is read for what it refuses."""

    @property
    def removed(self) -> dict[int, str]:
        """Map old line numbers to the lines as the diff has them, with their `-`."""
        return self._changed[0]

    @property
    def added(self) -> dict[int, str]:
        """Map new line numbers to the lines as the diff has them, with their `+`."""
        return self._changed[1]

    @cached_property
    def _changed(self) -> tuple[dict[int, str], dict[int, str]]:
        removed: dict[int, str] = {}
        added: dict[int, str] = {}
        for hunk in self.hunks:
            for run in hunk.runs:
                old, new = run.old, run.new
                for line in hunk.lines[run.first : run.behind]:
                    if line[0] == "+":
                        added[new] = line
                        new += 1
                    elif line[0] == "-":
                        removed[old] = line
                        old += 1
        return removed, added

    def shown(self, side: Side, start: int, end: int) -> list[tuple[int, str]]:
        """Give the changed lines of one side between two line numbers, both included."""
        lines = self.removed if side == "old" else self.added
        if end - start < len(lines):
            return [(number, lines[number]) for number in range(start, end + 1) if number in lines]
        return sorted((number, line) for number, line in lines.items() if start <= number <= end)

    def touches(self, side: Side, start: int, end: int) -> bool:
        """Tell whether any line between two numbers changed."""
        return bool(self.shown(side, start, end))

    def kept(self, old: int) -> int | None:
        """Give the new number of a line that a hunk shows unchanged; None for any other."""
        return self._unchanged.get(old)

    @cached_property
    def _unchanged(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for hunk in self.hunks:
            old, new = hunk.old_start, hunk.new_start
            for line in hunk.lines:
                sign = line[:1]
                if sign not in ("+", "-", "\\"):
                    found[old] = new
                old += sign not in ("+", "\\")
                new += sign not in ("-", "\\")
        return found

    def together(self, old: int, new: int) -> int:
        """Tell whether an old and a new line stand in the same hunk: 2 where one stands in the other's place."""
        if old in self._runs[0] and self._runs[0][old] == self._runs[1].get(new):
            return 2
        for hunk in self.hunks:  # asked of every pair, so written out
            if 0 <= old - hunk.old_start < hunk.old_count and 0 <= new - hunk.new_start < hunk.new_count:
                return 1
        return 0

    @cached_property
    def _runs(self) -> tuple[dict[int, int], dict[int, int]]:
        """Number the stretches of changed lines: of each removed and each added line, by its number."""
        removed, added, run = dict[int, int](), dict[int, int](), 0
        for hunk in self.hunks:
            old, new = hunk.old_start, hunk.new_start
            run += 1
            for line in hunk.lines:
                sign = line[:1]
                if sign == "-":
                    removed[old] = run
                elif sign == "+":
                    added[new] = run
                else:
                    run += 1
                old += sign not in ("+", "\\")
                new += sign not in ("-", "\\")
        return removed, added


def fragment(hunk: Hunk, side: Side, path: str, *, digest: bool = False) -> Source | None:
    """Cut one side of a hunk out as a source to read; None where there is nothing on that side."""
    lines = hunk.signed(side)
    if not lines:
        return None
    first = hunk.span(side)[0]
    changed: set[int] = set()
    for run in hunk.runs:
        start = run.old if side == "old" else run.new
        changed.update(range(start, start + hunk.signs.count("-" if side == "old" else "+", run.first, run.behind)))
    text = _encoded([line[1:] for line in lines])
    return Source(path, text, first, False, hunk.heading, changed, digest=digest)


def whole_file(patch: Patch, side: Side, path: str) -> Source | None:
    """Give the side of a file that came or went as a whole; of its own declarations nothing is compared."""
    lines = [line for hunk in patch.telling for line in hunk.side(side)]
    return Source(path, _encoded(lines), changed=frozenset(), near=()) if lines else None


def _encoded(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def read_patch(text: str | None) -> Patch:
    """Take a patch apart; one that does not keep to its own line counts is a problem in words."""
    if text and not text.startswith("@@"):
        return Patch((), "line 1 of the patch is no hunk")
    hunks: list[Hunk] = []
    at = 0
    for piece in text[2:].split("\n@@") if text else ():
        first, *lines = piece.split("\n")
        header = _HEADER.match(first)
        if header is None:
            return Patch(tuple(hunks), f"line {at + 1} of the patch is no hunk")
        old, old_count, new, new_count = int(header[1]), int(header[2] or 1), int(header[3]), int(header[4] or 1)
        hunk = Hunk(old, old_count, new, new_count, header[5], tuple(lines))
        if problem := _misfit(hunk, at + 1):
            return Patch(tuple(hunks), problem)
        hunks.append(hunk)
        at += 1 + len(lines)
    return Patch(tuple(hunks))


def _misfit(hunk: Hunk, before: int) -> str | None:
    """Say in what a hunk is not what its header says."""
    signs = hunk.signs
    added, removed, told = signs.count("+"), signs.count("-"), signs.count("\\")
    context = signs.count(" ")
    if added + removed + told + context < len(signs):
        wrong = next(at for at, sign in enumerate(signs) if sign not in "+- \\")
        return f"line {before + wrong + 1} of the patch has no sign"
    if removed + context < hunk.old_count or added + context < hunk.new_count:
        return f"the hunk before line {before + len(signs) + 1} of the patch is cut off"
    if removed + context > hunk.old_count or added + context > hunk.new_count:
        return f"the hunk before line {before + len(signs) + 1} of the patch has more lines than it says"
    return None
