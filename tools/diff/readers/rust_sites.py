"""What a user of Rust code sets, calls by name or runs into, found in the masked text."""

import re
from collections.abc import Iterator

from tools.diff.readers.calls import Sites, calls
from tools.diff.readers.masked import Masked
from tools.diff.readers.rust_offers import metrics
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Site

_ENV = re.compile(rb"\b(?:env::var(?:_os)?|getenv|env_\w+|(?!(?:set|unset|remove|is|with)_)\w+_env\w*!?)\s*\(\s*\"")
"""What asks for a variable when it runs, or where a builder may give one; `env!` stands for what the build sets."""
_FAIL = re.compile(
    rb"\b(?:bail(?:_\w+)?|anyhow|panic|unimplemented|unreachable|ensure|assert|assert_eq|assert_ne)!\s*\("
)
_CHECKED = {"ensure!": 1, "assert!": 1, "assert_eq!": 2, "assert_ne!": 2}
_ERR = re.compile(rb"\bErr\s*\(\s*((?:\w+::)*[A-Z]\w*|\w*error!|format!|(?=\"))")
_WORDS_ALONE = "Err"
"""What an error is called that is nothing but its words: `Err(format!("no such color: {c}"))`."""
_MISSING = re.compile(rb"\bok_or(?:_else)?\s*\(\s*(?:\|\|\s*)?(?:\{\s*)?((?:\w+::)*[A-Z]\w*|\w*error!)")
"""Where what is not there fails: `found.ok_or_else(|| Error::new("not found"))?`."""
_FAILS = re.compile(rb"\bErr\s*\(|\b(?:bail(?:_\w+)?|panic|anyhow)!|\bError\b")
_MOST = 1500
_IF = re.compile(rb"if (?<!\wif )(?!let\b)")
_ROUTE = re.compile(rb"\broute\s*\(\s*\"")
_VERB = re.compile(rb"\b(get|post|put|delete|patch|head|options|any)\s*\(")
_LONG = re.compile(rb"\blong\s*\(\s*\"")
_DEFAULT = re.compile(rb"\bdefault_value\s*\(")
_ALIAS = re.compile(rb"\.(?:visible_)?alias(?:es)?\s*\(")


def sites(masked: Masked, scopes: Scopes, tests: list[tuple[int, int]], *, asserts: bool) -> list[Site]:
    """Return every site outside the given lines of tests; assertions only where it is known what is a test."""
    make = Sites(masked, scopes)
    found = [
        *make.environment(_ENV),
        *_errors(make, asserts),
        *make.guards(_IF, _FAILS),
        *_routes(make),
        *_flags(make),
        *metrics(make),
    ]
    return [site for site in found if not any(first <= site.start <= last for first, last in tests)]


def _errors(make: Sites, asserts: bool) -> Iterator[Site]:
    for call in calls(make.masked, _FAIL):
        if call.name.startswith("assert") and not asserts:
            continue
        conditions = _CHECKED.get(call.name, 0)
        message = make.message(call.arguments[conditions:])
        if message is None and conditions and call.arguments:
            message = make.masked.fold(*call.arguments[0])
        yield make.at("error", call.name, call.start, call.end, message)
        if conditions == 1 and call.arguments:
            yield from make.limits(call.arguments[0])
    for pattern in (_ERR, _MISSING):
        for match in pattern.finditer(make.masked.mask):
            name = match.group(1).decode().replace("::", ".")
            name = _WORDS_ALONE if name in ("", "format!") else name
            end = make.masked.close(make.masked.mask.index(b"(", match.start()), _MOST) or match.end()
            # Behind words of its own stands how they are turned into the error: `"not now".to_string()`.
            message = _said(make, match.end(), end) if match.group(1) else make.message([(match.end(), end)])
            # What is not there and why, only words tell.
            if pattern is _ERR or message is not None:
                yield make.at("error", name, match.start(), end, message)


def _said(make: Sites, start: int, end: int) -> str | None:
    """Return the words that an error is made with: of several arguments the first that has any."""
    opening = make.masked.mask.find(b"(", start, end)
    spans = make.masked.arguments(opening) if opening >= 0 else [(start, end)]
    return next((words for span in spans if (words := make.message([span])) is not None), None)


def _routes(make: Sites) -> Iterator[Site]:
    masked = make.masked
    for call in calls(masked, _ROUTE):
        path = masked.literal(*call.arguments[0]) if call.arguments else None
        if not path or len(call.arguments) < 2:
            continue
        span = call.arguments[1]
        verbs = [found.group(1).decode().upper() for found in _VERB.finditer(masked.mask, *span)] or ["ANY"]
        for verb in verbs:
            yield make.at("route", f"{verb} {path}", call.start, call.end, masked.fold(*span))


def _flags(make: Sites) -> Iterator[Site]:
    masked = make.masked
    for call in calls(masked, _LONG):
        name = masked.literal(*call.arguments[0]) if call.arguments else None
        if not name or masked.mask[call.start - 1 : call.start] != b".":
            continue
        end = call.end + 400
        stops = [
            at for at in (masked.mask.find(stop, call.end, end) for stop in (b".arg(", b";", b"Arg::new")) if at >= 0
        ]
        end = min([end, *stops])
        default = _DEFAULT.search(masked.mask, call.end, end)
        spans = masked.arguments(default.end() - 1) if default else []
        given = (
            span for found in _ALIAS.finditer(masked.mask, call.end, end) for span in masked.arguments(found.end() - 1)
        )
        also = tuple(f"--{alias}" for span in given for alias in masked.literals(*span))
        yield make.at("flag", f"--{name}", call.start, call.end, make.message(spans[:1]))._replace(also=also)
