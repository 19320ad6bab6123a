"""The numbers of a sentence or of evidence with their units: what they amount to, in which magnitude."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Literal, NamedTuple

from agent.domain.base import LANGUAGES
from agent.domain.claims import Number
from agent.report_languages import writing_of

_KILO = (Decimal(10**3), Decimal(2**10))
_MEGA = (Decimal(10**6), Decimal(2**20))
_GIGA = (Decimal(10**9), Decimal(2**30))
_TERA = (Decimal(10**12), Decimal(2**40))
_ONE = (Decimal(1),)


class Unit(NamedTuple):
    """A unit: what it measures, and its size in basic units."""

    dimension: str
    factors: tuple[Decimal, ...]  # Two where a prefix is used for powers of ten and of two
    spellings: tuple[str, ...] = ()


def _unit(dimension: str, factors: tuple[Decimal, ...] | str, spellings: str) -> Unit:
    exact = (Decimal(factors),) if isinstance(factors, str) else factors
    return Unit(dimension, exact, tuple(spellings.split()))


_PLAIN = Unit("count", _ONE)
_NOTATION = (
    _unit("time", "1e-9", "ns"),
    _unit("time", "1e-6", "us μs"),
    _unit("time", "1e-3", "ms msec"),
    _unit("time", "1", "s sec secs"),
    _unit("time", "60", "min mins"),
    _unit("time", "3600", "h hr hrs"),
    _unit("time", "86400", "d day"),
    _unit("time", "604800", "week"),
    _unit("width", "1", "bit"),
    _unit("bytes", "1", "b byte"),
    _unit("bytes", _KILO, "kb kib k"),
    _unit("bytes", _MEGA, "mb mib m"),
    _unit("bytes", _GIGA, "gb gib"),
    _unit("bytes", _TERA, "tb tib"),
    _unit("percent", "1", "%"),
    _unit("ratio", "1", "x ×"),
    _unit("frequency", "1", "hz"),
    _unit("frequency", "1e3", "khz"),
    _unit("frequency", "1e6", "mhz"),
    _unit("frequency", "1e9", "ghz"),
    _unit("speed", "1e9", "gflops gflop/s"),
    _unit("speed", "1e12", "tflops tflop/s"),
    _unit("bandwidth", _MEGA, "mb/s mib/s"),
    _unit("bandwidth", _GIGA, "gb/s gib/s"),
    _unit("bandwidth", _TERA, "tb/s tib/s"),
    _unit("count", _KILO, "k"),
    _unit("count", _MEGA, "m"),
    _unit("count", "1e9", "b"),
)
"""Notation of units and magnitudes. `k`, `m` and `b` are both: 64K may be bytes or a count.

