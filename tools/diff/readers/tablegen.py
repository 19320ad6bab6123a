"""Reads TableGen of MLIR by the text: operations with what they take, enumerations, passes with their options."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.diff.readers import syntax
from tools.diff.readers.fragment import edges, uncomment
from tools.diff.readers.masked import Masked
from tools.diff.reading import Param, Reading, Source, Symbol, SymbolKind

_LEXIS = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|\[\{.*?(?:\}\]|\Z)", re.S)
_RECORD = re.compile(rb"^[ \t]*(def|class)[ \t]+(\w+)", re.M)
_HEADING = re.compile(r"^(?:def|class)\s+(\w+)")
_EDGE = re.compile(rb"[()\[\]{};]")
_BASE = re.compile(rb"\s*:\s*(\w+)\s*(<\s*\")?")
_CASE = re.compile(rb"\b\w*Enum(?:Attr)?Case\w*\s*<\s*(?=\")")
_CASE_BASE = re.compile(r"\w*Enum(?:Attr)?Case")
_ENUM_BASE = re.compile(r"\w+Enum(?:Attr)?$")
"""An enumeration; `EnumAttr` alone makes an attribute of one that has a name already."""
_NUMBER = re.compile(rb"\s*,\s*(-?\w+)\s*[,>]")
_OPTION = re.compile(rb"\b(List)?Option\s*<\s*(?=\")")
_TAKEN = re.compile(rb"\blet\s+(?:arguments|parameters)\s*=\s*(?=\(\s*ins\b)")
_GIVEN = re.compile(rb"\blet\s+results\s*=\s*(?=\(\s*outs\b)")
_NAMED = re.compile(rb":\s*\$(\w+)\s*(?:,|$)")
_FIRST = re.compile(r"^\( ?(?:ins|outs)\b ?")
_DEFAULT = re.compile(r"^DefaultValued\w*< ?(.+), ?\"(.*)\" ?>$")
_SPARE = re.compile(r"^(?:Optional\w*<|UnitAttr$|UnitProp\w*$)")
_DESCRIBED = re.compile(r"^Arg< ?([\w.]+|\w+<[\w<>, ]*>) ?, ?\".*>$")
_NOTHING = "none"
_TYPE = re.compile(r"^(?:Any(?:Type|Attr)?Of|\w*(?:Tensor|MemRef|Vector)Of)$")
_LONGEST = 60_000
"""How far the end of a record is looked for."""
_MOST_WRITTEN = 300


@dataclass(frozen=True, slots=True)
class _Record:
    """A definition or class: where it begins, where its head ends, and where its body does."""

    name: str
    sort: str
    start: int
    named: int
    head: int
    end: int


def read(source: Source) -> Reading:
    """Say which operations, attributes, types, enumerations and passes a source defines."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    masked = Masked(source.text if source.whole else uncomment(source.text), _LEXIS, source.first_line)
    records = list(_records(masked))
    found = [symbol for record in records for symbol in _symbols(masked, record)]
    if not source.whole and (owner := _HEADING.match(source.heading)) and _begins_inside(masked.mask):
        until = records[0].start if records else len(masked.text)
        found += _members(masked, owner[1], 0, until)
    return Reading(
        symbols=tuple(sorted(found, key=lambda symbol: (symbol.start, -symbol.end))),
        code=masked.code if source.digest else "",
    )


def _begins_inside(mask: bytes) -> bool:
    """Tell whether a fragment begins in what its heading names."""
    cut = edges(mask)
    return cut.inside or (cut.margin or 0) > 0


def _records(masked: Masked) -> Iterator[_Record]:
    for match in _RECORD.finditer(masked.mask):
        head = _end_of_head(masked.mask, match.end())
        end = head
        if masked.mask[head : head + 1] == b"{":
            closing = masked.close(head, _LONGEST)
            end = closing if closing is not None else len(masked.text)
        name, sort = match.group(2).decode(), match.group(1).decode()
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        yield _Record(name, sort, start, match.end(), head, end)


def _end_of_head(mask: bytes, start: int) -> int:
    """Return where the body begins, or the semicolon in its stead; lists in the head may hold anything."""
    depth = 0
    for edge in _EDGE.finditer(mask, start, start + _LONGEST):
        sign = edge.group()
        if depth <= 0 and sign in b"{;":
            return edge.start()
        depth += (sign in b"([{") - (sign in b")]}")
    return len(mask)


