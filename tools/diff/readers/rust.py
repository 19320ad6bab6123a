"""Reads Rust: items by a syntax tree without function bodies, sites by the text."""

import re
from dataclasses import dataclass

from tools.diff.readers import syntax
from tools.diff.readers.bones import without_bodies
from tools.diff.readers.calls import named_environment
from tools.diff.readers.fragment import OPENING, edges, enclose, uncomment
from tools.diff.readers.located import Located
from tools.diff.readers.masked import Masked
from tools.diff.readers.rust_aliases import unaliased
from tools.diff.readers.rust_given import given, passed_on
from tools.diff.readers.rust_offers import commands
from tools.diff.readers.rust_sites import sites
from tools.diff.readers.rust_symbols import SymbolReader
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Reading, Source

_LEXIS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb"|r(?P<mark>#{0,4})\".*?(?:\"(?P=mark)|\Z)"
    rb"|\"[^\"\\]*(?:\\.[^\"\\]*)*\"?"
    rb"|'(?:[^'\\\n]|\\[^\n]{1,9}?)'",
    re.S,
)
_FUNCTION = re.compile(rb"\bfn\s+\w+|\bmacro_rules!")
_HEADING = re.compile(r"^(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe)\s+|extern\s+\"[^\"]*\"\s+)*(\w+)!?\s*(.*)")
_NAME = re.compile(r"\w+")
_PARAMETERS = re.compile(rb"\s*(?:[\w&' ]+\s*:[^;{}=]*|&?(?:mut )?self,\s*)+")
_METHOD = re.compile(rb"^([ \t]+)(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe)\s+)*fn\s", re.M)
_ENV = re.compile(rb"env(?:::var(?:_os)?|_var\w*)\s*\(\s*(\w+)\s*[,)]")
_TEST = re.compile(rb"#\[(?:\w+::)*test\b")


def read(source: Source) -> Reading:
    """Say what a Rust source declares."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    masked = Masked(source.text if source.whole else uncomment(source.text), _LEXIS, source.first_line)
    around = _Frame() if source.whole else _frame(masked.mask, source.heading)
    before, after = around.before, around.after
    bones = without_bodies(before + masked.bare + after, before + masked.mask + after, _FUNCTION)
    root = syntax.parser("tree_sitter_rust").parse(bones.text).root_node
    if (problem := syntax.overgrown(root, source.path)) is not None:
        return Reading(problems=(problem,))
    opened = passed_on(masked.mask)
    reader = SymbolReader(Located(masked, bones, len(before)), around.continued, opened)
    symbols = given(unaliased(reader.read(root), masked.mask), masked.mask, opened)
    scopes = Scopes(symbols, around.scope, masked.line(len(masked.text)))
    if not source.whole and (source.heading.startswith("mod test") or _TEST.search(masked.mask)):
        reader.tests.append((0, masked.line(len(masked.text))))
        symbols = [symbol for symbol in symbols if symbol.public]
    found = [*reader.sites, *sites(masked, scopes, reader.tests, asserts=source.whole)]
    found += named_environment(masked, symbols, _ENV)
    if b"Subcommand" in masked.mask:
        offered = commands(symbols)
        found += offered.values()
        symbols = [symbol for symbol in symbols if symbol.name not in offered]
    return Reading(
        symbols=tuple(sorted(symbols, key=lambda symbol: (symbol.start, -symbol.end))),
        sites=tuple(sorted(found, key=lambda site: (site.start, site.kind, site.name))),
        code=masked.code if source.digest else "",
        problems=bones.problems(source.path),
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """What to put around a fragment, the function it begins in, whether it holds the rest of that one's signature."""

    before: bytes = b""
    after: bytes = b""
    scope: str = ""
    continued: bool = False


def _frame(mask: bytes, heading: str) -> _Frame:
    match = _HEADING.match(heading)
    word, rest = match.groups() if match else ("", "")
    name = _NAME.search(rest)
    if word == "fn" and name:
        end = edges(mask).closers[0].offset if rest.count("(") > rest.count(")") and edges(mask).closers else 0
        if _PARAMETERS.fullmatch(mask, 0, end):
            return _Frame(f"fn {name.group()}(".encode(), b"\n" + edges(mask).tail, continued=True)
        opening = f"fn {name.group()}() {{".encode()
        if (found := _method_frame(mask, opening)) is not None:
            return _Frame(*found, name.group())
        return _Frame(*enclose(mask, opening, method=b"fn _() {", function=True), name.group())
    if word in ("struct", "enum", "union", "trait", "mod") and name:
        return _Frame(*enclose(mask, f"pub {word} {name.group()} {{".encode(), method=b"fn _() {"))
    if word == "impl":
        target = rest.split("{")[0].split(" where ")[0].strip()
        return _Frame(*enclose(mask, f"impl {_generics(target)} {{".encode(), method=b"fn _() {"))
    return _Frame(*enclose(mask, b"fn _() {", method=b"fn _() {", function=True))


def _method_frame(mask: bytes, opening: bytes) -> tuple[bytes, bytes] | None:
    """Open an implementation of an unknown type around a fragment in which an indented function begins."""
    found = _METHOD.search(mask)
    if found is None:
        return None
    cut, column = edges(mask), len(found.group(1))
    braces = [closer for closer in cut.closers if closer.sign == b"}"]
    columns = [len(line) - len(line.lstrip()) for line in (mask[mask.rfind(b"\n", 0, c.offset) + 1 :] for c in braces)]
    after = b"\n" + cut.tail + (b"" if 0 in columns else b"}")
    if column not in columns:
        return (b"impl _ {", after) if not cut.closers else None
    own = cut.closers.index(braces[columns.index(column)])
    inner = b"".join(OPENING[closer.sign] for closer in reversed(cut.closers[:own]))
    return b"impl _ {" + opening + inner, after


def _generics(target: str) -> str:
    """Leave out the type parameters right behind `impl`, which a cut heading may leave open."""
    depth = 0
    if not target.startswith("<"):
        return target
    for index, letter in enumerate(target):
        depth += (letter == "<") - (letter == ">")
        if depth == 0:
            return target[index + 1 :].strip()
    return "_"
