"""Digests of Python code that do not change with comments, docstrings, quotes, line breaks and trailing commas."""

import re
from bisect import bisect_left
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_syntax import Code
from tools.diff.readers.syntax import digest

TINY: Final = 12
"""A body with fewer tokens says nothing about what it is the body of."""

PIECE: Final = re.compile(rb"\\\r?\n|\r?\n[ \t\f\r\n]*|[ \t\f]+|[()\[\]{}]|,|[^\s()\[\]{},\\]+|\\")
INDENT: Final = re.compile(rb"[^\n]*\Z")
TOKEN: Final = re.compile(rb"\w+|[^\w\s]")
LITERAL: Final = re.compile(rb"""([A-Za-z]*)('''|\"\"\"|'|")(.*)\2\Z""", re.DOTALL)
WORDS: Final = re.compile(rb"[\w\"'\x80-\xff]")
OPENERS: Final = {b")": b"(", b"]": b"[", b"}": b"{"}


class Tokens:
    """The code of a text, normalised, with the place of every piece."""

    def __init__(self, code: Code) -> None:
        self._starts: list[int] = []
        self._pieces: list[bytes] = []
        self._brackets: list[tuple[bytes, bool, int]] = []
        self._indents: list[int] | None = None
        self._line: int | None = None
        self._lex(code)

    def digest(self) -> str:
        """Digest everything."""
        return digest(b"".join(self._pieces))

    def shape(self, start: int, end: int, name: str, *, always: bool = False) -> str:
        """Digest a span of the text without a name; a tiny one has no shape unless `always`."""
        low, high = bisect_left(self._starts, start), bisect_left(self._starts, end)
        body = b"".join(self._pieces[low:high]).strip(b"\n<> ")
        if not always and len(body) < 200 and len(TOKEN.findall(body)) < TINY:
            return ""
        if name:
            body = re.sub(rb"\b" + re.escape(name.encode()) + rb"\b", b"", body)
        return digest(body)

    def _lex(self, code: Code) -> None:
        skipped = {node.start_byte for node in (*code.nodes("document"), *code.nodes("wrap"))}
        marks = [*code.nodes("comment"), *code.nodes("string"), *code.nodes("wrap"), *code.nodes("document")]
        spans = sorted({(node.start_byte, -node.end_byte, node.type) for node in marks})
        at = 0
        for start, negative_end, kind in spans:
            if start < at:
                continue
            self._gap(code.text, at, start)
            at = -negative_end
            if kind not in ("comment", "(", ")") and start not in skipped:
                self._add(start, _requoted(code.text[start:at]))
            elif kind in ("(", ")"):
                self._wrap(kind == "(")
        self._gap(code.text, at, len(code.text))

    def _wrap(self, opening: bool) -> None:
        """Keep count of a pair of brackets that only wraps lines, and leave it out."""
        if opening:
            self._brackets.append((b"(", False, 0))
        elif self._brackets:
            self._brackets.pop()

    def _gap(self, text: bytes, start: int, end: int) -> None:
        for found in PIECE.finditer(text, start, end):
            piece = found[0]
            first = piece[0]
            if first in b"\n\r":
                if not self._brackets:
                    self._line = len(piece) - piece.rfind(b"\n") - 1
            elif first in b"([{":
                self._open(found.start(), piece)
            elif first in b")]}":
                self._close(found.start(), piece)
            elif piece == b",":
                self._comma(found.start())
            elif first not in b" \t\f\\":
                self._add(found.start(), piece)

    def _open(self, at: int, piece: bytes) -> None:
        before = self._pieces[-1][-1:] if self._pieces and self._line is None else b""
        self._add(at, piece)
        self._brackets.append((piece, bool(WORDS.match(before)) or before in (b")", b"]"), 0))

    def _comma(self, at: int) -> None:
        if self._brackets:
            opener, applied, commas = self._brackets[-1]
            self._brackets[-1] = (opener, applied, commas + 1)
        self._add(at, b",")

    def _close(self, at: int, piece: bytes) -> None:
        opener, applied, commas = self._brackets.pop() if self._brackets else (b"", False, 0)
        # `(1,)` and `x[1,]` are tuples because of their comma; everywhere else a last comma is layout.
        telling = commas == 1 and ((opener == b"(" and not applied) or (opener == b"[" and applied))
        if self._pieces and self._pieces[-1] == b"," and not telling:
            self._pieces.pop()
            self._starts.pop()
        self._add(at, piece)

    def _add(self, at: int, piece: bytes) -> None:
        if self._line is not None or self._indents is None:
            self._break(at)
        elif WORDS.match(piece) and self._pieces and WORDS.match(self._pieces[-1][-1:]):
            piece = b" " + piece
        self._starts.append(at)
        self._pieces.append(piece)

    def _break(self, at: int) -> None:
        """Begin a logical line: its indentation counts only as deeper or shallower than before."""
        depth = self._line or 0
        self._line = None
        if self._indents is None:
            self._indents = [depth]
            return
        mark = b"\n"
        if depth > self._indents[-1]:
            self._indents.append(depth)
            mark = b"\n>"
        while depth < self._indents[-1]:
            self._indents.pop()
            mark += b"<"
            if not self._indents or depth > self._indents[-1]:
                self._indents.append(depth)
        self._starts.append(at)
        self._pieces.append(mark)


def span_of_body(node: Node) -> tuple[int, int]:
    """Give the bytes of a definition's body, or of the whole node where it has none."""
    body = node.child_by_field_name("body")
    chosen = node if body is None else body
    return chosen.start_byte, chosen.end_byte


def _requoted(literal: bytes) -> bytes:
    found = LITERAL.match(literal)
    if not found:
        return literal
    prefix, quote, inner = found[1].lower().replace(b"u", b""), found[2], found[3]
    if b"r" not in prefix:
        inner = inner.replace(b"\\'", b"'").replace(b'\\"', b'"')
    return prefix + b'"' * len(quote) + inner + b'"' * len(quote)
