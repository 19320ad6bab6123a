"""The edges of a fragment cut from a file: which brackets it closes without opening, or opens without closing."""

import re
from dataclasses import dataclass

_BRACKET = re.compile(rb"[()\[\]{}]")
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}"}
OPENING = {b")": b"f(", b"]": b"a[", b"}": b"{"}
"""What may stand before a fragment for a bracket that it only closes."""
_PAIR = {closing: opening for opening, closing in _CLOSING.items()}
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_MIRRORED = bytes.maketrans(b"([{", b")]}")
_MARGIN = re.compile(rb"\n(?!(?:public|private|protected)\b)([^\s#/*])")


@dataclass(frozen=True, slots=True)
class Closer:
    """A closing bracket whose opening one stands before the fragment."""

    sign: bytes
    offset: int
    indented: bool


@dataclass(frozen=True, slots=True)
class Edges:
    """What is missing at both ends of a fragment."""

    closers: tuple[Closer, ...]
    tail: bytes
    """The brackets that close what the fragment leaves open."""
    margin: int | None
    """Where the first line is that begins at the left margin: what is above it belongs to what the heading began."""
    inside: bool
    """Whether that line, if there is one, only closes something."""


def edges(mask: bytes) -> Edges:
    """Find the brackets of a masked fragment that have no partner in it."""
    closers, tail = _unpaired(mask)
    # With the end of a line before the first one, where a line end is is where the next line begins.
    margin = _MARGIN.search(b"\n" + mask)
    return Edges(
        closers=tuple(closers),
        tail=tail,
        margin=margin.start() if margin is not None else None,
        inside=margin is None or margin[1] in b"})]",
    )


def _unpaired(mask: bytes) -> tuple[list[Closer], bytes]:
    """Find the brackets that only close something, and say what would close those that only open something."""
    left, size = mask.translate(None, _NO_BRACKETS), -1
    while len(left) != size:
        size = len(left)
        left = left.replace(b"()", b"").replace(b"{}", b"").replace(b"[]", b"")
    # Mostly nothing is left, or nothing that closes; only else it matters where the brackets stand.
    if not left.strip(b"([{"):
        return [], left.translate(_MIRRORED)[::-1]
    closers: list[Closer] = []
    opened: list[bytes] = []
    for match in _BRACKET.finditer(mask):
        sign = match.group()
        if sign in _CLOSING:
            opened.append(sign)
        elif opened and opened[-1] == _PAIR[sign]:
            opened.pop()
        elif not opened:
            line = mask.rfind(b"\n", 0, match.start()) + 1
            closers.append(Closer(sign, match.start(), mask[line : line + 1].isspace()))
    return closers, b"".join(_CLOSING[sign] for sign in reversed(opened))


def surface(mask: bytes, end: int) -> bytes:
    """Return what stands in no bracket that the fragment opens, up to an offset."""
    kept: list[bytes] = []
    depth = since = 0
    for match in _BRACKET.finditer(mask, 0, end):
        if match.group() in _CLOSING:
            if depth == 0:
                kept.append(mask[since : match.end()])
            depth += 1
        else:
            depth = max(0, depth - 1)
            if depth == 0:
                since = match.start()
    return b"".join([*kept, mask[since:end] if depth == 0 else b""])


def uncomment(text: bytes) -> bytes:
    """Blank the end of a block comment that began before the fragment."""
    end = text.find(b"*/")
    if end < 0 or 0 <= text.find(b"/*") < end:
        return text
    return re.sub(rb"[^\n]", b" ", text[: end + 2]) + text[end + 2 :]


def enclose(mask: bytes, opening: bytes, *, method: bytes, function: bool = False) -> tuple[bytes, bytes]:
    """Say what to put before and behind a fragment that stands in the block `opening` opens.

    Blocks inside a function are plain; a block inside a type that the fragment only closes is taken for a `method`.
    """
    cut = edges(mask)
    if not cut.inside or (not cut.closers and not mask[:1].isspace()):
        return b"{" * sum(closer.sign == b"}" for closer in cut.closers), b"\n" + cut.tail
    margin = next((at for at, closer in enumerate(cut.closers) if closer.sign == b"}" and not closer.indented), None)
    nested = cut.closers[:margin]
    inner = [OPENING[closer.sign] for closer in reversed(nested)]
    if not function and inner and inner[0] == b"{":
        inner[0] = method
    outer = sum(closer.sign == b"}" for closer in cut.closers[margin + 1 :]) if margin is not None else 0
    return b"{" * outer + opening + b"".join(inner), b"\n" + cut.tail + (b"}" if margin is None else b"")
