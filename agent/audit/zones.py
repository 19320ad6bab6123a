"""In which time zone a report cuts its days, and which days these are, where it does not say so itself."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agent.audit.library import Library
from agent.audit.page import Page
from agent.audit.periods import dates_in
from agent.audit.statement import Statement
from agent.audit.structure import is_daily
from agent.audit.whereabouts import Days
from agent.dates import stated
from agent.evidence import CommitEvidence

_QUARTER = timedelta(minutes=15)
_MOST = timedelta(hours=14)
_LONGEST = timedelta(days=3)
# One place for each offset that people live in; only the offset matters.
_PLACES = {8: "Asia/Shanghai", 9: "Asia/Tokyo", 0: "UTC", 5.5: "Asia/Kolkata", 3: "Europe/Moscow", 4: "Asia/Dubai"}


def zone_of(page: Page, statements: Sequence[Statement], library: Library) -> str:
    """Give the zone that the report names, else the one that its times agree on, else UTC."""
    if page.days.tz is not None:
        return page.days.tz
    offsets: Counter[timedelta] = Counter()
    for statement in statements:
        if statement.predicate == "dated" and (offset := _offset(page, statement, library)) is not None:
            offsets[offset] += 1
    if not offsets:
        return "UTC"
    best, count = offsets.most_common(1)[0]
    if count * 2 <= sum(offsets.values()) or not best:
        return "UTC"
    hours = best.total_seconds() / 3600
    # POSIX counts zones westwards.
    return _PLACES.get(hours) or (f"Etc/GMT{-int(hours):+d}" if hours == int(hours) else "UTC")


def days_behind(page: Page, library: Library) -> Days:
    """Give the labelled days, else what a daily report without a label must be about.

    A report whose commits fit into one day of some zone is about that day, whichever it is, and nothing lies outside.
    Where they do not, it is about the first of their days: what was added later came after it was over.
    """
    if page.days.near is not None:
        return _week(page.days, library)
    if page.days.first is not None or not is_daily(page):
        return page.days
    if len(dates := set(dates_in(page.text))) == 1:
        (day,) = dates
        return replace(page.days, first=day, last=day, guessed="the only date in its text")
    moments = sorted(one.at for one in library.found.values() if isinstance(one, CommitEvidence))
    if not moments or not timedelta(days=1) < moments[-1] - moments[0] <= _LONGEST:
        return page.days
    day = moments[0].date()
    return replace(page.days, first=day, last=day, guessed="the first day of its commits")


def _week(days: Days, library: Library) -> Days:
    """Choose among the weeks that a weekly report with one date may mean the one that most of its commits are of."""
    assert days.near is not None
    moments = [one.at.date() for one in library.found.values() if isinstance(one, CommitEvidence)]
    monday = days.near - timedelta(days=days.near.weekday())
    starts = (days.near - timedelta(days=6), days.near - timedelta(days=7), days.near, monday)
    fits = {start: sum(start <= one < start + timedelta(days=7) for one in moments) for start in starts}
    best = max(starts, key=lambda start: fits[start])
    return replace(days, first=best, last=best + timedelta(days=6), guessed=f"the week of {days.near}")


def _offset(page: Page, statement: Statement, library: Library) -> timedelta | None:
    at = stated(statement.params["at"])
    if at is None or at.minute is None or at.offset is not None or statement.about is None or not at.year:
        return None
    answer = library.change_of(statement.about, statement.repo, page.names.all)
    evidence = library.found.get(answer.id)
    if not isinstance(evidence, CommitEvidence):
        return None
    local = datetime(at.year, at.month or 1, at.day or 1, at.hour or 0, at.minute, at.second or 0, tzinfo=UTC)
    apart = local - evidence.at
    rounded = round(apart / _QUARTER) * _QUARTER
    near = abs(apart - rounded) < timedelta(minutes=1)
    return rounded if near and abs(rounded) <= _MOST else None
