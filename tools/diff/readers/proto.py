"""Reads Protocol Buffers by the text: messages and enumerations with their numbers, services with what one may call."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.diff.readers import syntax
from tools.diff.readers.fragment import edges, uncomment
from tools.diff.readers.masked import Masked
from tools.diff.reading import Param, Reading, Site, Source, Symbol, SymbolKind

_LEXIS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?",
    re.S,
)
_EDGE = re.compile(rb"[{};]")
_BLOCK = re.compile(r"^(message|enum|service|oneof) (\w+)$")
_HEADING = re.compile(r"^(message|enum|service)\s+(\w+)\s*\{")
_FIELD = re.compile(
    r"^((?:(?:optional|required|repeated) )?(?:map ?<[^<>]*>|\.?\w+(?:\.\w+)*)) (\w+) ?= ?(\d+) ?(\[.*)?$"
)
_MEMBER = re.compile(r"^(\w+) ?= ?(-?\w+) ?(\[.*)?$")
_CALL = re.compile(r"^rpc (\w+) ?\( ?((?:stream )?[\w.]+) ?\) ?returns ?\( ?((?:stream )?[\w.]+) ?\)$")
_DEPRECATED = re.compile(r"\bdeprecated ?= ?true\b")
_WORDS = ("option", "reserved", "extensions", "import", "package", "syntax", "return")
_KINDS: dict[str, SymbolKind] = {"message": "struct", "enum": "enum", "service": "class"}
_MOST = 100
"""Blocks inside one another; nobody writes as many."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A block that is open: its sort, the name of what stands in it, and where it begins."""

    sort: str
    name: str = ""
    start: int = 0
    head: int = 0


def read(source: Source) -> Reading:
    """Say which messages, enumerations and services a source declares; all of them are there for others."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    masked = Masked(source.text if source.whole else uncomment(source.text), _LEXIS, source.first_line)
    around = [] if source.whole else _around(masked.mask, source.heading)
    symbols = sorted(_symbols(masked, around), key=lambda symbol: (symbol.start, -symbol.end))
    old = [symbol for symbol in symbols if any(map(_DEPRECATED.search, symbol.decorators))]
    return Reading(
        symbols=tuple(symbols),
        sites=tuple(Site("deprecation", symbol.name, symbol.start, symbol.head) for symbol in old),
        code=masked.code if source.digest else "",
        numbered=True,
    )


def _around(mask: bytes, heading: str) -> list[_Block]:
    """Give the blocks that a fragment begins in: the one of its heading, and unnamed ones that it only closes."""
    cut = edges(mask)
    if not cut.inside or (not cut.closers and not mask[:1].isspace()):
        return []
    found = _HEADING.match(heading)
    outer = _Block(found[1], found[2]) if found else _Block("")
    return [outer, *(_Block("") for closer in cut.closers if closer.sign == b"}" and closer.indented)][:_MOST]


def _symbols(masked: Masked, around: list[_Block]) -> Iterator[Symbol]:
    blocks, since = list(around), 0
    for edge in _EDGE.finditer(masked.mask):
        since, start, sign = edge.end(), since, edge.group()
        text = masked.fold(start, edge.start())
        start += len(masked.mask[start : edge.start()]) - len(masked.mask[start : edge.start()].lstrip())
        lines = masked.line(start), masked.line(edge.start())
        block = blocks[-1] if blocks else _Block("file")
        if sign == b"}":
            if blocks and (closed := blocks.pop()).start:
                yield from _container(closed, lines[1])
            continue
        yield from _declared(block, text, *lines)
        if sign == b"{":
            if len(blocks) >= _MOST:
                return
            blocks.append(_opened(block, text, *lines))
    # What a fragment leaves open is declared all the same.
    for block in blocks:
        if block.start:
            yield from _container(block, masked.line(len(masked.text)))


def _opened(block: _Block, text: str, start: int, head: int) -> _Block:
    """Enter a block; the fields of a choice are those of its message, and what options hold is nobody's."""
    found = _BLOCK.match(text)
    if found is None or block.sort not in ("file", "message"):
        return _Block("")
    if found[1] == "oneof":
        return _Block("message", block.name)
    return _Block(found[1], _inside(block, found[2]), start, head)


def _container(block: _Block, end: int) -> Iterator[Symbol]:
    yield Symbol(block.name, _KINDS[block.sort], block.start, end, block.head, public=True)


def _declared(block: _Block, text: str, start: int, end: int) -> Iterator[Symbol]:
    """Read one statement by the block that it stands in."""
    if text.split(" ", 1)[0] in _WORDS:
        return
    if block.sort == "service" and (found := _CALL.match(text)):
        request = (Param("request", annotation=found[2]),)
        name = _inside(block, found[1])
        yield Symbol(name, "method", start, end, end, public=True, params=request, returns=found[3])
    elif block.sort == "message" and (found := _FIELD.match(text)):
        yield _valued("field", _inside(block, found[2]), found[3], found[4], (start, end))._replace(annotation=found[1])
    elif block.sort == "enum" and (found := _MEMBER.match(text)):
        yield _valued("member", _inside(block, found[1]), found[2], found[3], (start, end))


def _valued(kind: SymbolKind, name: str, value: str, options: str | None, lines: tuple[int, int]) -> Symbol:
    marks = (options,) if options else ()
    return Symbol(name, kind, *lines, lines[1], public=True, value=value, decorators=marks)


def _inside(block: _Block, name: str) -> str:
    return f"{block.name}.{name}" if block.name else name
