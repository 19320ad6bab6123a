"""The numbers that stand in a text of the evidence."""

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from agent.gate.nouns import Noun, noun_at
from agent.gate.numerals import numerals
from agent.gate.units import Unit, unit_at

_RANGES = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.ASCII)
"""Where a hunk stands says nothing about the change."""
# What must not stand in front of a number is looked at afterwards: a pattern that begins with a digit is ten times
# faster, and patches are long.
_NUMBER = re.compile(r"\d+(?:_\d+)*(?P<rest>(?:\.\d+)*)(?P<power>[eE][+-]?\d{1,3}(?![\w.]))?", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?!,?\d)(?:\.\d{1,20})?", re.ASCII)
_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?=\D)|\d{1,9}(?=\s*[a-zA-Z个次条笔行])", re.ASCII)
_LONGEST = 40
_BIT = Unit("bits", Decimal(1))
# How many bits a type has is part of its name.
_TYPES = ("int", "fp", "float", "bf", "nf", "w", "a", "q")


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


@lru_cache(maxsize=2048)
def told_counts(text: str) -> frozenset[tuple[Noun, Decimal]]:
    """List what a text counts itself: "14 files", "三个提交"."""
    found = (match for match in _COUNT.finditer(text) if _stands_free(text, match.start()))
    digits = ((Decimal(match[0].replace(",", "")), match.end()) for match in found)
    words = ((Decimal(value), end) for value, _, end in numerals(text))
    told = ((noun_at(text, end)[0], value) for value, end in (*digits, *words))
    return frozenset((noun, value) for noun, value in told if noun)


@lru_cache(maxsize=2048)
def figures(text: str) -> Figures:
    """Read every number of a text, once however often it is asked for."""
    text = _RANGES.sub("@@", text)
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
        if len(match[0]) > _LONGEST:
            continue
        if not _stands_free(text, match.start()):
            if len(match[0]) < 4 and text[max(0, match.start() - 5) : match.start()].lower().endswith(_TYPES):
                measured[Decimal(match[0])].add(_BIT)
            continue
        written = match[0].replace("_", "")
        if match["rest"] and unit_at(text, match.end())[0] is None:
            versions.add(written)
        if match["rest"].count(".") <= 1:
            note(Decimal(written), match.end())
    for match in _GROUPED.finditer(text):
        if _stands_free(text, match.start()):
            note(Decimal(match[0].replace(",", "")), match.end())
    for value, _, end in numerals(text):
        note(Decimal(value), end)
    return Figures({value: frozenset(units) for value, units in measured.items()}, frozenset(bare), frozenset(versions))


def _stands_free(text: str, start: int) -> bool:
    """Tell whether a number begins here: digits inside a name, and the number of a thread, are none."""
    before = text[start - 1 : start]
    if before == "x":
        # The second half of 128x64.
        return start > 1 and text[start - 2].isdigit()
    if before == "-" and text[max(0, start - 3) : start] == "GH-":
        return False
    return not (before.isascii() and before.isalnum()) and before not in ("_", ".", "#")
