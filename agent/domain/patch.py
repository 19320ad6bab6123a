"""The patch of one file: its hunks, and the lines that went and came by their numbers."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

Side = Literal["old", "new"]
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_SIGNS = {"old": " -", "new": " +"}
_DEFINED = re.compile(
    r"(?:def|class|fn|func|function|struct|enum|trait|impl|interface|namespace|module|type|union)\s+([A-Za-z_]\w{3,60})"
)
_DEFINITION = re.compile(
    r"\s*(?:(?:async|pub(?:\([a-z]{1,10}\))?|export|default|abstract|static|unsafe|const|public)\s+){0,4}"
    r"(?:def|class|fn|func|function|struct|enum|trait|impl|interface|type|union)\s+"
    r"(?:\([^()]{0,100}\)\s*)?([A-Za-z_]\w{1,60})"
)
"""A line that begins a definition; the brackets before a name hold the receiver of Go's methods."""
_CALLED = re.compile(r"([A-Za-z_]\w{3,60})\s*\(")
_DISTINCT = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*[A-Za-z0-9][_-][\w-]*\w)|(?=__)|(?=[a-z]+[A-Z]))[A-Za-z_][\w-]{3,60}"
)
_MAX_PATCH = 200_000  # Characters of a patch in which names are looked for
_MAX_KEPT_PATCH = 50_000  # Characters of a patch that is kept for whoever reads it next
_MAX_LINE = 400  # Characters of a line in which names are looked for


class _Definition(NamedTuple):
    """A definition around a line, and how far it is indented; a heading has no indentation."""

    indent: int
    name: str


class NumberedLine(NamedTuple):
    """A line of a hunk: its sign, its number in the old or new file, and its text with the sign."""

    sign: str
    number: int
    text: str


@dataclass(frozen=True)
class Hunk:
    """One hunk: where it stands on both sides, git's heading, and its lines with their signs."""

    old_start: int
    new_start: int
    heading: str
    lines: tuple[str, ...]

    def side(self, side: Side) -> list[str]:
        """Return the lines of the hunk on one side: before or after the change."""
        signs = _SIGNS[side]
        return [line[1:] for line in self.lines if (line[:1] or " ") in signs]

    def start(self, side: Side) -> int:
        """Return the number of the first line of one side."""
        return self.old_start if side == "old" else self.new_start

    def numbered(self) -> Iterator[NumberedLine]:
        """Yield each line with its number: of a removed line in the old file, else in the new one."""
        old_number = self.old_start
        new_number = self.new_start
        for line in self.lines:
            if line.startswith("\\"):
                continue  # Git's remark that the file ends without a line break
            sign = line[:1] if line[:1] in ("+", "-") else " "
            yield NumberedLine(sign, old_number if sign == "-" else new_number, line)
            if sign != "+":
                old_number += 1
            if sign != "-":
                new_number += 1

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
        """Return the changed lines of one side with their signs, by their numbers."""
        return self._removed if side == "old" else self._added

    def within(self, side: Side, first: int, last: int) -> list[tuple[int, str]]:
        """Return the changed lines of one side between two line numbers, both included."""
        lines = self.lines(side)
        if last - first < len(lines):
            return [(number, lines[number]) for number in range(first, last + 1) if number in lines]
        return sorted(entry for entry in lines.items() if first <= entry[0] <= last)

    def ranges(self, side: Side) -> list[tuple[int, int]]:
        """Return the stretches of changed lines of one side.

        Where lines only went, it is their place on the other side.
        """
        ranges: list[tuple[int, int]] = []
        for hunk in self.hunks:
            number = hunk.start(side)
            for line in hunk.lines:
                sign = line[:1] or " "
                if sign in "+-":
                    _extend(ranges, number)
                if sign in _SIGNS[side]:
                    number += 1
        return ranges

    @cached_property
    def _removed(self) -> dict[int, str]:
        return self._lines_with("-")

    @cached_property
    def _added(self) -> dict[int, str]:
        return self._lines_with("+")

    def _lines_with(self, sign: str) -> dict[int, str]:
        lines = {}
        for hunk in self.hunks:
            for line in hunk.numbered():
                if line.sign == sign:
                    lines[line.number] = line.text
        return lines


