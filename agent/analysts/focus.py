"""What sentences rest on and speak of, and the lines of a text in which that is found."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agent.analysts.sentences import names_in
from agent.domain.claims import Claim
from agent.gate.text import normal

_MIN_NAME = 4  # Characters of a name or passage below which it occurs in too many lines
_MIN_LINE = 8  # Characters of a line of a passage that is looked for by itself
_MAX_PLACES = 3  # Places at which one passage is shown
_MAX_NAMED_LINES = 40  # Lines of one text that are kept because of the names in them
_DIFF_SIGNS = "+- "


class Passage(NamedTuple):
    """Words or lines that were copied from the evidence."""

    text: str
    file: str | None = None  # The path in the diff, where that is known


@dataclass(frozen=True)
class Focus:
    """What must be shown of the evidence, and what should be shown before the rest."""

    passages: tuple[Passage, ...] = ()  # Anchors and quotations: these must be shown
    names: tuple[str, ...] = ()  # Names, values and paths: lines that hold them come next

    def passage_lines(self, lines: Sequence[str], file: str | None = None) -> list[int]:
        """Return the positions of the lines that hold passages; `file` is the path of a diff."""
        positions: dict[int, None] = {}
        for passage in self.passages:
            if file is None or passage.file in (None, file):
                positions |= dict.fromkeys(_lines_with(passage.text, tuple(lines)))
        return list(positions)

    def name_lines(self, lines: Sequence[str]) -> list[int]:
        """Return the positions of lines that hold one of the names."""
        positions = []
        for position, line in enumerate(lines):
            if any(name in line for name in self.names):
                positions.append(position)
            if len(positions) == _MAX_NAMED_LINES:
                break
        return positions

    def names_in(self, text: str) -> tuple[str, ...]:
        """Return the names that occur in a text."""
        return tuple(name for name in self.names if name in text)


NO_FOCUS = Focus()


def focus_on(claims: Iterable[Claim], quotes: Iterable[str] = ()) -> Focus:
    """Return what claims rest on and name; `quotes` are further words of the evidence."""
    passages: dict[Passage, None] = {}
    names: dict[str, None] = {}
    for claim in claims:
        for anchor in claim.anchors:
            passages[Passage(anchor.text, anchor.file)] = None
        for name in (*names_in(claim.text), claim.old, claim.new):
            names[name] = None
    for quote in quotes:
        passages[Passage(quote)] = None
    return Focus(
        tuple(passage for passage in passages if len(passage.text.strip()) >= _MIN_NAME),
        tuple(name for name in names if len(name) >= _MIN_NAME and not name.isdecimal()),
    )


def _lines_with(passage: str, lines: tuple[str, ...]) -> list[int]:
    """Return the lines that hold a passage as a whole, else those that hold a line of it."""
    wanted = [bare for line in passage.splitlines() if (bare := _bare(line))]
    text = _joined(lines)
    positions = text.lines_of(" ".join(wanted))
    if positions:
        return positions
    for line in wanted:
        if len(line) >= _MIN_LINE:
            positions += text.lines_of(line)
    return positions


class _JoinedText(NamedTuple):
    """Lines without diff signs and extra white space, in one string; blank lines are left out."""

    text: str
    positions: tuple[int, ...]  # Which line each part of the string is
    starts: tuple[int, ...]  # Where each part begins

    def lines_of(self, words: str) -> list[int]:
        """Return the positions of the lines in which words stand, at the first few places."""
        lines: list[int] = []
        start = self.text.find(words) if words else -1
        for _ in range(_MAX_PLACES):
            if start < 0:
                break
            end = start + len(words)
            first = bisect_right(self.starts, start) - 1
            lines += self.positions[first : bisect_left(self.starts, end)]
            start = self.text.find(words, end)
        return lines


@lru_cache(maxsize=256)
def _joined(lines: tuple[str, ...]) -> _JoinedText:
    parts: list[str] = []
    positions: list[int] = []
    starts: list[int] = []
    length = 0
    for position, line in enumerate(lines):
        if part := _bare(line):
            parts.append(part)
            positions.append(position)
            starts.append(length)
            length += len(part) + 1
    return _JoinedText(" ".join(parts), tuple(positions), tuple(starts))


def _bare(line: str) -> str:
    """Return a line without the sign of a diff and without extra white space."""
    return normal(line[1:] if line[:1] in _DIFF_SIGNS else line)
