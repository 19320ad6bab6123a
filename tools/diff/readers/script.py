"""Reads TypeScript and JavaScript: declarations by a syntax tree, sites by the text."""

import re

from tree_sitter import Parser

from tools.diff.readers import syntax
from tools.diff.readers.bones import Bones
from tools.diff.readers.fragment import enclose, uncomment
from tools.diff.readers.located import Located
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.readers.script_sites import sites
from tools.diff.readers.script_symbols import SymbolReader
from tools.diff.reading import Reading, Source

_LEXIS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|`[^`\\]*(?:\\.[^`\\]*)*`?"
    # A slash begins a pattern only where no value stands before it.
    rb"|/(?:(?<=[=(,:;!&|?\[{}]/)|(?<=[=(,:;!&|?\[{}] /))(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/",
    re.S,
)
_HEADING = re.compile(
    r"^(export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(class|interface|enum|const\s+enum|function\*?|namespace|const|let|var)\s+(\w+)"
)
_BLOCKS = {"class", "interface", "enum", "const enum", "namespace"}


def read(source: Source) -> Reading:
    """Say what a TypeScript or JavaScript source declares."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    text = source.text if source.whole else uncomment(source.text)
    masked = Masked(text, _LEXIS, source.first_line)
    before, after, scope = (b"", b"", "") if source.whole else _frame(masked.mask, source.heading)
    # The text itself is parsed, since the mask only guesses what is a pattern or the text of a tag.
    bones = Bones(before + text + after)
    root = _parser(source.path).parse(bones.text).root_node
    if (problem := syntax.overgrown(root, source.path)) is not None:
        return Reading(problems=(problem,))
    reader = SymbolReader(Located(masked, bones, len(before)))
    symbols = reader.read(root)
    scopes = Scopes(symbols, scope, masked.line(len(text)))
    return Reading(
        symbols=tuple(sorted(symbols, key=lambda symbol: (symbol.start, -symbol.end))),
        sites=tuple(sorted(sites(masked, scopes, symbols), key=lambda site: (site.start, site.kind, site.name))),
        exports=frozenset(reader.exports) if source.whole and reader.exports else None,
        code=masked.code if source.digest else "",
        problems=bones.problems(source.path),
    )


def _parser(path: str) -> Parser:
    if path.endswith((".ts", ".mts", ".cts")):
        return syntax.parser("tree_sitter_typescript", "language_typescript")
    if path.endswith(".tsx"):
        return syntax.parser("tree_sitter_typescript", "language_tsx")
    return syntax.parser("tree_sitter_javascript")


def _frame(mask: bytes, heading: str) -> tuple[bytes, bytes, str]:
    """Say what to put around a fragment, and in which function it begins."""
    found = _HEADING.match(heading)
    if found is None:
        return *enclose(mask, b"function _() {", method=b"{", function=True), ""
    export, word, name = found.groups()
    if word in _BLOCKS:
        return *enclose(mask, f"{export or ''}{word} {name} {{".encode(), method=b"_() {"), ""
    if word in ("const", "let", "var") and "=>" not in heading and "function" not in heading:
        return *enclose(mask, b"const _ = {", method=b"_() {"), ""
    return *enclose(mask, b"function _() {", method=b"{", function=True), name
