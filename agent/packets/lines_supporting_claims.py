"""The lines of a text that support claims: those that have their anchors or names."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agent.domain.claims import Claim
from agent.gate.literals import names_in
from agent.gate.searchable_evidence_text import normal

_MIN_NAME = 4  # Characters of a name or passage below which it occurs in too many lines
_MIN_LINE = 8  # Characters of a line of a passage that is looked for by itself
_MAX_PLACES = 3  # Places at which one passage is shown
_MAX_NAMED_LINES = 40  # Lines of one text that are kept because of the names in them
_DIFF_SIGNS = "+- "
_FILE_HEADING = re.compile(r"\s*--- (?P<path>\S+)")  # As packets print it above the hunks of a file


class Passage(NamedTuple):
    """Words or lines that were copied from the evidence."""

    text: str
    file: str | None = None  # The path in the diff, where that is known


@dataclass(frozen=True)
class Focus:
    """The parts of evidence that must be shown, and those to show before the rest."""

    passages: tuple[Passage, ...] = ()  # Anchors and quotations: these must be shown
    names: tuple[str, ...] = ()  # Names, values and paths: lines that hold them come next

    def passage_lines(self, lines: Sequence[str]) -> list[int]:
        """Return the positions of the lines of a text that hold passages."""
        (positions,) = self.passages_in([FocusText(tuple(lines))])
        return positions

    def passages_in(self, texts: Sequence["FocusText"]) -> list[list[int]]:
        """Return for each text the positions of the lines that hold passages.

        A passage that occurs often is looked for in a few places only.
        """
        positions: list[dict[int, None]] = [{} for _ in texts]
        for passage in self.passages:
            for location in _lines_of(passage, texts):
                positions[location.text][location.line] = None
        return [list(lines) for lines in positions]

    def name_lines(self, lines: Sequence[str]) -> list[int]:
        """Return the positions of lines that hold one of the names."""
        positions = []
        for position, line in enumerate(lines):
            if any(name in line for name in self.names):
                positions.append(position)
            if len(positions) == _MAX_NAMED_LINES:
                break
        return positions

    def touches(self, text: str) -> bool:
        """Return True if a text has a passage or a name."""
        return bool(self.names_in(text) or self.passage_lines(text.splitlines()))

    def names_in(self, text: str) -> tuple[str, ...]:
        """Return the names that occur in a text."""
        return tuple(name for name in self.names if name in text)


NO_FOCUS = Focus()


def focus_on(
    claims: Iterable[Claim], quotes: Iterable[str] = (), remarks: Iterable[str] = ()
) -> Focus:
    """Return the passages on which claims rest, and the names in their words.

    `quotes` are further words of the evidence. `remarks` are words about the claims, in English, of
    which only the names count.
    """
    passages: dict[Passage, None] = {}
    names: dict[str, None] = {}
    for claim in claims:
        for anchor in claim.anchors:
            passages[Passage(anchor.text, anchor.file)] = None
            if heading := _FILE_HEADING.match(anchor.text):
                names[heading["path"]] = None
        for name in (*names_in(claim.text), claim.old, claim.new):
            names[name] = None
    for quote in quotes:
        passages[Passage(quote)] = None
    for remark in remarks:
        names.update(dict.fromkeys(names_in({"en": remark})))
    return Focus(
        tuple(passage for passage in passages if len(passage.text.strip()) >= _MIN_NAME),
        tuple(filter(_is_looked_for, names)),
    )


def _is_looked_for(name: str) -> bool:
    return len(name) >= _MIN_NAME and not name.isdecimal()


class FocusText(NamedTuple):
    """A text in which passages are looked for."""

    lines: tuple[str, ...]
    file: str | None = None  # The path, where it is a part of a diff


class _LineIndex(NamedTuple):
    """A line by the number of its text, and its position there."""

    text: int
    line: int


def _lines_of(passage: Passage, texts: Sequence[FocusText]) -> list[_LineIndex]:
    """Return the lines that hold a passage as a whole, else those that hold one of its lines."""
    bare_lines = [_bare(line) for line in passage.text.splitlines()]
    lines = [line for line in bare_lines if line]
    indexes = _lines_with_words(" ".join(lines), passage.file, texts)
    if indexes:
        return indexes
    for line in lines:
        if len(line) >= _MIN_LINE:
            indexes += _lines_with_words(line, passage.file, texts)
    return indexes


def _lines_with_words(words: str, file: str | None, texts: Sequence[FocusText]) -> list[_LineIndex]:
    """Return the lines that hold words at their first few occurrences."""
    indexes: list[_LineIndex] = []
    count = 0
    for number, text in enumerate(texts):
        if file not in (None, text.file):
            continue
        for positions in _joined(text.lines).occurrences(words):
            indexes += [_LineIndex(number, position) for position in positions]
            count += 1
            if count == _MAX_PLACES:
                return indexes
    return indexes


class _JoinedText(NamedTuple):
    """Lines without diff signs and extra white space, in one string; blank lines are left out."""

    text: str
    positions: tuple[int, ...]  # Which line each part of the string is
    starts: tuple[int, ...]  # Where each part begins

    def occurrences(self, words: str) -> Iterator[tuple[int, ...]]:
        """Yield the positions of the lines over which each occurrence of words extends."""
        start = self.text.find(words) if words else -1
        while start >= 0:
            end = start + len(words)
            first = bisect_right(self.starts, start) - 1
            yield self.positions[first : bisect_left(self.starts, end)]
            start = self.text.find(words, end)


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
