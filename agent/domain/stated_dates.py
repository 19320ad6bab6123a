"""Dates as people state them, at the precision they state, and the moments an artefact has."""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
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
_TO = r"(?:\s?[-–—~]\s?|\s(?:to|till|until|through|and)\s(?:the\s)?)"
_ORDINAL = r"(?:st|nd|rd|th)?"
_FROM = re.compile(rf"(?<!\w)([0-3]?\d){_ORDINAL}{_TO}\Z", re.ASCII)  # "20–24 April 2026"
# "April 20–24, 2026"
_DAYS_OF_MONTH = re.compile(
    rf"(?<!\w){_MONTH} (?P<day>[0-3]?\d){_ORDINAL}{_TO}(?P<last>[0-3]?\d){_ORDINAL}(?P<year>,? 20\d\d)(?!\w)",
    re.IGNORECASE | re.ASCII,
)
_BETWEEN_DATES = re.compile(rf"{_TO}|\s?[至到]\s?")
_TO_DAY = re.compile(r"\s?[-–—~至到]\s?([0-3]?\d)\s?[日号]")  # "2026年4月20日至24日"
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
        """Return True if a moment is this date, in the zone that was stated, else in `where`."""
        local = moment.astimezone(self.offset or where)
        parts = ("year", "month", "day", "hour", "minute", "second")
        return all(getattr(self, part) in (None, getattr(local, part)) for part in parts)


def find_dates(text: str) -> list[Stated]:
    """Return every date of a text, in the order in which they stand."""
    date_by_start: dict[int, Stated] = {}
    taken: set[int] = set()
    for form in _FORMS:
        for match in form.finditer(text):
            positions = set(range(match.start(), match.end()))
            if positions & taken:
                continue
            stated = _read(match)
            if stated:
                date_by_start[match.start()] = stated
                taken |= positions
    return [date_by_start[start] for start in sorted(date_by_start)]


def days_in(text: str) -> Days | None:
    """Return the day, the days, the week or the month that a title is about.

    The date of a version is the day on which it was released, and not what the title is about.
    """
    try:
        return _days_in_title(text[:200])
    except ValueError:
        return None


def _days_in_title(title: str) -> Days | None:
    week = _WEEK.search(title)
    if week:
        year = int(week[1])
        number = int(week[2])
        monday = date.fromisocalendar(year, number, 1)
        return Days(monday, date.fromisocalendar(year, number, 7))
    title = _DAYS_OF_MONTH.sub(r"\g<day>–\g<last> \g<word>\g<year>", title)
    dates = _dates_with_year(title)
    if not 1 <= len(dates) <= 2 or _VERSION.search(_DATE.sub(" ", title)):
        return None
    first_day = dates[0].day or 1
    from_day = _FROM.search(title[: dates[0].start])
    if from_day:
        first_day = int(from_day[1])
    first = date(dates[0].year or 1, dates[0].month or 1, first_day or 1)
    last = _last_day(dates[-1])
    to_day = _TO_DAY.match(title, dates[-1].start + len(dates[-1].text))
    if to_day:
        last = last.replace(day=int(to_day[1]))
    return Days(first, last) if first <= last else None


def _dates_with_year(title: str) -> list[Stated]:
    """Return the dates of a title; the two of a range may have their year in common."""
    dates = find_dates(title)
    if len(dates) == 2:
        first, last = dates
        between = title[first.start + len(first.text) : last.start]
        if _BETWEEN_DATES.fullmatch(between) and first.month and last.month:
            is_over_new_year = int(first.month > last.month)
            if last.year and not first.year:
                return [replace(first, year=last.year - is_over_new_year), last]
            if first.year and not last.year:
                return [first, replace(last, year=first.year + is_over_new_year)]
    return [stated for stated in dates if stated.year]


def _last_day(stated: Stated) -> date:
    """Return a date, or the last day of a month."""
    year = stated.year or 1
    month = stated.month or 1
    return date(year, month, stated.day or monthrange(year, month)[1])


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
