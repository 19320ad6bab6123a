"""What a user of Go code sets, calls by name or runs into, found in the masked text."""

import re
from collections.abc import Iterator

from tools.diff.readers.calls import Sites, calls
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Site, Symbol

_ENV = re.compile(rb"(?:\bos\.(?:Getenv|LookupEnv)|[eE]nv\w*)\s*\(\s*[\"`]")
_FAIL = re.compile(rb"\b(?:errors\.New|fmt\.Errorf|panic|log\.Fatalf?)\s*\(")
_FAILS = re.compile(rb"errors\.New|fmt\.Errorf|\bpanic\s*\(|\breturn\b[^\n;]*\b[eE]rr")
_IF = re.compile(rb"if (?<!\wif )(?![^{\n]*:=)")
_TYPES = rb"(?:String|Bool|Int|Int32|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray)"
_FLAG = re.compile(
    rb"\b(?:flag|[fF]lags\(\)|PersistentFlags\(\)|fs|flags|flagset|pflag)\.(%s(?:Var)?(?:P)?)\s*\(" % _TYPES
)
_ROUTE = re.compile(
    rb"\.(Handle(?:Func)?|GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|Get|Post|Put|Delete|Patch|Any)\s*\(\s*[\"`]"
)
_METHODS = re.compile(rb"\.Methods\s*\(")
_DEPRECATED = re.compile(rb"^[ \t]*//[ \t]*Deprecated:[ \t]*(.*)", re.M)


def sites(masked: Masked, scopes: Scopes, symbols: list[Symbol]) -> list[Site]:
    """Return every site."""
    make = Sites(masked, scopes)
    return [
        *make.environment(_ENV),
        *_errors(make),
        *make.guards(_IF, _FAILS),
        *_flags(make),
        *_routes(make),
        *_deprecations(make, symbols),
    ]


def _errors(make: Sites) -> Iterator[Site]:
    for call in calls(make.masked, _FAIL):
        message = make.message(call.arguments[:1])
        yield make.at("error", call.name, call.start, call.end, message)


def _flags(make: Sites) -> Iterator[Site]:
    """Give flags of the standard library and of cobra; `StringVar` has the variable first, a final `P` a short name."""
    masked = make.masked
    for match in _FLAG.finditer(masked.mask):
        arguments = masked.arguments(match.end() - 1)
        at = 1 if b"Var" in match.group(1) else 0
        name = masked.literal(*arguments[at]) if len(arguments) > at else None
        default = at + (2 if match.group(1).endswith(b"P") else 1)
        if name:
            value = masked.fold(*arguments[default]) if len(arguments) > default else None
            yield make.at("flag", f"--{name}", match.start(), arguments[-1][1], value.strip('"') if value else None)


def _routes(make: Sites) -> Iterator[Site]:
    masked = make.masked
    for match in _ROUTE.finditer(masked.mask):
        opening = masked.mask.index(b"(", match.start())
        arguments = masked.arguments(opening)
        path = masked.literal(*arguments[0]) if arguments else None
        if not path or len(arguments) < 2 or "/" not in path:
            continue
        verbs = [match.group(1).decode().upper()]
        if verbs[0].startswith("HANDLE"):
            first, _, rest = path.partition(" ")
            verbs, path = ([first], rest) if rest.startswith("/") else (["ANY"], path)
        if path.startswith("/"):
            end = masked.close(opening) or match.end()
            if chained := _METHODS.match(masked.mask, end + 1):
                verbs = [*masked.literals(chained.end(), masked.close(chained.end() - 1) or chained.end())] or verbs
            for verb in verbs:
                yield make.at("route", f"{verb} {path}", match.start(), end, masked.fold(*arguments[1]))


def _deprecations(make: Sites, symbols: list[Symbol]) -> Iterator[Site]:
    """Give the names under a comment that says `Deprecated:`, which is how Go says it."""
    for match in _DEPRECATED.finditer(make.masked.text):
        line = make.masked.line(match.start())
        owner = min(
            (symbol for symbol in symbols if symbol.start > line), key=lambda symbol: symbol.start, default=None
        )
        if owner is not None:
            yield Site("deprecation", owner.name, line, line, value=match.group(1).decode("utf-8", "replace").strip())
