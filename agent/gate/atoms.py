"""The numbers that the words of a claim state, each with its unit and with what it counts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from agent.claims import MARK
from agent.gate.dates import find_dates
from agent.gate.nouns import Noun, noun_at
from agent.gate.numerals import numerals
from agent.gate.units import Unit, unit_at

_CODE = re.compile(r"(`+)(?!`)(?P<code>.*?)(?<!`)\1(?!`)", re.DOTALL)
_LISTING = re.compile(r"^\s*(?:\(\d{1,2}\)|（\d{1,2}）|\d{1,2}[.)、])(?=\s|[^\d\s.])", re.MULTILINE)
_IN_CODE = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.]*\w)", re.ASCII)
_RUN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:/+–-]*[A-Za-z0-9_]|[0-9]", re.ASCII)
# V100 and V3 are names of things; v2 may be either, and stands in the evidence as it is.
_VERSION = re.compile(r"v\d+(?:\.\d+)*|[vV]\d+(?:\.\d+)+|\d+(?:\.\d+){2,}")
_NUMBER = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_SIGN = re.compile(r"(?<![\w)])(?P<sign>[+＋−–-])\s?$")


@dataclass(frozen=True)
class Atom:
    """One number as it stands in the words."""

    text: str
    value: Decimal | None
    """None for a version or a mixed token, which must stand in the evidence as it is."""
    unit: Unit | None = None
    noun: Noun | None = None
    of: str = ""
    """What narrows the noun down: `test` in "3 test files"."""
    sign: str = ""
    before: str = ""
    """The words in front of it, in which a verb gives the direction."""
    after: str = ""
    in_code: bool = False
    word: bool = False


def atoms(text: str) -> Iterator[Atom]:
    """Find every number; digits inside a name are not one, and neither are dates, marks and the numbers of a list."""
    text = MARK.sub(lambda mark: " " * len(mark[0]), text)
    for date in find_dates(text):
        text = _blank(text, date.start, date.start + len(date.text))
    for match in _LISTING.finditer(text):
        text = _blank(text, *match.span())
    for span in _CODE.finditer(text):
        yield from (_literal(number, span["code"]) for number in _IN_CODE.finditer(span["code"]))
        text = _blank(text, *span.span(), sign="§")
    for run in _RUN.finditer(text):
        yield from _read(text, run)
    for value, start, end in numerals(text):
        yield _atom(text, Decimal(value), text[start:end], start, end, word=True)


def _blank(text: str, start: int, end: int, sign: str = " ") -> str:
    return text[:start] + sign * (end - start) + text[end:]


def _literal(number: re.Match[str], code: str) -> Atom:
    value = None if number[0].count(".") > 1 else Decimal(number[0])
    return Atom(number[0], value, before=code[: number.start()], after=code[number.end() :], in_code=True)


def _read(text: str, run: re.Match[str]) -> Iterator[Atom]:
    """Tell a number, a range of numbers, a version and a name apart."""
    token = run[0]
    if _VERSION.fullmatch(token):
        yield Atom(token, None)
        return
    if not token[0].isdigit() or _ORDINAL.fullmatch(token):
        return
    position = 0
    while match := _NUMBER.match(token, position):
        _, end = unit_at(text, run.start() + match.end())
        rest = token[max(end - run.start(), match.end()) :]
        if rest[:1] and rest[0] not in ",:/+–-~":
            yield from _mixed(token[position:], text, run.start() + position)
            return
        start = run.start() + match.start()
        yield _atom(text, Decimal(match["number"].replace(",", "")), match["number"], start, run.start() + match.end())
        position = len(token) - len(rest) + 1
    if position < len(token) and any(sign.isdigit() for sign in token[position:]) and position:
        yield from _tail(token[position:])


def _tail(rest: str) -> Iterator[Atom]:
    """Read what stands behind the sign of a range when it begins with no number: a name."""
    if _VERSION.fullmatch(rest):
        yield Atom(rest, None)


def _mixed(token: str, text: str, start: int) -> Iterator[Atom]:
    """Read a token such as `8xH100`, `7B` or `2.8.0rc1`: its number counts things, or all of it is one name."""
    counted = re.match(r"(\d+)x(?=[A-Z])", token)
    if counted:
        yield _atom(text, Decimal(counted[1]), counted[1], start, start + counted.end())
    elif re.fullmatch(r"\d+(?:x\d+)+", token):
        yield from (Atom(number, Decimal(number)) for number in token.split("x"))
    else:
        yield Atom(token, None)


def _atom(text: str, value: Decimal, written: str, start: int, end: int, *, word: bool = False) -> Atom:
    unit, _ = unit_at(text, end)
    noun, of = noun_at(text, end)
    sign = _SIGN.search(text[:start])
    return Atom(
        written,
        value,
        unit if noun is None else None,
        noun,
        of,
        {"＋": "+", "−": "-", "–": "-"}.get(sign["sign"], sign["sign"]) if sign else "",
        text[max(0, start - 80) : start],
        text[end : end + 120],
        word=word,
    )
