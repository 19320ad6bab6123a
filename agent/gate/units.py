"""What stands behind a number: a unit with its dimension and size."""

import re
from decimal import Decimal
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit as a multiple of the base unit of its dimension."""

    dimension: str
    size: Decimal


def _units() -> dict[str, Unit]:
    table: dict[str, tuple[str, str]] = {}
    for size, words in (
        ("0.000000001", "ns nanosecond nanoseconds 纳秒"),
        ("0.000001", "us µs μs microsecond microseconds 微秒"),
        ("0.001", "ms msec millisecond milliseconds 毫秒"),
        ("1", "s sec secs second seconds 秒"),
        ("60", "min mins minute minutes 分钟"),
        ("3600", "h hr hrs hour hours 小时"),
        ("86400", "day days 天"),
        ("604800", "week weeks 周"),
    ):
        table |= dict.fromkeys(words.split(), ("time", size))
    for power, letter in enumerate("kmgt", start=1):
        for words in (f"{letter}b", f"{letter}ib"):
            # Whether 1 KB is 1000 or 1024 bytes differs from author to author, so both are one unit here.
            table[words] = ("size", str(1024**power))
    table |= dict.fromkeys(("byte", "bytes", "字节"), ("size", "1"))
    table |= dict.fromkeys(("%", "percent", "％"), ("ratio", "0.01"))
    table |= dict.fromkeys(("x", "×", "times", "倍", "fold"), ("times", "1"))
    table |= dict.fromkeys(("bit", "bits", "位", "比特"), ("bits", "1"))
    table |= {
        "k": ("many", "1000"),
        "thousand": ("many", "1000"),
        "million": ("many", "1000000"),
        "万": ("many", "10000"),
    }
    return {word: Unit(dimension, Decimal(size)) for word, (dimension, size) in table.items()}


UNITS = _units()
_LONGEST_FIRST = "|".join(re.escape(word) for word in sorted(UNITS, key=len, reverse=True))
UNIT = re.compile(rf"[\s-]?(?P<unit>{_LONGEST_FIRST})(?![A-Za-z0-9_])", re.IGNORECASE)
"""A unit right behind a number, or behind one space or dash."""


def unit_at(text: str, position: int) -> tuple[Unit | None, int]:
    """Read the unit that stands behind a number, and where it ends."""
    match = UNIT.match(text, position)
    if match is None:
        return None, position
    return UNITS[match["unit"].lower()], match.end()
