"""Leaves out of a Python text what nobody asks about: the bodies of functions that a commit did not touch.

Parsing takes most of the time of reading a file, and most of a file is bodies. Line numbers stay what they are. Strings
and indentation are all that is looked at, so the parser has the last word: a cut text that does not parse is no use.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from functools import cache
from itertools import accumulate
from typing import Final

from tools.diff.readers.python_mentions import declaring

SMALL: Final = 4_000
"""A text that is parsed faster than it is cut."""
SIGNATURE: Final = 300
"""How many lines a signature may have."""
QUOTES: Final = re.compile(rb"\"\"\"|'''")
DEFINITIONS: Final = (b"def ", b"class ")
CHECK: Final = re.compile(rb"(?:raise|assert|warn)\b")
COMMENT: Final = re.compile(rb"[ \t]+#[^\n]*$")
NO_BRACKETS: Final = bytes(set(range(256)) - set(b"()[]{}"))
ONE_PAIR: Final = bytes.maketrans(b"[{]}", b"(())")


def cut(text: bytes, near: Sequence[tuple[int, int]], changed: Set[int]) -> bytes:
    """Blank the bodies outside the spans of lines that declare nothing a user sets; what a changed head has is kept."""
    if len(text) < SMALL:
        return text
    strings = _long_strings(text)
    if strings is None:
        return text
    outline = _Outline(text, strings, near, changed)
    parts: list[bytes] = []
    at = 0
    for start, end, indent in outline.bodies():
        parts += (text[at:start], indent, b" ...", b"\n" * text.count(b"\n", start, end))
        at = end
    return b"".join([*parts, text[at:]])


class _Outline:
    """Where functions and classes begin and end in a text."""

    def __init__(
        self, text: bytes, strings: list[tuple[int, int]], near: Sequence[tuple[int, int]], changed: Set[int]
    ) -> None:
        self._text = text
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
        self._changed = changed
        self._strings = strings
        self._string_starts = [start for start, _ in self._strings]
        self._near = sorted((self._offset(first), self._offset(last + 1)) for first, last in near)
        self._declaring = sorted(declaring(text))

    def bodies(self) -> list[tuple[int, int, bytes]]:
        """List what can be left out: where it begins and ends, and how its function is indented."""
        found: list[tuple[int, int, bytes]] = []
        done = kept = 0
        for start, indent in self._definitions():
            if start < done or self._in_string(start):
                continue
            if self._text.startswith(b"class", start):
                done = self._end(start, indent) if self._line(start) in self._changed else done
                continue
            end = self._end(start, indent)
            body = self._head_end(start)
            if body is None or self._is_kept(start, body):
                done = end if body is not None else done
            elif self._is_kept(body, end):
                kept = max(kept, end)
            # What a function inside another one checks is told under the outer one's name.
            elif body < end and (start >= kept or not CHECK.search(self._text, body, end)):
                found.append((body, end, indent))
                done = end
        return found

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

    def _is_kept(self, start: int, end: int) -> bool:
        for spans in (self._near, self._declaring):
            # They do not overlap, so the last that begins before the end reaches furthest.
            index = bisect_left(spans, (end, 0)) - 1
            if index >= 0 and spans[index][1] > start:
                return True
        return False

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


@cache
def _outdent(width: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}(?=[^\s#)\]}])" % min(width, 100))


def _long_strings(text: bytes) -> list[tuple[int, int]] | None:
    """Find what stands between triple quotes; None where they do not pair."""
    spans: list[tuple[int, int]] = []
    quote, since = b"", 0
    for found in QUOTES.finditer(text):
        if not quote:
            quote, since = found[0], found.start()
        elif found[0] == quote:
            spans.append((since, found.end()))
            quote = b""
    return None if quote else spans
