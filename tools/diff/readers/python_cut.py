"""Leaves out of a Python text what nobody asks about: bodies that a commit left alone, plain statements in the others.

Parsing takes most of the time of reading a file, and most of a file is bodies. Line numbers stay what they are. Strings
and indentation are all that is looked at, so the parser has the last word: a cut text that does not parse is no use.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Final

from tools.diff.readers.python_mentions import declaring, told

SMALL: Final = 4_000
"""A text that is parsed faster than it is cut."""
SMALL_FRAGMENT: Final = 1_000
SIGNATURE: Final = 300
"""How many lines a signature may have."""
QUOTES: Final = re.compile(rb"\"\"\"|'''")
SINGLE: Final = b"'''"
DOUBLE: Final = re.compile(rb"\"\"\"")
"""The same where nobody writes the others: one literal is found far faster than two."""
DEFINITIONS: Final = (b"def ", b"class ")
MARGIN: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*([ \t]+)")
NAMED: Final = re.compile(rb"def\s+\w+")
GOES_ON: Final = re.compile(rb"(?:else|elif|except|finally)\b")
COMMENT: Final = re.compile(rb"[ \t]+#[^\n]*$")
NO_BRACKETS: Final = bytes(set(range(256)) - set(b"()[]{}"))
ONE_PAIR: Final = bytes.maketrans(b"[{]}", b"(())")


@dataclass(frozen=True, slots=True)
class Gap:
    """Something left out: where its stand-in begins and ends, and where it did itself."""

    here: tuple[int, int]
    there: tuple[int, int]


def began(gaps: Sequence[Gap], offset: int) -> int:
    """Say where something that begins here began in the whole text."""
    index = bisect_right(gaps, offset, key=lambda gap: gap.here[0]) - 1
    if index < 0:
        return offset
    gap = gaps[index]
    return gap.there[0] if offset < gap.here[1] else gap.there[1] + offset - gap.here[1]


def ended(gaps: Sequence[Gap], offset: int) -> int:
    """Say where something that ends here ended in the whole text."""
    index = bisect_left(gaps, offset, key=lambda gap: gap.here[0]) - 1
    return offset if index < 0 else gaps[index].there[1] + max(0, offset - gaps[index].here[1])


def cut(text: bytes, near: Sequence[tuple[int, int]] | None) -> tuple[bytes, tuple[Gap, ...]]:
    """Leave out the bodies outside of spans of lines, unless they declare what users set, and inside plain statements.

    Where no spans are given, all is inside; where there are none, all is outside and of functions only names are kept.
    """
    if len(text) < (SMALL if near is not None else SMALL_FRAGMENT):
        return text, ()
    strings = long_strings(text)
    if strings is None:
        return text, ()
    parts: list[bytes] = []
    gaps: list[Gap] = []
    at = size = 0
    for start, end, instead in _Outline(text, strings, near).bodies():
        size += start - at
        filled = instead + b"\n" * text.count(b"\n", start, end)
        parts += (text[at:start], filled)
        gaps.append(Gap((size, size + len(filled)), (start, end)))
        size += len(filled)
        at = end
    return b"".join([*parts, text[at:]]), tuple(gaps)


class _Outline:
    """Where functions and classes begin and end in a text."""

    def __init__(self, text: bytes, strings: list[tuple[int, int]], near: Sequence[tuple[int, int]] | None) -> None:
        self._text = text
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
        self._strings = strings
        self._string_starts = [start for start, _ in self._strings]
        spans = [(1, len(self._lines))] if near is None else near
        self._near = sorted((self._offset(first), self._offset(last + 1)) for first, last in spans)
        self._declaring = sorted(declaring(text))

    def bodies(self) -> list[tuple[int, int, bytes]]:
        """List what can be left out: where it begins and ends, and what has to stand there instead."""
        found: list[tuple[int, int, bytes]] = []
        done = 0
        for start, indent in self._definitions():
            if start < done or self._text.startswith(b"class", start) or self._in_string(start):
                continue
            end = self._end(start, indent)
            declares = _meets(self._declaring, start, end)
            if not declares and not self._near:
                found.append((start, end, self._name(start)))
                done = end
            elif (body := self._head_end(start)) is not None:
                if declares or _meets(self._near, start, end):
                    found += self._statements(body, end)
                elif body < end:
                    found.append((body, end, indent + b" ..."))
                done = end
        return found

    def _statements(self, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
        """Give the statements of a body that tell of nothing, those that follow one another as one."""
        steps = self._steps(start, end)
        telling = self._telling(start, end)
        since: int | None = None
        for first, last in pairwise([*steps, end]):
            if _meets(telling, first, last):
                if since is not None:
                    yield since, first, self._stand_in(since)
                since = None
            elif since is None:
                since = first
        if since is not None:
            yield since, end, self._stand_in(since)

    def _telling(self, start: int, end: int) -> list[tuple[int, int]]:
        """List the places of a body that declare or tell something."""
        first, last = bisect_left(self._declaring, (start, 0)), bisect_left(self._declaring, (end, 0))
        declared = self._declaring[max(0, first - 1) : last]
        if not self._near:
            return declared
        return sorted((*declared, *((start + one, start + other) for one, other in told(self._text[start:end]))))

    def _name(self, start: int) -> bytes:
        """Give a function that has the name of the one that begins here and nothing else of it."""
        named = NAMED.match(self._text, start)
        return (b"def _" if named is None else named[0]) + b"(): ..."

    def _stand_in(self, start: int) -> bytes:
        line = self._text[start : self._text.find(b"\n", start) + 1]
        return line[: len(line) - len(line.lstrip())] + b"0"

    def _steps(self, start: int, end: int) -> list[int]:
        """List the lines with which the statements of a body begin; a decorator belongs to what it decorates."""
        text, steps = self._text, list[int]()
        margin = MARGIN.match(text, start, end)
        decorated = False
        for found in _outdent(len(margin[1])).finditer(text, start - 1, end) if margin is not None else ():
            at = found.start() + 1
            if not (GOES_ON.match(text, found.end()) or self._in_string(at) or decorated):
                steps.append(at)
            decorated = text.startswith(b"@", found.end())
        return steps

    def _definitions(self) -> list[tuple[int, bytes]]:
        """List where functions and classes begin, and what their lines begin with."""
        text = self._text
        found: list[tuple[int, bytes]] = []
        for word in DEFINITIONS:
            at = text.find(word)
            while at >= 0:
                before = text[text.rfind(b"\n", 0, at) + 1 : at]
                if not before or before.isspace():
                    found.append((at, before))
                elif before.strip() == b"async":
                    found.append((at, before[: before.index(b"a")]))
                at = text.find(word, at + len(word))
        return sorted(found)

    def _offset(self, line: int) -> int:
        return self._lines[max(line, 1) - 1] if line <= len(self._lines) else len(self._text)

    def _line(self, offset: int) -> int:
        return bisect_right(self._lines, offset)

    def _in_string(self, offset: int) -> bool:
        index = bisect_left(self._string_starts, offset) - 1
        return index >= 0 and offset < self._strings[index][1]

    def _end(self, start: int, indent: bytes) -> int:
        """Find the next line that stands no deeper, other than in a string or as the end of a bracket."""
        for found in _outdent(len(indent)).finditer(self._text, start):
            if not self._in_string(found.start() + 1):
                return found.start() + 1
        return len(self._text)

    def _head_end(self, start: int) -> int | None:
        """Find where the line of the colon ends; None where the body stands on the same line."""
        depth, line = 0, self._line(start)
        for number in range(line, min(line + SIGNATURE, len(self._lines))):
            end = self._lines[number]
            text = self._text[start:end].rstrip()
            if b"#" in text:
                text = COMMENT.sub(b"", text)
            # Each bracket as a sign of one pair: what opens counts twice in what is left, less all of it.
            signs = text.translate(ONE_PAIR, NO_BRACKETS)
            depth += 2 * signs.count(b"(") - len(signs)
            if depth == 0:
                return end if text.endswith(b":") else None
            start = end
        return None


def _meets(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether any of these spans, which do not overlap, has something of another."""
    index = bisect_left(spans, (end, 0)) - 1
    return index >= 0 and spans[index][1] > start


@cache
def _outdent(width: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}+(?=[^\s#)\]}])" % min(width, 100))


def long_strings(text: bytes) -> list[tuple[int, int]] | None:
    """Find what stands between triple quotes; None where they do not pair."""
    spans: list[tuple[int, int]] = []
    quote, since = b"", 0
    for found in (QUOTES if SINGLE in text else DOUBLE).finditer(text):
        if not quote:
            quote, since = found[0], found.start()
        elif found[0] == quote:
            spans.append((since, found.end()))
            quote = b""
    return None if quote else spans
