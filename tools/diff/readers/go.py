"""Reads Go: declarations by a syntax tree without function bodies, sites by the text."""

import re

from tools.diff.readers import syntax
from tools.diff.readers.bones import without_bodies
from tools.diff.readers.calls import named_environment
from tools.diff.readers.fragment import edges, enclose, uncomment
from tools.diff.readers.go_sites import sites
from tools.diff.readers.go_symbols import SymbolReader
from tools.diff.readers.located import Located
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Reading, Source

_LEXIS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb"|`[^`]*`?|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'(?:[^'\\\n]|\\[^\n]{1,9}?)'",
    re.S,
)
_FUNCTION = re.compile(rb"^func\b", re.M)
_METHOD = re.compile(r"^func\s*(?:\(\s*(?:\w+\s+)?\*?(\w+)[^)]*\)\s*)?(\w+)")
_ENV = re.compile(rb"\bos\.(?:Getenv|LookupEnv)\s*\(\s*(\w+)\s*\)")
_QUOTED = re.compile(rb"^\s*(?:\w+ )?\"", re.M)
_BARE = re.compile(rb"^\t[A-Za-z]\w*[ \t]*$", re.M)
_TYPE = re.compile(r"^type\s+(\w+)\s+(struct|interface)\b")


def read(source: Source) -> Reading:
    """Say what a Go source declares."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    masked = Masked(source.text if source.whole else uncomment(source.text), _LEXIS, source.first_line)
    before, after, scope = (b"", b"", "") if source.whole else _frame(masked.mask, source.heading)
    bones = without_bodies(before + masked.bare + after, before + masked.mask + after, _FUNCTION)
    root = syntax.parser("tree_sitter_go").parse(bones.text).root_node
    if (problem := syntax.overgrown(root, source.path)) is not None:
        return Reading(problems=(problem,))
    symbols = SymbolReader(Located(masked, bones, len(before))).read(root)
    scopes = Scopes(symbols, scope, masked.line(len(masked.text)))
    found = [*sites(masked, scopes, symbols), *named_environment(masked, symbols, _ENV)]
    return Reading(
        symbols=tuple(sorted(symbols, key=lambda symbol: (symbol.start, -symbol.end))),
        sites=tuple(sorted(found, key=lambda site: (site.start, site.kind, site.name))),
        code=masked.code if source.digest else "",
        problems=bones.problems(source.path),
    )


def _frame(mask: bytes, heading: str) -> tuple[bytes, bytes, str]:
    """Say what to put around a fragment, and in which function it begins."""
    if not heading and (group := _in_group(mask)) is not None:
        return group
    if found := _TYPE.match(heading):
        return *enclose(mask, f"type {found.group(1)} {found.group(2)} {{".encode(), method=b"struct {"), ""
    name = ".".join(part for part in found.groups() if part) if (found := _METHOD.match(heading)) else ""
    return *enclose(mask, b"func _() {", method=b"{", function=True), name


def _in_group(mask: bytes) -> tuple[bytes, bytes, str] | None:
    """Open the group of declarations that a fragment ends, which git never names: a bracket at the margin tells."""
    cut = edges(mask)
    if len(cut.closers) != 1 or cut.closers[0].sign != b")" or cut.closers[0].indented:
        return None
    inside = mask[: cut.closers[0].offset]
    # Only constants may follow one another by their names alone.
    word = b"import" if not inside.strip() or _QUOTED.search(inside) else b"var"
    if b"iota" in inside or _BARE.search(inside):
        word = b"const"
    return word + b" (", b"\n" + cut.tail, ""
