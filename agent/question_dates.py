"""The dates that a question names: days, ranges, months, weeks, or a word like "yesterday"."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

from agent.domain.stated_dates import Days

_BEFORE = r"(?<![\w/.-])"
_AFTER = r"(?![\w/-])"
_DAY = r"20\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
DAY = re.compile(rf"{_BEFORE}{_DAY}{_AFTER}")
_RANGE = re.compile(
    rf"{_BEFORE}(?P<first>{_DAY})\.\.(?P<last>(?:20\d{{2}}-)?(?:\d{{2}}-)?\d{{2}}){_AFTER}"
)
"""Days as git and GitHub write ranges; of the last day only what differs must be written."""
_MONTH = re.compile(rf"{_BEFORE}(?P<year>20\d{{2}})-(?P<month>0[1-9]|1[0-2]){_AFTER}")
_WEEK = re.compile(rf"{_BEFORE}(?P<year>20\d{{2}})-?W(?P<week>[0-5]\d){_AFTER}", re.IGNORECASE)
_WEEK_OF_DAY = re.compile(
    rf"\bweek of (?P<before>{_DAY})|(?P<behind>{_DAY})\s?(?:那一周|这一周|那周|这周|当周|所在周)",
    re.IGNORECASE,
)


def _this_week(today: date) -> Days:
    return Days(today - timedelta(days=today.weekday()), today)


def _last_week(today: date) -> Days:
    monday = today - timedelta(days=today.weekday() + 7)
    return Days(monday, monday + timedelta(days=6))


def _this_month(today: date) -> Days:
    return Days(today.replace(day=1), today)


def _last_month(today: date) -> Days:
    last = today.replace(day=1) - timedelta(days=1)
    return Days(last.replace(day=1), last)


def _today(today: date) -> Days:
    return Days(today, today)


def _yesterday(today: date) -> Days:
    yesterday = today - timedelta(days=1)
    return Days(yesterday, yesterday)


_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[date], Days]], ...] = (
    (re.compile(r"\byesterday\b|昨天|昨日", re.IGNORECASE), _yesterday),
    (re.compile(r"\btoday\b|今天|今日", re.IGNORECASE), _today),
    (re.compile(r"\bthis week\b|本周|这周|这一周|这个?星期", re.IGNORECASE), _this_week),
    (re.compile(r"\blast week\b|上周|上一周|上个?星期", re.IGNORECASE), _last_week),
    (re.compile(r"\bthis month\b|本月|这个月", re.IGNORECASE), _this_month),
    (re.compile(r"\blast month\b|上个?月", re.IGNORECASE), _last_month),
)
"""The calendar relative to the day of the question, as calendars of both languages name it."""


def days_named(text: str, today: date) -> Days | None:
    """Return the days from the first to the last that a text names; None if it names none.

    What is written with digits counts more than a word like "yesterday".
    """
    stretches = _written_stretches(text)
    if stretches:
        return Days(min(days.first for days in stretches), max(days.last for days in stretches))
    for pattern, days_of in _RELATIVE:
        if pattern.search(text):
            return days_of(today)
    return None


def _written_stretches(text: str) -> list[Days]:
    """Return every stretch that is written with digits; a day within a range counts once."""
    stretches: list[Days] = []
    for pattern, read in _WRITTEN:
        for match in pattern.finditer(text):
            try:
                stretches.append(read(match))
            except ValueError:
                continue  # Such as 2026-02-30
        text = pattern.sub(" ", text)
    return [days for days in stretches if days.first <= days.last]


def _range(match: re.Match[str]) -> Days:
    first = match["first"]
    last = match["last"]
    complete = first[: len(first) - len(last)] + last
    return Days(date.fromisoformat(first), date.fromisoformat(complete))


def _week_of_day(match: re.Match[str]) -> Days:
    day = date.fromisoformat(match["before"] or match["behind"])
    monday = day - timedelta(days=day.weekday())
    return Days(monday, monday + timedelta(days=6))


def _week(match: re.Match[str]) -> Days:
    monday = date.fromisocalendar(int(match["year"]), int(match["week"]), 1)
    return Days(monday, monday + timedelta(days=6))


def _day(match: re.Match[str]) -> Days:
    day = date.fromisoformat(match[0])
    return Days(day, day)


def _month(match: re.Match[str]) -> Days:
    year = int(match["year"])
    month = int(match["month"])
    return Days(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


_WRITTEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Days]], ...] = (
    (_RANGE, _range),
    (_WEEK_OF_DAY, _week_of_day),
    (_WEEK, _week),
    (DAY, _day),
    (_MONTH, _month),
)
"""Forms of dates and how they are read, the longer ones first."""
