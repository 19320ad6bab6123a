"""The patch of one file, taken apart: its hunks, and the lines that went and came by their numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Side = Literal["old", "new"]
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_SIGNS = {"old": " -", "new": " +"}
_DEFINED = re.compile(
    r"(?:def|class|fn|func|function|struct|enum|trait|impl|interface|namespace|module|type|union)\s+([A-Za-z_]\w{3,60})"
)
_CALLED = re.compile(r"([A-Za-z_]\w{3,60})\s*\(")
_DISTINCT = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*[A-Za-z0-9][_-][\w-]*\w)|(?=__)|(?=[a-z]+[A-Z]))[A-Za-z_][\w-]{3,60}"
)
_READ, _WIDEST = 200_000, 400  # Characters of a patch and of a line in which names are looked for


@dataclass(frozen=True)
class Hunk:
    """One hunk: where it stands on both sides, the heading that git gives it, and its lines with their signs."""

    old_start: int
    new_start: int
    heading: str
    lines: tuple[str, ...]

    def side(self, side: Side) -> list[str]:
        """Give the text that stood, or stands, there."""
        signs = _SIGNS[side]
        return [line[1:] for line in self.lines if (line[:1] or " ") in signs]

    def start(self, side: Side) -> int:
        """Give the number of the first line of one side."""
        return self.old_start if side == "old" else self.new_start

    def numbered(self) -> Iterator[tuple[str, int, str]]:
        """Give each line behind its sign and its number: of a removed line in the old file, else in the new one."""
        old, new = self.old_start, self.new_start
        for line in self.lines:
            if line[:1] != "\\":
                sign = line[:1] if line[:1] in ("+", "-") else " "
                yield sign, old if sign == "-" else new, line
                old, new = old + (sign != "+"), new + (sign != "-")

    @property
    def changed(self) -> tuple[str, ...]:
        """The lines that went or came, with their signs."""
        return tuple(line for line in self.lines if line[:1] in ("+", "-"))


@dataclass(frozen=True)
class Patch:
    """All hunks of a file."""

    hunks: tuple[Hunk, ...] = ()
    problem: str | None = None  # Why the rest of the patch could not be read

    def lines(self, side: Side) -> dict[int, str]:
        """Map the line numbers of one side to its changed lines, with their signs."""
        return self._removed if side == "old" else self._added

    def within(self, side: Side, first: int, last: int) -> list[tuple[int, str]]:
        """Give the changed lines of one side between two line numbers, both included."""
        lines = self.lines(side)
        if last - first < len(lines):
            return [(number, lines[number]) for number in range(first, last + 1) if number in lines]
        return sorted(entry for entry in lines.items() if first <= entry[0] <= last)

    def ranges(self, side: Side) -> list[tuple[int, int]]:
        """Give the stretches of changed lines of one side; where lines only went, the place on the other side."""
        found: list[tuple[int, int]] = []
        for hunk in self.hunks:
            number = hunk.start(side)
            for line in hunk.lines:
                sign = line[:1] or " "
                if sign in "+-":
                    if found and number <= found[-1][1] + 1:
                        found[-1] = (found[-1][0], max(found[-1][1], number))
                    else:
                        found.append((number, number))
                number += sign in _SIGNS[side]
        return found

    @cached_property
    def _removed(self) -> dict[int, str]:
        return {
            number: line
            for hunk in self.hunks
            for sign, number, line in hunk.numbered()
            if sign == "-"
        }

    @cached_property
    def _added(self) -> dict[int, str]:
        return {
            number: line
            for hunk in self.hunks
            for sign, number, line in hunk.numbered()
            if sign == "+"
        }


def cut_hunks(patch: str) -> list[str]:
    """Cut a patch before the header of each hunk; no line of content begins with `@@`."""
    return [f"@@ {part}" for part in f"\n{patch}".split("\n@@ ")[1:]]


def read_hunks(patch: str) -> list[Hunk]:
    """Read the hunks whose headers can be read, whether or not they have the lines that those say."""
    pairs = ((text.split("\n"), _HEADER.match(text)) for text in cut_hunks(patch))
    return [
        Hunk(int(head[1]), int(head[3]), head[5], tuple(lines[1:])) for lines, head in pairs if head
    ]


def touched_names(patch: str) -> Iterator[str]:
    """Name the functions and classes that hunks lie in, by what git prints at their heads, or define."""
    for hunk in read_hunks(patch[:_READ]):
        head = hunk.heading[:_WIDEST]
        if found := _DEFINED.search(head) or _CALLED.search(head):
            yield found[1]
        yield from (
            found[1] for line in hunk.changed if (found := _DEFINED.match(line[1:_WIDEST].strip()))
        )


def written_names(patch: str) -> Iterator[str]:
    """Name what stands on the changed lines themselves, as far as it is a name and no plain word."""
    for hunk in read_hunks(patch[:_READ]):
        yield from (
            found[0].rstrip("-")
            for line in hunk.changed
            for found in _DISTINCT.finditer(line[1:_WIDEST])
        )


def read_patch(text: str | None) -> Patch:
    """Take a patch apart; of one that does not keep to its own line counts the hunks before the fault are kept."""
    if text and not text.startswith("@@"):
        return Patch(problem="the patch does not begin with a hunk")
    hunks: list[Hunk] = []
    for piece in cut_hunks(text or ""):
        header = _HEADER.match(piece)
        if header is None:
            return Patch(tuple(hunks), "the header of a hunk cannot be read")
        hunk = Hunk(int(header[1]), int(header[3]), header[5], tuple(piece.split("\n")[1:]))
        if not _fits(hunk, int(header[2] or 1), int(header[4] or 1)):
            return Patch(
                tuple(hunks), f"the hunk at line {header[3]} has not the lines that its header says"
            )
        hunks.append(hunk)
    return Patch(tuple(hunks))


def _fits(hunk: Hunk, old: int, new: int) -> bool:
    signs = [line[:1] or " " for line in hunk.lines]
    context = signs.count(" ")
    known = context + signs.count("-") + signs.count("+") + signs.count("\\") == len(signs)
    return known and signs.count("-") + context == old and signs.count("+") + context == new
