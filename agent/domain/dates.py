"""Dates as people state them, at the precision they state, and the moments an artefact has."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# With a capital: "may 8" is more often a verb.
_MONTH = (
    r"(?P<word>(?-i:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?))\.?"
)
_CLOCK = (
    r"(?:(?:T|\s+|,\s*)(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d+)?)?)?"
)
_OFFSET = r"(?:\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\w:]))?"
_DAY = r"(?P<day>[0-3]?\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"(?<![\w./-])(?P<year>(?:19|20)\d\d)[-/](?P<month>[01]?\d)[-/]{_DAY}(?!\d|[-/]\d|(?!T\d)\w){_CLOCK}{_OFFSET}",
        rf"(?:(?P<year>(?:19|20)\d\d)\s*年\s*)?(?P<month>[01]?\d)\s*月\s*{_DAY}\s*[日号]{_CLOCK}{_OFFSET}",
        rf"(?<!\w){_MONTH}\s+{_DAY}(?:st|nd|rd|th)?(?!\w)(?:,?\s+(?P<year>(?:19|20)\d\d))?{_CLOCK}{_OFFSET}",
        rf"(?<![\w.]){_DAY}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?!\w)(?:,?\s+(?P<year>(?:19|20)\d\d))?{_CLOCK}{_OFFSET}",
        r"(?<![\w./-])(?P<year>(?:19|20)\d\d)-(?P<month>[01]\d)(?![\w/-])",
        r"(?P<year>(?:19|20)\d\d)\s*年\s*(?P<month>[01]?\d)\s*月(?!\s*\d)",
        rf"(?<!\w){_MONTH}\s+(?P<year>(?:19|20)\d\d)(?!\w)",
    )
)


_VERSION = re.compile(r"\bv?\d{1,4}\.\d{1,6}(?:\.\d{1,6})?\b")
_WEEK = re.compile(r"\b(20\d\d)-?W(\d\d)\b")
_FROM = re.compile(
    r"(?<!\w)([0-3]?\d)(?:st|nd|rd|th)?\s?[-–—~]\s?\Z", re.ASCII
)  # "20–24 April 2026"
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?")


class Days(NamedTuple):
    """The days that a report or a part of it says it is about, both included."""

    first: date
    last: date

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True)
class Stated:
    """A date with what was said of it; what was not said is None and fits everything."""

    text: str
    start: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    offset: tzinfo | None = None

    def fits(self, moment: datetime, where: tzinfo) -> bool:
        """Tell whether a moment is this date, in the zone that was stated or else in the given one."""
        local = moment.astimezone(self.offset or where)
        parts = ("year", "month", "day", "hour", "minute", "second")
        return all(getattr(self, part) in (None, getattr(local, part)) for part in parts)


def find_dates(text: str) -> list[Stated]:
    """Find every date of a text, in the order in which they stand."""
    found: dict[int, Stated] = {}
    taken: set[int] = set()
    for form in _FORMS:
        for match in form.finditer(text):
            places = set(range(match.start(), match.end()))
            if not places & taken and (date := _read(match)):
                found[match.start()] = date
                taken |= places
    return [found[at] for at in sorted(found)]


def days_in(text: str) -> Days | None:
    """Read the day, the days, the week or the month that a title is about; a version is released on a day."""
    text = text[:200]
    try:
        if week := _WEEK.search(text):
            return Days(*(date.fromisocalendar(int(week[1]), int(week[2]), day) for day in (1, 7)))
        stated = [one for one in find_dates(text) if one.year]
        dates = [(one.year or 1, one.month or 1, one.day) for one in stated]
        if not 1 <= len(dates) <= 2 or _VERSION.search(_DATE.sub(" ", text)):
            return None
        (year, month, day), (last_year, last_month, last_day) = dates[0], dates[-1]
        if from_day := _FROM.search(text[: stated[0].start]):
            day = int(from_day[1])
        last = date(last_year, last_month, last_day or monthrange(last_year, last_month)[1])
        return (
            Days(date(year, month, day or 1), last) if date(year, month, day or 1) <= last else None
        )
    except ValueError:
        return None


def _read(match: re.Match[str]) -> Stated | None:
    groups = {name: value for name, value in match.groupdict().items() if value}
    word = groups.pop("word", None)
    offset = _offset(groups.pop("zone", None))
    parts = {name: int(value) for name, value in groups.items()}
    if word:
        parts["month"] = _MONTHS.index(word[:3].lower()) + 1
    if (
        not 1 <= parts["month"] <= 12
        or not 1 <= parts.get("day", 1) <= 31
        or parts.get("hour", 0) > 23
    ):
        return None
    return Stated(match[0], match.start(), offset=offset, **parts)


def _offset(text: str | None) -> tzinfo | None:
    if text is None:
        return None
    try:
        return datetime.strptime(text.replace(":", ""), "%z").tzinfo
    except ValueError:
        return UTC
