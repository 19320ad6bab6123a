"""The numbers that stand in a text of the evidence."""

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from agent.gate.numerals import numerals
from agent.gate.units import Unit, unit_at

# The ranges of a hunk and the numbers of threads say nothing about the change.
_NOISE = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|(?<!\w)#\d+\b|\bGH-\d+\b", re.MULTILINE | re.ASCII)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<whole>\d{1,40}(?:_\d{1,20})*)(?P<rest>(?:\.\d{1,40})*)(?P<power>[eE][+-]?\d{1,3})?",
    re.ASCII,
)
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d{1,20})?", re.ASCII)
_BITS = re.compile(r"(?:int|uint|fp|float|bf|nf|mxfp|nvfp|bfloat|[wWaAqQ])(\d{1,3})(?!\d)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Figures:
    """What numbers a text has: with their units, bare, and as versions."""

    measured: dict[Decimal, frozenset[Unit]]
    """Numbers as they are written, with the units they are written with."""
    bare: frozenset[Decimal]
    """Numbers that stand somewhere without a unit."""
    versions: frozenset[str]
    """Runs of two or more numbers with points between."""

    def has(self, value: Decimal, unit: Unit | None) -> bool:
        """Tell whether a number is here, in this unit or another of its dimension."""
        if unit is None:
            return value in self.bare or value in self.measured
        base = value * unit.size
        if any(base == other * one.size for other, one in self._of(unit.dimension)):
            return True
        if unit.dimension == "ratio" and base in self.bare and base < 1:
            return True
        # 32K of a memory is 32768, of anything else 32000.
        if unit.dimension == "many" and (base in self.bare or (unit.size == 1000 and value * 1024 in self.bare)):
            return True
        # Code has no units: `timeout = 30` may be told as 30 seconds, unless 30 is written here as something else.
        return value in self.bare and value not in self.measured

    def rounds_to(self, value: Decimal, unit: Unit) -> bool:
        """Tell whether a more precise number in the same dimension is printed as this one."""
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int):
            return False
        step = Decimal(1).scaleb(min(exponent, 0))
        return any(
            (other * one.size / unit.size).quantize(step) == value
            for other, one in self._of(unit.dimension)
            if other * one.size < Decimal(10) ** 15
        )

    def has_version(self, version: str) -> bool:
        """Tell whether a version is here, or a longer one that begins with it."""
        return any(one == version or one.startswith(f"{version}.") for one in self.versions)

    def _of(self, dimension: str) -> list[tuple[Decimal, Unit]]:
        return [
            (value, unit) for value, units in self.measured.items() for unit in units if unit.dimension == dimension
        ]


@lru_cache(maxsize=512)
def figures(text: str) -> Figures:
    """Read every number of a text, once however often it is asked for."""
    text = _NOISE.sub(" ", text)
    measured: defaultdict[Decimal, set[Unit]] = defaultdict(set)
    bare: set[Decimal] = set()
    versions: set[str] = set()

    def note(value: Decimal, end: int) -> None:
        unit, _ = unit_at(text, end)
        if unit is None:
            bare.add(value)
        else:
            measured[value].add(unit)

    for match in _NUMBER.finditer(text):
        if match["rest"] and unit_at(text, match.end())[0] is None:
            versions.add(match["whole"] + match["rest"])
        if match["rest"].count(".") <= 1:
            note(Decimal(match[0].replace("_", "")), match.end())
    for match in _GROUPED.finditer(text):
        note(Decimal(match[0].replace(",", "")), match.end())
    for value, _, end in numerals(text):
        note(Decimal(value), end)
    for match in _BITS.finditer(text):
        measured[Decimal(match[1])].add(Unit("bits", Decimal(1)))
    return Figures({value: frozenset(units) for value, units in measured.items()}, frozenset(bare), frozenset(versions))