def _symbols(masked: Masked, record: _Record) -> Iterator[Symbol]:
    """Give a record and what it lists."""
    base = _BASE.match(masked.mask, record.named, record.head) if record.sort == "def" else None
    name = base.group(1).decode() if base else ""
    kind: SymbolKind = "class"
    value = None
    if _CASE_BASE.match(name):
        kind, value = "constant", _numbered(masked, record.named, record.head)
    elif _ENUM_BASE.match(name):
        kind = "enum"
    elif _TYPE.match(name):
        written = masked.fold(record.named, record.head).lstrip(": ")
        kind, value = "type", written if len(written) <= _MOST_WRITTEN else None
    taken = _values(masked, _TAKEN, record) if kind == "class" else None
    given = _values(masked, _GIVEN, record) if kind == "class" else None
    shown = [record.head if record.end > record.head else record.end, *(one[1] for one in (taken, given) if one)]
    yield Symbol(
        record.name,
        kind,
        masked.line(record.start),
        masked.line(record.end),
        masked.line(max(shown)),
        public=record.sort == "def",
        params=taken[0] if taken else None,
        returns=", ".join(param.annotation or "" for param in given[0]) or None if given else None,
        bases=_bases(masked, base) if kind == "class" else (),
        value=value,
        shape=masked.shape(record.head, record.end, record.name),
    )
    if kind in ("enum", "class"):
        yield from _members(masked, record.name, record.named, record.end)


def _bases(masked: Masked, base: re.Match[bytes] | None) -> tuple[str, ...]:
    """Write of what sort a record is, with the name by which the text form of a program knows it."""
    if base is None:
        return ()
    name = base.group(1).decode()
    known = masked.literals(base.end() - 1, base.end() + _MOST_WRITTEN) if base.group(2) else iter(())
    return tuple(f'{name}<"{first}">' for first in list(known)[:1]) or (name,)


def _members(masked: Masked, owner: str, start: int, end: int) -> Iterator[Symbol]:
    """Give the members of an enumeration and the options of a pass."""
    for match in _CASE.finditer(masked.mask, start, end):
        words = _words(masked, match.end(), end, 1)
        if words:
            lines = masked.line(match.start()), masked.line(words[-1][1])
            value = _numbered(masked, match.start(), end)
            yield Symbol(f"{owner}.{words[0][0]}", "member", *lines, lines[1], public=True, value=value)
    for match in _OPTION.finditer(masked.mask, start, end):
        words = _words(masked, match.end(), end, 3 if match.group(1) else 4)
        if len(words) >= 3:
            lines = masked.line(match.start()), masked.line(words[-1][1])
            value = words[3][0] if len(words) > 3 else None
            name = f"{owner}.{words[1][0]}"
            yield Symbol(name, "field", *lines, lines[1], public=True, value=value, annotation=words[2][0])


def _words(masked: Masked, start: int, end: int, most: int) -> list[tuple[str, int]]:
    """Return the first strings of a list of arguments, each with its end; other arguments end it."""
    found: list[tuple[str, int]] = []
    while len(found) < most and start < end and masked.mask[start : start + 1] == b'"':
        last = masked.mask.find(b'"', start + 1, end)
        if last < 0:
            break
        found.append((masked.text[start + 1 : last].decode("utf-8", "replace").replace('\\"', '"'), last))
        start = last + 1
        while start < end and masked.mask[start : start + 1] in b" \t\r\n,":
            start += 1
    return found


def _numbered(masked: Masked, start: int, end: int) -> str | None:
    """Return the number behind the first string."""
    words = masked.mask.find(b'"', start, end)
    closing = masked.mask.find(b'"', words + 1, end) if words >= 0 else -1
    found = _NUMBER.match(masked.mask, closing + 1, end) if closing >= 0 else None
    return found.group(1).decode() if found else None


def _values(masked: Masked, pattern: re.Pattern[bytes], record: _Record) -> tuple[tuple[Param, ...], int] | None:
    """Read what a record takes or gives, and where that ends; None where it is put together or cut off."""
    match = pattern.search(masked.mask, record.head, record.end)
    closing = masked.close(match.end(), _LONGEST) if match else None
    if match is None or closing is None:
        return None
    params: list[Param] = []
    since = match.end()
    for named in _NAMED.finditer(masked.mask, match.end(), closing):
        written = _FIRST.sub("", masked.fold(since, named.start())).strip()
        params.append(_param(named.group(1).decode(), written))
        since = named.end()
    return tuple(params), closing


def _param(name: str, written: str) -> Param:
    """Read one value by how its type is written: some may be left out."""
    if found := _DESCRIBED.match(written):
        written = found[1]
    written = written.strip('"') if written.count('"') == 2 and written.endswith('"') else written
    if found := _DEFAULT.match(written):
        return Param(name, found[2], found[1].strip('"'))
    return Param(name, _NOTHING if _SPARE.match(written) else None, written)
