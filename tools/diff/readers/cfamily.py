"""Reads C, C++ and CUDA: declarations by a syntax tree of the skeleton, sites by the text."""

import re
from collections import Counter
from collections.abc import Iterator

from tools.diff.headers import HEADERS
from tools.diff.readers import syntax
from tools.diff.readers.calls import named_environment
from tools.diff.readers.cfamily_entries import entries, exported
from tools.diff.readers.cfamily_frame import Frame, frame
from tools.diff.readers.cfamily_macros import dispatches, macros, versions, without_parts
from tools.diff.readers.cfamily_sites import SiteReader
from tools.diff.readers.cfamily_skeleton import skeleton
from tools.diff.readers.cfamily_switches import switches, with_conditions, without_dead
from tools.diff.readers.cfamily_symbols import SymbolReader
from tools.diff.readers.fragment import uncomment
from tools.diff.readers.masked import Masked, blank
from tools.diff.readers.scopes import CLASSES, Scopes
from tools.diff.readers.syntax import mentions
from tools.diff.reading import Reading, Source, Symbol

_LEXIS = re.compile(
    rb"//[^\n\\]*(?:\\(?:\r\n|.)[^\n\\]*)*|/\*.*?(?:\*/|\Z)"
    rb"|R\"(?P<mark>[^\s()\\\"]{0,16})\(.*?(?:\)(?P=mark)\"|\Z)"
    rb"|\"[^\"\\\n]*(?:\\(?:\r\n|.)[^\"\\\n]*)*\"?"
    rb"|'(?<![0-9A-Fa-f]')(?:[^'\\\n]|\\.){1,8}'",
    re.S,
)
_ENV = re.compile(rb"[eE][nN][vV]\w*\s*(?:<[^<>]*>\s*)?\(\s*(\w+)\s*[,)]")
_CALLED = re.compile(rb"\b(\w+)\s*[<(]")
_INCLUDED = re.compile(rb"include[ \t]+[\"<](?:[^\">\n]*/)?([\w.+-]+)[\">]")
_EXPORTED = re.compile(rb"^[ \t]*(?:extern[ \t]+)?[A-Z][A-Z0-9_]*_(?:API|EXPORT)[ \t]+[A-Za-z_][^;{}()=#]*\(", re.M)


def read(source: Source) -> Reading:
    """Say what a C, C++ or CUDA source declares."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    text = source.text if source.whole else uncomment(source.text)
    masked = Masked(text, _LEXIS, source.first_line)
    around = Frame() if source.whole else frame(masked.mask, source.heading)
    before, after, hidden = around.before, around.after, blank(text[: around.hidden])
    bones = skeleton(
        before + hidden + masked.bare[around.hidden :] + after, before + hidden + masked.mask[around.hidden :] + after
    )
    grammar = "tree_sitter_c" if source.path.endswith(".c") else "tree_sitter_cuda"
    root = syntax.parser(grammar).parse(bones.text).root_node
    if (problem := syntax.overgrown(root, source.path)) is not None:
        return Reading(problems=(problem,))
    reader = SymbolReader(masked, bones, source.path, len(before), around.continued, source.whole)
    symbols = [*reader.read(root), *macros(masked, source.path)]
    symbols, whole_versions = without_parts(symbols)
    symbols = _with_helpers(symbols, masked.mask)
    scopes = Scopes(symbols, around.scope, masked.line(around.until))
    classes = Scopes(symbols, kinds=CLASSES) if source.path.endswith(HEADERS) else None
    found = [
        *with_conditions(masked, scopes, SiteReader(masked, scopes, classes).read()),
        *entries(masked, symbols),
        *(switches(masked) if classes is not None else ()),
        *dispatches(masked),
        *versions(symbols),
        *whole_versions,
    ]
    found = without_dead(masked, [*found, *named_environment(masked, symbols, _ENV)])
    return Reading(
        symbols=tuple(sorted(symbols, key=lambda symbol: (symbol.start, -symbol.end))),
        sites=tuple(sorted(found, key=lambda site: (site.start, site.kind, site.name))),
        exports=exported(masked),
        imports=frozenset(reader.imports),
        overloaded=not source.path.endswith(".c"),
        generics=frozenset(reader.generics),
        includes=frozenset(_included(text)),
        offered=classes is not None and _exports(masked.mask),
        code=masked.code if source.digest else "",
        problems=bones.problems(source.path),
    )


def _included(text: bytes) -> Iterator[str]:
    """Name the headers that a file includes; the word is found far faster than the beginnings of lines."""
    for found in _INCLUDED.finditer(text):
        if text[text.rfind(b"\n", 0, found.start()) + 1 : found.start()].strip(b" \t") == b"#":
            yield found.group(1).decode()


def _exports(mask: bytes) -> bool:
    """Tell whether a header gives functions to those who link with its library."""
    return mentions(mask, (b"_API ", b"_EXPORT ")) and _EXPORTED.search(mask) is not None


def _with_helpers(symbols: list[Symbol], mask: bytes) -> list[Symbol]:
    """Mark the functions that only kernels call, those of their parts or of the file: users launch the kernels."""
    symbols = [symbol._replace(device=True) if _is_of_a_part(symbol) else symbol for symbol in symbols]
    if not any("__global__" in symbol.decorators for symbol in symbols):
        return symbols
    if not any(map(_may_help, symbols)):
        return symbols
    uses = Counter(_CALLED.findall(mask))
    return [symbol._replace(device=True) if _is_helper(symbol, uses) else symbol for symbol in symbols]


def _is_of_a_part(symbol: Symbol) -> bool:
    """Tell whether it is a function of a part of a kernel: the kernel calls it, whose users hand over arguments."""
    return symbol.kind == "method" and symbol.name.rpartition(".")[0].rpartition(".")[2].startswith("Collective")


def _may_help(symbol: Symbol) -> bool:
    return symbol.kind == "function" and "__device__" in symbol.decorators and "__host__" not in symbol.decorators


def _is_helper(symbol: Symbol, uses: Counter[bytes]) -> bool:
    return _may_help(symbol) and uses[symbol.name.rpartition(".")[2].encode()] > 1
