"""The macros that a C, C++ or CUDA text defines."""

import re
from collections.abc import Iterator, Sequence

from tools.diff.readers import syntax
from tools.diff.readers.masked import Masked
from tools.diff.readers.syntax import mentions
from tools.diff.reading import Param, Site, Symbol

MAX_VALUE = 300
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)(\([^()\n]*\))?((?:[^\n\\]*(?:\\(?:\r\n|.))?)*)", re.M | re.S)
_GUARD = re.compile(rb"#[ \t]*ifndef[ \t]+(\w+)\s*\n[ \t]*#[ \t]*define[ \t]+\1[ \t]*\r?$", re.M)
_UNDEF = re.compile(rb"#[ \t]*undef[ \t]+(\w+)")
_SIMPLE = re.compile(r"(?!.*[A-Za-z_]\w*\s*\()[-\w.:\"' <>*+|&/%()]+|\".*\"")
_CASE = re.compile(rb"\bcase\s+(?:\w+::)*(\w+)\s*:(?!:)")
_CHAIN = re.compile(rb"\bif\s*\(\s*(\w+)\s*==\s*(?:\w+::)*(\w+)\s*\)")
_VERSION = re.compile(r"VERSION|(?:^|_)VER(?:_|$)")
_PARTS = ("_MAJOR", "_MINOR", "_PATCH")
_PART = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"\(?\"?v?\d[\w.+-]*\"?\)?")


def macros(masked: Masked, path: str) -> Iterator[Symbol]:
    """Give every macro; one that stands for a plain value counts as a constant.

    A macro for users has a name of its project, which the path has too; any other helps the code around it.
    """
    if b"define" not in masked.mask:
        return
    home = set(_PART.findall(path.lower()))
    guards = {found.group(1) for found in _GUARD.finditer(masked.mask)}
    # A macro that its own file takes back is an abbreviation, not an interface.
    passing = {found.group(1) for found in _UNDEF.finditer(masked.mask)}
    for match in _DEFINE.finditer(masked.mask):
        line = masked.mask.rfind(b"\n", 0, match.start()) + 1
        if match.group(1) in guards or masked.mask[line : match.start()].strip():
            continue
        name = match.group(1).decode()
        value = syntax.fold(masked.bare[match.start(3) : match.end(3)].replace(b"\\\n", b" ").replace(b"\\\r\n", b" "))
        params = None
        if match.group(2) is not None:
            names = syntax.fold(match.group(2)).strip("()").split(",")
            params = tuple(Param(part.strip()) for part in names if part.strip())
        start, head = masked.line(match.start()), masked.line(match.end(2) if params is not None else match.end(1))
        yield Symbol(
            name=name,
            kind="constant" if params is None and _SIMPLE.fullmatch(value) else "macro",
            start=start,
            end=masked.line(match.end()),
            head=head,
            public=not name.startswith("_") and match.group(1) not in passing,
            params=params,
            value=value if value and params is None and len(value) <= MAX_VALUE else None,
            shape=masked.shape(*match.span(3), without=name),
            device=home.isdisjoint(_PART.findall(name.lower())),
        )


def dispatches(masked: Masked) -> Iterator[Site]:
    """Give the values that a macro takes, of those that choose by one, be it with `switch` or with `else if`."""
    if b"define" not in masked.mask or not mentions(masked.mask, (b"case", b"else if")):
        return
    for match in _DEFINE.finditer(masked.mask):
        found = _chosen(masked.bare[match.start(3) : match.end(3)]) if match.group(2) is not None else ()
        if len(found) > 1:
            lines = masked.line(match.start()), masked.line(match.end())
            yield Site("limit", match.group(1).decode(), *lines, choices=tuple(one.decode() for one in found))


def _chosen(body: bytes) -> Sequence[bytes]:
    """List the cases of a macro, or else the values with which a chain of conditions compares one thing."""
    if cases := _CASE.findall(body):
        return cases
    chain = _CHAIN.findall(body) if b"else if" in body else []
    return [value for _, value in chain] if len({thing for thing, _ in chain}) == 1 else ()


def versions(symbols: list[Symbol]) -> Iterator[Site]:
    """Give the macros that say which version this is."""
    for symbol in symbols:
        if (
            symbol.kind == "constant"
            and symbol.value
            and _VERSION.search(symbol.name)
            and _NUMBER.fullmatch(symbol.value)
        ):
            yield Site("version", symbol.name, symbol.start, symbol.end, value=symbol.value.strip('()"'))


def without_parts(symbols: list[Symbol]) -> tuple[list[Symbol], list[Site]]:
    """Take `X_MAJOR`, `X_MINOR` and `X_PATCH` for the version they make up together."""
    numbers = {s.name: s for s in symbols if s.kind == "constant" and s.name.endswith(_PARTS) and s.value}
    sites: list[Site] = []
    for name in [name for name in numbers if name.endswith(_PARTS[0])] if len(numbers) >= len(_PARTS) else ():
        parts = [numbers.get(name.removesuffix(_PARTS[0]) + part) for part in _PARTS]
        known = [part for part in parts if part is not None and (part.value or "").isdigit()]
        if len(known) == len(_PARTS):
            symbols = [symbol for symbol in symbols if symbol not in known]
            value = ".".join(part.value or "" for part in known)
            lines = min(part.start for part in known), max(part.end for part in known)
            sites.append(Site("version", name.removesuffix(_PARTS[0]), *lines, value=value))
    return symbols, sites
