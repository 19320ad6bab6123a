"""Digests of Python code that do not change with comments, docstrings, quotes, line breaks and trailing commas.

Spaces are simply dropped: two words stand side by side in Python only if one is a keyword, so nothing that could be
written becomes something else. What indentation says is kept as steps in and out.
"""

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Final
from zlib import crc32

from tools.diff.readers.python_syntax import Code
from tools.diff.readers.syntax import digest

TINY: Final = 12
"""A body with fewer tokens says nothing about what it is the body of."""

TOKEN: Final = re.compile(rb"\w+|[^\w\s]")
LITERAL: Final = re.compile(rb"""([A-Za-z]*)('''|\"\"\"|'|")(.*)\2\Z""", re.DOTALL)
OPEN_START: Final = re.compile(rb"(?<![\d.])\.(?=\d)")
OPEN_END: Final = re.compile(rb"(\d)\.(?!\d|\.|[eE][-+\d])")
"""A number that begins or ends with its point: `.5` is `0.5`, `4.` is `4.0`."""
LONE: Final = re.compile(rb"(?<==)\(([\w.]+)\)")
"""A name in brackets of its own, as a line too long is broken."""
IMPORT: Final = re.compile(rb"\n(?:from[\w.]+import|import)([\w.,]+)\Z")
# Brackets that only wrap lines stand in the text as these two, count like brackets and are dropped in the end.
WRAP: Final = {b"(": b"\x03", b")": b"\x04"}
SPACES: Final = b" \t\f\r\x03\x04\\"
NO_BRACKETS: Final = bytes(set(range(256)) - set(b"\n()[]{}\x03\x04"))
ONE_PAIR: Final = bytes.maketrans(b"[{\x03]}\x04", b"((()))")


