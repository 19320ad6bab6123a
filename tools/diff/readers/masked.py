"""A source text of a language with braces, once without comments and once without the insides of its strings.

Both have the length of the text, so an offset means the same place in all three. Sites are found in the masked text,
which works as well in a fragment or between macros as in a file that parses.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from tools.diff.readers import syntax

MAX_SPAN = 4_000
"""How far a closing bracket is looked for."""
MAX_STEPS = 20_000
"""How many brackets are looked at in a small text; in a large one, one for every other byte more."""

_BLANK = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
_INSIDE = bytes(byte if byte in b"\r\n" else 1 for byte in range(256))
_NEEDLESS = re.compile(rb" (?:(?=\W)|(?<=\W ))")
_BRACKET = re.compile(rb"[()\[\]{}]")
_PART = re.compile(rb"[()\[\]{},]")
_RAW = re.compile(rb"(?:R\"(?P<mark>[^(]{0,16})\(|r(?P<hashes>#*)\")(?P<inside>.*?)(?:\)(?P=mark)\"|\"#*)?", re.S)
_SPACES = b" \t\r\n\f\v\\"


def blank(text: bytes | bytearray) -> bytes:
    """Return as many spaces as the text has bytes, its line ends kept."""
    return bytes(text.translate(_BLANK))


def _unquoted(literal: bytes) -> bytes:
    """Return what is between the quotes of a literal, raw ones of C++ and Rust included."""
    found = _RAW.fullmatch(literal)
    if found is not None:
        return found.group("inside")
    inside = literal[1:]
    return inside[:-1] if inside.endswith(literal[:1]) else inside


class Masked:
    """A text, its lines, strings and brackets; `lexis` matches a comment, which begins with a slash, or a string.

    Each alternative of `lexis` should begin with a literal: only then does the engine skip what begins none of them.
    """

    def __init__(self, text: bytes, lexis: re.Pattern[bytes], first_line: int = 1) -> None:
        self.text = text
        self.first_line = first_line
        self._steps = MAX_STEPS + len(text) // 2
        self.strings: list[tuple[int, int]] = []
        bare: list[bytes] = []
        mask: list[bytes] = []
        last = 0
        for match in lexis.finditer(text):
            start, end = match.span()
            between, found = text[last:start], match.group()
            last = end
            if found.startswith((b"//", b"/*")):
                found = blank(found)
                bare += between, found
                mask += between, found
                continue
            self.strings.append((start, end))
            bare += between, found
            mask += between, found[:1], found[1:-1].translate(_INSIDE), found[-1:] if end - start > 1 else b""
        bare.append(text[last:])
        mask.append(text[last:])
        self.bare = b"".join(bare)
        self.mask = b"".join(mask)

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer(rb"\n", self.text)]

    def line(self, offset: int) -> int:
        """Return the number of the line in which the offset stands."""
        return bisect_left(self._line_ends, offset) + self.first_line

    def directives(self, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
        """Find what begins with `#` at the beginning of a line; the sign is found far faster than beginnings are."""
        for match in pattern.finditer(self.mask):
            at = match.start()
            if not self.mask[self.mask.rfind(b"\n", 0, at) + 1 : at].strip(b" \t"):
                yield match

    def fold(self, start: int, end: int) -> str:
        """Return the code between two offsets, comments left out and white space folded."""
        return syntax.fold(self.bare[start:end])

    def close(self, opening: int, limit: int = MAX_SPAN) -> int | None:
        """Return the offset of the bracket that closes the one at `opening`, if it does so within the limit."""
        depth = steps = 0
        for match in _BRACKET.finditer(self.mask, opening, opening + limit):
            depth += 1 if match.group() in b"([{" else -1
            steps += 1
            if depth == 0 or steps > self._steps:
                break
        self._steps -= steps
        return match.start() if steps and depth == 0 else None

    def parts(self, start: int, end: int) -> list[tuple[int, int]]:
        """Split what stands between two offsets at its outermost commas; blank parts are left out."""
        cuts, depth = [start - 1], 0
        for match in _PART.finditer(self.mask, start, end):
            sign = match.group()
            self._steps -= 1
            if sign == b",":
                if depth == 0:
                    cuts.append(match.start())
            else:
                depth += 1 if sign in b"([{" else -1
        spans = [(left + 1, right) for left, right in zip(cuts, [*cuts[1:], end], strict=True)]
        return [span for span in spans if self.mask[span[0] : span[1]].strip()]

    def arguments(self, opening: int) -> list[tuple[int, int]]:
        """Split the bracket at `opening` into its arguments; an unclosed one counts up to the end of the text."""
        closing = self.close(opening)
        if self._steps <= 0:
            return []  # brackets nested without end, which no person wrote
        return self.parts(opening + 1, min(len(self.mask), opening + MAX_SPAN) if closing is None else closing)

    def literals(self, start: int, end: int) -> Iterator[str]:
        """Give the insides of the string literals between two offsets."""
        return map(syntax.fold, self._insides(start, end))

    def joined(self, start: int, end: int) -> str:
        """Return the string that the literals between two offsets make together, as a compiler joins them."""
        return syntax.fold(b"".join(self._insides(start, end)))

    def _insides(self, start: int, end: int) -> Iterator[bytes]:
        index = bisect_left(self.strings, (start, 0))
        while index < len(self.strings) and self.strings[index][1] <= end:
            left, right = self.strings[index]
            yield _unquoted(self.text[left:right])
            index += 1

    def literal(self, start: int, end: int) -> str | None:
        """Return the inside of the string literal that is all there is between two offsets, if so."""
        stripped = self.mask[start:end].strip()
        if stripped[-1:] in (b'"', b"'", b"`", b"#") and not stripped[1:-1].strip(b'\x01#"').strip():
            return next(self.literals(start, end), None)
        return None

    def _tokens(self, code: bytes, start: int, end: int) -> bytes:
        """Return code without white space and closing commas, followed by the strings of its span."""
        code = code.translate(None, _SPACES).replace(b",)", b")").replace(b",}", b"}").replace(b",]", b"]")
        first, last = bisect_left(self.strings, (start, 0)), bisect_left(self.strings, (end, 0))
        return code + b"\x04" + b"\x04".join(self.text[left:right] for left, right in self.strings[first:last])

    @property
    def code(self) -> str:
        """A digest of everything but comments and white space."""
        code = _NEEDLESS.sub(b"", b" ".join(self.mask.split())).replace(b" ", b"\x02")
        return syntax.digest(self._tokens(code, 0, len(self.text)))

    def shape(self, start: int, end: int, without: str) -> str:
        """Return a digest of a body without its owner's name; empty where the body is too small to prove anything."""
        code, name = self.mask[start:end], without.encode()
        if name in code:
            code = re.sub(rb"\b%s\b" % re.escape(name), b"\x03", code)
        body = self._tokens(code, start, end)
        return syntax.digest(body) if len(body) >= syntax.MIN_SHAPE else ""
