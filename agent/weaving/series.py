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
_HALF = 0.5
_MOST_MISSING = 6


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
    """Find the series that a part goes on with: the newest that is like it and has room for its number."""
    for series in reversed(known):
        last, _ = series.members[-1]
        if one.at - last.at > _OVER or not any(_kin(part, one, other, of) for of, other in series.members):
            continue
        if part.index > 1:
            return series
        # A second first part is the beginning of something else.
        if part.index in series.indexes or one.at - last.at > _AGAIN:
            return None
        return series
    return None


def _kin(one: Part, whose: Headline, other: Part, of: Headline) -> bool:
    """Tell whether two parts are of the same work: by its name, by the plan they refer to, or by their words."""
    if one.form != other.form or (one.total and other.total and one.total != other.total):
        return False
    if one.references & other.references:
        return one.total == other.total
    shared = one.words & other.words
    overlap = len(shared) / max(1, min(len(one.words), len(other.words)))
    if one.lead and one.lead == other.lead:
        return True
    if (one.total is None) != (other.total is None) and overlap < _HALF:
        return False
    if one.own_tags and other.own_tags:
        return one.own_tags == other.own_tags or (bool(one.own_tags & other.own_tags) and overlap >= _HALF)
    apart = abs(whose.at - of.at)
    if overlap >= _HALF and len(shared) >= 2 and apart <= _WORDS_APART:
        return True
    if whose.author != of.author or not (shared or (one.tags and one.tags == other.tags)):
        return False
    # One author counts on within days: the next number, or many parts that landed together.
    next_one = abs(one.index - other.index) == 1 and bool(shared) and apart <= _NEXT_APART
    return next_one or (one.total is not None and one.total == other.total and one.tags == other.tags and apart < _DAY)
