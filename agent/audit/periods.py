"""Days that a text names: one, a range, a week."""

import re
from datetime import date, timedelta

from agent.audit.vocabulary import plain
from agent.dates import find_dates

_DAY = re.compile(r"(?<!\d)(20\d\d)[-/.年](0?[1-9]|1[0-2])[-/.月](0?[1-9]|[12]\d|3[01])日?(?!\d)")
_COMPACT = re.compile(r"(?<!\d)(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")
_TO = r"\s*(?:to|through|until|and|-{1,2}|~|～|\.\.|至|到)\s*"
_MONTH = r"(?P<{0}>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_YEAR, _D1, _D2 = r"(?P<year>20\d\d)", r"(?P<d1>\d{1,2})(?:st|nd|rd|th)?", r"(?P<d2>\d{1,2})(?:st|nd|rd|th)?"
# The second day is often named without what it shares with the first.
_RANGES = tuple(
    re.compile(form)
    for form in (
        rf"{_YEAR}[-/.](?P<m1>\d\d?)[-/.]{_D1}{_TO}(?:(?P<m2>\d\d?)[-/.])?{_D2}(?![\d/.-])",
        rf"{_YEAR}年(?P<m1>\d\d?)月{_D1}[日号]?{_TO}(?:(?P<m2>\d\d?)月)?{_D2}[日号]",
        rf"\b{_MONTH.format('m1')}\s+{_D1}{_TO}(?:{_MONTH.format('m2')}\s+)?{_D2},?\s+{_YEAR}",
        rf"\b{_D1}(?:\s+{_MONTH.format('m1')})?{_TO}{_D2}\s+{_MONTH.format('m2')},?\s+{_YEAR}",
    )
)
_ISO_WEEK = re.compile(r"(?<![\w-])(20\d\d)-?W(\d\d)(?!\w)|(?<!\d)(20\d\d)\s*年?\s*第\s*(\d{1,2})\s*周")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEK = timedelta(days=6)


def dates_in(text: str) -> list[date]:
    """Find the days that a text names; of a range or week at least the first and the last."""
    text = plain(text)
    if (week := _ISO_WEEK.search(text)) and (monday := _monday(week[1] or week[3], week[2] or week[4])):
        return [monday, monday + _WEEK]
    found = [*_DAY.findall(text), *_COMPACT.findall(text)]
    days = [made for parts in found if (made := day_from(*parts))]
    if not days:
        worded = [one for one in find_dates(text) if one.year and one.month and one.day]
        days = [made for one in worded if (made := day_from(str(one.year), str(one.month), str(one.day)))]
    return [*days, *(_range(text) if len(set(days)) < 2 else ())]


def _range(text: str) -> list[date]:
    """Read the first range of a text; nothing where the calendar has none or it runs backwards."""
    for form in _RANGES:
        if found := form.search(text):
            first_month, last_month = found["m1"] or found["m2"], found["m2"] or found["m1"]
            first = day_from(found["year"], _number(first_month), found["d1"])
            last = day_from(found["year"], _number(last_month), found["d2"])
            return [first, last] if first and last and first <= last else []
    return []


def _number(month: str) -> str:
    word = month.lower()[:3]
    return str(_MONTHS.index(word) + 1) if word in _MONTHS else month


def _monday(year: str, week: str) -> date | None:
    try:
        return date.fromisocalendar(int(year), int(week), 1)
    except ValueError:
        return None


def day_from(year: str, month: str, day: str) -> date | None:
    """Make a day; None where the calendar has none."""
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
