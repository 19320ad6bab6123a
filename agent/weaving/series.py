"""Numbered parts put together as the series they belong to, and what of each has not landed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from agent.sources import Headline
from agent.weaving.parts import Part, read_part

_AGAIN = timedelta(days=45)
"""After so long a first part begins something new."""
_OVER = timedelta(days=240)
_WORDS_APART, _NEXT_APART, _DAY = timedelta(days=60), timedelta(days=14), timedelta(days=1)
_STRAIGHT = timedelta(days=3)
_HALF = 0.5
_MOST_MISSING, _MOST_UNFOUND = 6, 2


@dataclass
class Series:
    """The parts of one piece of work, oldest first."""

    members: list[tuple[Headline, Part]] = field(default_factory=list)

    @property
    def total(self) -> int | None:
        """How many there are to be, by the newest part that says so."""
        return next((part.total for _, part in reversed(self.members) if part.total is not None), None)

    @property
    def indexes(self) -> frozenset[int]:
        """Which parts have landed."""
        return frozenset(part.index for _, part in self.members)

    def missing(self) -> tuple[int, ...]:
        """Name the parts between the first and the last that have not landed; none where too many are unknown."""
        have = self.indexes
        gaps = tuple(index for index in range(min(have), max(have)) if index not in have)
        return gaps if len(gaps) <= min(_MOST_MISSING, len(have)) else ()

    def unfound(self) -> tuple[int, ...]:
        """Name the parts before the first known one, where these are few."""
        before = tuple(range(1, min(self.indexes)))
        return before if len(before) <= _MOST_UNFOUND else ()


def series_of(landed: Iterable[Headline]) -> list[Series]:
    """Sort everything that calls itself a part into series."""
    found: list[Series] = []
    for one in sorted(landed, key=lambda one: (one.at, one.sha)):
        part = read_part(one.title)
        if part is None:
            continue
        home = _home(one, part, found)
        if home is None:
            home = Series()
            found.append(home)
        home.members.append((one, part))
    return found


def _home(one: Headline, part: Part, known: Sequence[Series]) -> Series | None:
    """Find the series that a part goes on with: the one most like it, of equal ones the newest with room for it."""
    best: tuple[int, Series] | None = None
    for series in reversed(known):
        if one.at - series.members[-1][0].at > _OVER:
            continue
        likeness = max(_kinship(part, one, other, of) for of, other in series.members)
        if likeness and (best is None or likeness > best[0]):
            best = likeness, series
    if best is None:
        return None
    series = best[1]
    # A second first part is the beginning of something else.
    begins = part.index in series.indexes or one.at - series.members[-1][0].at > _AGAIN
    return None if part.index <= 1 and begins else series


def _kinship(one: Part, whose: Headline, other: Part, of: Headline) -> int:
    """Weigh whether two parts are of one work: by its name or plan (4), their words (3), their author (2, 1)."""
    if one.form != other.form:
        return 0
    if one.total and other.total and one.total != other.total:
        return 2 if _grows(one, whose, other, of) else 0
    if one.references & other.references:
        return 4 if one.total == other.total else 0
    shared = one.words & other.words
    overlap = len(shared) / max(1, min(len(one.words), len(other.words)))
    if one.lead and one.lead == other.lead:
        return 4
    alike = overlap >= _HALF and len(shared) >= 2
    if _named_apart(one, other) or ((one.total is None) != (other.total is None) and not alike):
        return 0
    if one.own_tags and other.own_tags:
        return 4 if one.own_tags == other.own_tags else 3 * alike
    apart = abs(whose.at - of.at)
    # Common words do not make others' work a part of what has a name.
    if alike and apart <= _WORDS_APART and (whose.author == of.author or bool(_name(one)) == bool(_name(other))):
        return 3
    if whose.author != of.author:
        return 0
    return 2 if _counts_on(one, other, shared, apart) else int(_goes_straight_on(one, other, apart))


def _grows(one: Part, whose: Headline, other: Part, of: Headline) -> bool:
    """Tell whether an author goes on with the next number in nearly the same words and now counts more parts."""
    shared = one.words & other.words
    alike = len(shared) >= 2 and len(shared) >= _HALF * min(len(one.words), len(other.words))
    grown = one.total is not None and other.total is not None and one.total > other.total
    goes_on = one.index - other.index == 1 and abs(whose.at - of.at) <= _NEXT_APART
    return grown and goes_on and alike and whose.author == of.author


def _named_apart(one: Part, other: Part) -> bool:
    """Tell whether both have a name and the names have nothing in common."""
    return bool(_name(one)) and bool(_name(other)) and not _name(one) & _name(other)


def _name(part: Part) -> frozenset[str]:
    """Give the words of what a part calls its work."""
    return frozenset(word for name in (*part.own_tags, part.lead) for word in name.split())


def _counts_on(one: Part, other: Part, shared: frozenset[str], apart: timedelta) -> bool:
    """Tell whether an author goes on within days: the next number, or many parts that landed together."""
    if one.index - other.index == 1 and shared and apart <= _NEXT_APART:
        return True
    return (
        one.total is not None
        and one.total == other.total
        and bool(one.tags)
        and one.tags == other.tags
        and apart < _DAY
    )


def _goes_straight_on(one: Part, other: Part, apart: timedelta) -> bool:
    """Tell whether the next number of an author follows within days where neither part has any name."""
    bare = not (one.tags or one.lead or other.tags or other.lead or one.references or other.references)
    return bare and one.form == "/" and one.total == other.total and one.index - other.index == 1 and apart <= _STRAIGHT
