"""The pieces of a file that its changed lines stand in: whole statements of the top level, so that little is parsed."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tools.diff.declarations import Declaration, Range, read_declarations
from tools.diff.languages import Language

_INSIDE = b" \t\r\n)]}{#@:&|.*/+-"
"""How a line may begin that does not begin a statement of the top level."""


_LONGEST = 20_000
"""Bytes of a fragment beyond which it is read as it is: what comes as a whole file was not cut."""


def read_changed(text: bytes, language: Language, ranges: Sequence[Range]) -> list[Declaration] | None:
    """Read what the changed lines of a whole file declare; None where a piece does not parse by itself."""
    found: list[Declaration] = []
    for first, piece, inside in _pieces(text.split(b"\n"), ranges):
        root = language.parse(piece)
        if root.has_error:
            return None
        found += shifted(read_declarations(piece, language, inside, root), first - 1)
    return found


def read_fragment(text: bytes, language: Language, ranges: Sequence[Range]) -> list[Declaration]:
    """Read what a hunk declares; where it does not parse as a whole, the pieces around its changed lines may."""
    root = language.parse(text)
    if len(text) > _LONGEST:
        return read_declarations(text, language, root=root)
    found: list[Declaration] = []
    for first, piece, inside in _pieces(text.split(b"\n"), ranges) if root.has_error else ():
        ended = _ended(piece, language)
        if ended is None:
            return read_declarations(text, language, root=root)
        found += shifted(read_declarations(*ended, ranges=inside), first - 1)
    return found if root.has_error else read_declarations(text, language, root=root)


def _ended(piece: bytes, language: Language) -> tuple[bytes, Language] | None:
    """End a piece that was cut inside a signature or a body, so that it parses; None where it does not."""
    opened = piece.count(b"(") - piece.count(b")")
    if language.name == "python":
        ending = b"    " + b")" * opened + b": pass\n" if opened > 0 else b"        pass\n"
    elif opened > 0:
        ending = b")" * opened + b" {}\n"
    else:
        ending = b"}" * max(piece.count(b"{") - piece.count(b"}"), 0) + b"\n"
    whole = next((text for text in (piece, piece + ending) if not language.parse(text).has_error), None)
    return None if whole is None else (whole, language)


def shifted(declared: Sequence[Declaration], lines: int) -> list[Declaration]:
    """Count the lines of a piece as the file does."""
    return [replace(one, first=one.first + lines, last=one.last + lines, line=one.line + lines) for one in declared]


def _pieces(lines: Sequence[bytes], ranges: Sequence[Range]) -> Iterator[tuple[int, bytes, list[Range]]]:
    """Give each piece with its first line and the ranges in it, counted from its beginning."""
    spans: list[tuple[int, int, list[Range]]] = []
    for start, end in ranges:
        if spans and start <= spans[-1][1]:
            first, last, inside = spans[-1]
            inside.append((start, end))
            spans[-1] = (first, last if end <= last else _end(lines, end), inside)
        else:
            spans.append((_start(lines, start), _end(lines, end), [(start, end)]))
    for first, last, inside in spans:
        piece = b"\n".join(lines[first - 1 : last]) + b"\n"
        yield first, piece, [(start - first + 1, end - first + 1) for start, end in inside]


def _start(lines: Sequence[bytes], line: int) -> int:
    """Go up to the beginning of the statement, and of what decorates it."""
    at = min(line, len(lines))
    while at > 1 and lines[at - 1][:1] in _INSIDE:
        at -= 1
    while at > 1 and lines[at - 2][:1] == b"@":
        at -= 1
    return max(at, 1)


def _end(lines: Sequence[bytes], line: int) -> int:
    """Go down to the line before the next statement; a comment or decorator belongs to the statement below it."""
    at = line + 1
    if lines[min(line, len(lines)) - 1].lstrip().startswith((b"/", b"*", b"#", b"@")):
        while at <= len(lines) and lines[at - 1][:1] in _INSIDE:
            at += 1
        at += 1
    while at <= len(lines) and lines[at - 1][:1] in _INSIDE:
        at += 1
    return min(at - 1, len(lines))