def _extend(ranges: list[tuple[int, int]], number: int) -> None:
    """Add a line to the last of some ranges if it follows it, else as a new range."""
    if ranges:
        first, last = ranges[-1]
        if number <= last + 1:
            ranges[-1] = (first, max(last, number))
            return
    ranges.append((number, number))


def cut_hunks(patch: str) -> list[str]:
    """Cut a patch before the header of each hunk; no line of content begins with `@@`."""
    return [f"@@ {part}" for part in f"\n{patch}".split("\n@@ ")[1:]]


def read_hunks(patch: str) -> list[Hunk]:
    """Return the hunks with a readable header, whether or not they have the lines that it says."""
    hunks = []
    for text in cut_hunks(patch):
        header = _HEADER.match(text)
        if header is not None:
            hunks.append(_hunk(header, text))
    return hunks


def _hunk(header: re.Match[str], text: str) -> Hunk:
    lines = text.split("\n")[1:]
    return Hunk(int(header[1]), int(header[3]), header[5], tuple(lines))


def touched_names(patch: str) -> Iterator[str]:
    """Yield the functions and classes that hunks define, or lie in by git's headings."""
    for hunk in read_hunks(patch[:_MAX_PATCH]):
        heading = hunk.heading[:_MAX_LINE]
        enclosing = _DEFINED.search(heading) or _CALLED.search(heading)
        if enclosing:
            yield enclosing[1]
        for line in hunk.changed:
            definition = _DEFINED.match(line[1:_MAX_LINE].strip())
            if definition:
                yield definition[1]


def changed_definitions(patch: str) -> Iterator[str]:
    """Yield the functions and classes whose definition a hunk changes, as far as it shows them."""
    for hunk in read_hunks(patch[:_MAX_PATCH]):
        around: list[_Definition] = []
        heading = _DEFINITION.match(hunk.heading[:_MAX_LINE])
        if heading:
            around.append(_Definition(-1, heading[1]))
        for line in hunk.lines:
            text = line[1:_MAX_LINE]
            if not text.strip():
                continue
            indent = len(text) - len(text.lstrip())
            definition = _DEFINITION.match(text)
            if definition:
                # What the heading names goes on up to a definition that is not indented.
                around = [outer for outer in around if outer.indent < indent and indent > 0]
                around.append(_Definition(indent, definition[1]))
            if line[:1] in ("+", "-"):
                for enclosing in around:
                    if enclosing.indent < indent or definition:
                        yield enclosing.name


def written_names(patch: str) -> Iterator[str]:
    """Yield what stands on the changed lines themselves and is a name, not a plain word."""
    for hunk in read_hunks(patch[:_MAX_PATCH]):
        for line in hunk.changed:
            for name in _DISTINCT.finditer(line[1:_MAX_LINE]):
                yield name[0].rstrip("-")


def read_patch(text: str | None) -> Patch:
    """Return a patch; of one that has not the lines it counts, the hunks before the fault.

    A file of the day is read for its facts, its links and its stories: most patches that are asked
    for were read just before.
    """
    if text is None or len(text) > _MAX_KEPT_PATCH:
        return _read_patch(text)
    return _kept_patch(text)


@lru_cache(maxsize=256)
def _kept_patch(text: str) -> Patch:
    return _read_patch(text)


def _read_patch(text: str | None) -> Patch:
    if text and not text.startswith("@@"):
        return Patch(problem="the patch does not begin with a hunk")
    hunks: list[Hunk] = []
    for piece in cut_hunks(text or ""):
        header = _HEADER.match(piece)
        if header is None:
            return Patch(tuple(hunks), "the header of a hunk cannot be read")
        hunk = _hunk(header, piece)
        if not _fits(hunk, int(header[2] or 1), int(header[4] or 1)):
            return Patch(
                tuple(hunks), f"the hunk at line {header[3]} has not the lines that its header says"
            )
        hunks.append(hunk)
    return Patch(tuple(hunks))


def _fits(hunk: Hunk, old_count: int, new_count: int) -> bool:
    """Return True if a hunk has as many lines of each side as its header says."""
    signs = Counter(line[:1] or " " for line in hunk.lines)
    if signs.keys() - {" ", "-", "+", "\\"}:
        return False
    context = signs[" "]
    return signs["-"] + context == old_count and signs["+"] + context == new_count
