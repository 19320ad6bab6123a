"""What a user of TypeScript or JavaScript code sets, calls by name or runs into, found in the masked text."""

import re
from collections.abc import Iterator

from tools.diff.readers.calls import ENV_NAME, Sites, calls
from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Site, Symbol

_ENV = re.compile(rb"(?:process|import\.meta)\.env(?:\.([A-Z][A-Z0-9_]+)|\[\s*(?=[\"'`]))")
_DEFAULT = re.compile(rb"\s*(?:\?\?|\|\|)\s*([^\s;,)}]+)")
_DENO = re.compile(rb"env\.get\s*\(\s*[\"']|[gG]etEnv\w*\s*\(\s*[\"']")
_THROW = re.compile(rb"throw\s+(?:new\s+)?([\w.]+)\s*\(")
_IF = re.compile(rb"if(?<!\wif)\s*\(")
_FAILS = re.compile(rb"\bthrow\b|\breject\s*\(|process\.exit\s*\(")
_OPTION = re.compile(rb"\b(?:option|requiredOption|addOption)\s*\(\s*[\"'`]")
_LONG = re.compile(r"--([\w-]+)")
_ROUTE = re.compile(rb"\.(get|post|put|delete|patch|head|options|all)\s*(?:<[^<>()]*>)?\(\s*[\"'`]")
_DEPRECATED = re.compile(rb"@deprecated\b[ \t]*([^\n]*)")


def sites(masked: Masked, scopes: Scopes, symbols: list[Symbol]) -> list[Site]:
    """Return every site."""
    make = Sites(masked, scopes)
    return [
        *_environment(make),
        *make.environment(_DENO),
        *_errors(make),
        *make.guards(_IF, _FAILS),
        *_flags(make),
        *_routes(make),
        *_deprecations(make, symbols),
    ]


def _environment(make: Sites) -> Iterator[Site]:
    masked = make.masked
    for match in _ENV.finditer(masked.mask):
        end = match.end()
        name = match.group(1).decode() if match.group(1) else ""
        if not name:
            end = masked.mask.find(b"]", end, end + 200) + 1
            name = masked.literal(match.end(), end - 1) or ""
        default = _DEFAULT.match(masked.mask, end)
        if ENV_NAME.fullmatch(name):
            yield make.at("env", name, match.start(), end, masked.fold(*default.span(1)) if default else None)


def _errors(make: Sites) -> Iterator[Site]:
    for match in _THROW.finditer(make.masked.mask):
        end = make.masked.close(match.end() - 1) or match.end()
        message = make.message([(match.end(), end)])
        yield make.at("error", match.group(1).decode(), match.start(), end, message)


def _flags(make: Sites) -> Iterator[Site]:
    """Give the options of commander, whose first string shows the flag, and of yargs, whose first string names it."""
    masked = make.masked
    for call in calls(masked, _OPTION):
        shown = masked.literal(*call.arguments[0]) if call.arguments else None
        long = _LONG.search(shown or "")
        if long is not None:
            given = [masked.fold(*span) for span in call.arguments[2:]]
            value = next((text for text in given if "=>" not in text and not text.startswith("parse")), None)
            yield make.at("flag", f"--{long.group(1)}", call.start, call.end, value.strip("\"'") if value else None)
        elif shown and len(call.arguments) > 1 and masked.mask[slice(*call.arguments[1])].lstrip().startswith(b"{"):
            default = re.search(r"\bdefault:\s*([^,}]+)", masked.fold(*call.arguments[1]))
            value = default.group(1).strip().strip("\"'") if default else None
            yield make.at("flag", f"--{shown}", call.start, call.end, value)


def _routes(make: Sites) -> Iterator[Site]:
    masked = make.masked
    for match in _ROUTE.finditer(masked.mask):
        opening = masked.mask.index(b"(", match.start())
        arguments = masked.arguments(opening)
        path = masked.literal(*arguments[0]) if arguments else None
        # A client calls `get("/x")` too; what serves a route is given something to run.
        if (
            path
            and path.startswith("/")
            and len(arguments) > 1
            and masked.mask[slice(*arguments[1])].strip()[:1] != b"{"
        ):
            verb = match.group(1).decode().upper().replace("ALL", "ANY")
            yield make.at("route", f"{verb} {path}", match.start(), masked.close(opening) or match.end())


def _deprecations(make: Sites, symbols: list[Symbol]) -> Iterator[Site]:
    """Give the names under a comment that says `@deprecated`."""
    masked = make.masked
    for match in _DEPRECATED.finditer(masked.text):
        if masked.bare[match.start() : match.end()].strip():
            continue
        line = masked.line(match.start())
        owner = min(
            (symbol for symbol in symbols if symbol.start >= line), key=lambda symbol: symbol.start, default=None
        )
        if owner is not None:
            value = match.group(1).decode("utf-8", "replace").replace("*/", "").strip() or None
            yield Site("deprecation", owner.name, line, line, value=value)