class Tokens:
    """The code of a text, normalised line by line, with the place of every line."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._starts: list[int] = []
        self._places: list[int] = []
        # Most texts are asked for no digest at all, so nothing is normalised before one is.
        self._text = b""
        self._lines: list[bytes] = []
        self._line_starts: list[int] = []

    def _prepare(self) -> None:
        if not self._lines:
            self._text = self._prepared(self._code)
            self._lines, self._line_starts = _normal_lines(self._text)

    def digest(self) -> str:
        """Digest everything."""
        self._prepare()
        text = LONE.sub(rb"\1", b"".join(_sorted_imports(self._lines)))
        return digest(OPEN_START.sub(b"0.", OPEN_END.sub(rb"\1.0", text)))

    def shape(self, start: int, end: int, name: str, *, always: bool = False) -> str:
        """Digest a span of the text without a name; a tiny one has no shape unless `always`."""
        self._prepare()
        first, last = self._place(start), self._place(end)
        body = self._body(first, last)
        if not always and len(body) < 200 and len(TOKEN.findall(body)) < TINY:
            return ""
        own = name.encode()
        # Whether a name is a word of its own can only be seen before the spaces are dropped.
        return digest(self._without(own, first, last) if own in body else body)

    def _body(self, start: int, end: int) -> bytes:
        first, last = bisect_right(self._line_starts, start) - 1, bisect_right(self._line_starts, end) - 1
        if self._begins_line(start) and not self._text[end : end + 200].split(b"\n", 1)[0].strip():
            return b"".join(self._lines[first : last + 1]).lstrip(b"\n<>")
        return self._without(b"", start, end)

    def _without(self, name: bytes, start: int, end: int) -> bytes:
        if self._begins_line(start):
            start = self._line_starts[bisect_right(self._line_starts, start) - 1]
        text = self._text[start:end]
        lines, _ = _normal_lines(re.sub(rb"\b%b\b" % re.escape(name), b"", text) if name else text)
        return b"".join(lines).lstrip(b"\n<>")

    def _begins_line(self, start: int) -> bool:
        return not self._text[self._line_starts[bisect_right(self._line_starts, start) - 1] : start].strip()

    def _prepared(self, code: Code) -> bytes:
        """Take comments and docstrings out and put a short stand-in for every string, noting where things went."""
        text = code.text
        documents = {node.start_byte for node in code.nodes("document")}
        marks = [*code.nodes("comment"), *code.nodes("string"), *code.nodes("wrap"), *code.nodes("document")]
        spans = sorted({(node.start_byte, -node.end_byte, node.type) for node in marks})
        parts: list[bytes] = []
        at = place = 0
        for start, end, kind in spans:
            if start < at:
                continue
            gap = text[at:start]
            self._starts += (at, start)
            self._places += (place, place + len(gap))
            at = -end
            put = b"" if kind == "comment" or start in documents else _stand_in(text[start:at])
            parts += (gap, put)
            place += len(gap) + len(put)
        self._starts.append(at)
        self._places.append(place)
        parts.append(text[at:])
        return b"".join(parts)

    def _place(self, byte: int) -> int:
        index = bisect_right(self._starts, byte) - 1
        limit = self._places[index + 1] if index + 1 < len(self._places) else len(self._text)
        return min(self._places[index] + byte - self._starts[index], limit)


def _sorted_imports(lines: list[bytes]) -> list[bytes]:
    """Put imports that follow each other into one order, as tools do that sort them."""
    told: list[bytes] = []
    run: list[bytes] = []
    for line in filter(None, lines):
        if found := IMPORT.match(line):
            run.append(line[: found.start(1)] + b",".join(sorted(found[1].split(b","))))
        else:
            told += (*sorted(run), line)
            run = []
    return [*told, *sorted(run)]


def _normal_lines(text: bytes) -> tuple[list[bytes], list[int]]:
    """Normalise each line: a logical one begins with its step in or out, others continue the one before."""
    raws = text.split(b"\n")
    starts = [0, *accumulate(len(raw) + 1 for raw in raws)]
    lines = text.translate(None, SPACES).split(b"\n")
    brackets = text.translate(ONE_PAIR, NO_BRACKETS).split(b"\n")
    indents = [b""]
    depth = 0
    continued = b"\\\n" in text or b"\\\r\n" in text
    held = False
    for index, line in enumerate(lines):
        if line:
            if depth == 0 and not held:
                lines[index] = _step(raws[index], indents) + line
            elif line[0] in b")]}":
                _drop_comma(lines, index)
            held = continued and raws[index].endswith((b"\\", b"\\\r"))
        if found := brackets[index]:
            depth = max(0, depth + 2 * found.count(b"(") - len(found))
    return lines, starts[:-1]


def _step(raw: bytes, indents: list[bytes]) -> bytes:
    """Say how a line is indented against the one before it."""
    space = raw[: len(raw) - len(raw.lstrip())]
    if space == indents[-1]:
        return b"\n"
    if len(space) > len(indents[-1]):
        indents.append(space)
        return b"\n>"
    out = 0
    while len(indents) > 1 and len(space) < len(indents[-1]):
        indents.pop()
        out += 1
    return b"\n" + b"<" * out


def _drop_comma(lines: list[bytes], index: int) -> None:
    """Take away the comma that only stands there because the closing bracket has a line of its own."""
    before = index - 1
    while before > 0 and not lines[before]:
        before -= 1
    if before >= 0 and lines[before].endswith(b","):
        lines[before] = lines[before][:-1]


def _stand_in(literal: bytes) -> bytes:
    """Give a short word for a string, the same whichever quotes it stands in; brackets are told by their own signs."""
    if literal in WRAP:
        return WRAP[literal]
    if b"'" in literal or literal[:1] != b'"':
        literal = _requoted(literal)
    return b'"%08x"' % crc32(literal)


def _requoted(literal: bytes) -> bytes:
    found = LITERAL.match(literal)
    if not found:
        return literal
    prefix, quote, inner = found[1].lower().replace(b"u", b""), found[2], found[3]
    if b"r" not in prefix and b"\\" in inner:
        inner = inner.replace(b"\\'", b"'").replace(b'\\"', b'"')
    return prefix + b'"' * len(quote) + inner + b'"' * len(quote)