How languages spell them out is in `agent/words`.
"""


def _units() -> Iterator[Unit]:
    """Yield the units with the spellings of all languages, and their words for magnitudes."""
    writings = [writing_of(lang) for lang in LANGUAGES]
    for unit in _NOTATION:
        spellings = list(unit.spellings)
        for writing in writings:
            for symbol in unit.spellings:
                spellings += writing.units.get(symbol, ())
        yield unit._replace(spellings=tuple(spellings))
    for writing in writings:
        for power, words in writing.magnitudes.items():
            if words:
                yield Unit("count", (Decimal(power),), words)


def _by_spelling(table: Iterable[Unit]) -> dict[str, list[Unit]]:
    units: dict[str, list[Unit]] = {}
    for unit in table:
        for spelling in unit.spellings:
            units.setdefault(spelling, []).append(unit)
    return units


_TABLE = tuple(_units())
_UNITS = _by_spelling(_TABLE)
_TOUCHING = frozenset("bdkmx")  # One letter that is a unit only where it touches its number
_SPELLINGS = "|".join(re.escape(word) for word in sorted(_UNITS, key=len, reverse=True))
_UNIT_BEHIND = re.compile(rf"(?P<gap>[ -]?)(?P<unit>{_SPELLINGS})(?![A-Za-z0-9_/])", re.IGNORECASE)
_DIMENSIONS = re.compile(r"\dD")
_WIDTHS = frozenset(Decimal(2**power) for power in range(11))
"""Numbers of bits that name a type or a word of a machine, as in 32-bit."""

_EXPONENT = r"(?:[eE][+-]?\d{1,3}(?!\d))?"
_HEX = r"0[xX][0-9A-Fa-f]+"
_DECIMAL = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d[\d_]*)(?:\.\d+)?{_EXPONENT}"
_WRITTEN = re.compile(rf"(?P<hex>{_HEX})|(?P<decimal>{_DECIMAL})(?P<tail>[A-Za-zμ]*|%|×)", re.ASCII)
_LEADING = re.compile(_DECIMAL, re.ASCII)

# In evidence digits may be a part of a name (sm_90), a version (0.6.3) or a list (128,256).
_RUN = re.compile(rf"0[xX][0-9A-Fa-f_]+|\d+(?:[.,_]\d+)*{_EXPONENT}|(?<![\w.)\]])\.\d+", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_GROUPED_WORD = re.compile(rf"(?:{_GROUPED.pattern})[A-Za-z]*$", re.ASCII)
_MAX_NUMBERS = 400_000  # Runs of digits of a text that are read; only made-up texts have more
_MAX_POSITIONS = 2_000  # Positions kept of one value, for units that stand on the same line
_MAX_DIGITS = 25  # A longer run of digits is data, not a number
_Context = Literal["name", "list", "plain"]  # What a run of digits stands in


def read_number(chunk: str) -> Number | None:
    """Read a word that begins with a digit: `5ms`, `1,024`, `0x400`, `2nd`, `8xH100`.

    Letters that are no unit are left out: `8xH100` is an 8.
    """
    if len(chunk) > _MAX_DIGITS:
        return None
    written = _WRITTEN.fullmatch(chunk)
    if written is None:
        leading = _LEADING.match(chunk)
        return Number(value=_decimal(leading[0])) if leading else None
    if written["hex"]:
        return Number(value=Decimal(int(written["hex"], 16)))
    tail = written["tail"].lower()
    unit = tail if tail in _UNITS else ""
    return Number(value=_decimal(written["decimal"]), unit=unit)


def is_grouped(digits: str) -> bool:
    """Return True for 1,024, whose comma parts thousands, and not the members of a list."""
    return _GROUPED_WORD.match(digits) is not None


def is_dimension(chunk: str) -> bool:
    """Return True for 2D, 3D and the like: the shape of something, not a number of days."""
    return _DIMENSIONS.fullmatch(chunk) is not None


def unit_behind(text: str, position: int) -> str:
    """Return the unit that stands behind a number, or an empty string.

    Most single letters count only where they touch the number.
    """
    match = _UNIT_BEHIND.match(text, position)
    if match is None:
        return ""
    unit = match["unit"].lower()
    if match["gap"] and unit in _TOUCHING:
        return ""
    return unit


def is_width(number: Number) -> bool:
    """Return True for 32-bit and the like, which name a type and count nothing."""
    is_bits = any(unit.dimension == "width" for unit in _UNITS.get(number.unit, ()))
    return is_bits and number.value in _WIDTHS


class Notation(NamedTuple):
    """A way to write a number: the value, and the unit that must belong to it."""

    value: Decimal
    unit: Unit


def notations(number: Number) -> Iterator[Notation]:
    """Yield everything that amounts to the same number: 64K is 65536, 5 s are 5000 ms."""
    units = _UNITS[number.unit] if number.unit else [_PLAIN]
    for unit in units:
        for factor in unit.factors:
            yield from _notations_of_amount(number.value * factor, unit.dimension)


def _notations_of_amount(amount: Decimal, dimension: str) -> Iterator[Notation]:
    for unit in (_PLAIN, *_TABLE):
        if unit.dimension != dimension:
            continue
        for factor in unit.factors:
            value = amount / factor
            if value * factor == amount:
                yield Notation(value, unit)


class NumberSpan(NamedTuple):
    """Where a number stands in a text."""

    start: int
    end: int


def index_numbers(text: str) -> dict[Decimal, list[NumberSpan]]:
    """Return the numbers of a text by value, with the places where each stands."""
    index: dict[Decimal, list[NumberSpan]] = {}
    values_of_run: dict[tuple[str, _Context], tuple[Decimal, ...]] = {}
    for count, match in enumerate(_RUN.finditer(text)):
        if count >= _MAX_NUMBERS:
            break
        span = NumberSpan(*match.span())
        key = (match[0], _context(text, span))
        if key not in values_of_run:
            values_of_run[key] = tuple(_values_of_run(*key))
        for value in values_of_run[key]:
            spans = index.setdefault(value, [])
            if len(spans) < _MAX_POSITIONS:
                spans.append(span)
    return index


def _context(text: str, span: NumberSpan) -> _Context:
    before = text[span.start - 1 : span.start]
    if before.isalpha() or before == "_":
        return "name"
    after = text[span.end : span.end + 1]
    if before and after and before in "([{<" and after in ")]}>,":
        return "list"
    return "plain"


def _values_of_run(run: str, context: _Context) -> Iterator[Decimal]:
    """Yield the values that a run of digits may stand for; a version has none."""
    if len(run) > _MAX_DIGITS:
        return
    if run[:2] in ("0x", "0X"):
        if digits := run[2:].replace("_", ""):
            yield Decimal(int(digits, 16))
        return
    if context == "name":
        # What follows a letter is a part of a name: `fp8e4m3` holds no 80000, `x_1_2` no 12.
        for part in re.split(r"[eE_,][+-]?", run):
            yield from _single_value(part)
        return
    is_grouped = _GROUPED.fullmatch(run) is not None
    if is_grouped:
        yield _decimal(run)
    if context == "list" or not is_grouped:
        for part in run.split(","):
            yield from _single_value(part.replace("_", ""))


def _single_value(digits: str) -> Iterator[Decimal]:
    # Two points make a version, a leading zero a part of a date, a code or a grouped number.
    has_leading_zero = digits[:1] == "0" and digits[1:2].isdigit()
    if not digits or digits.count(".") > 1 or has_leading_zero:
        return
    yield _decimal(digits)


def _decimal(digits: str) -> Decimal:
    return Decimal(digits.replace(",", "").replace("_", ""))
