"""Comparisons of what a report says of a commit with what git knows: people, dates and counts."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from itertools import product

from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding, finding, folded
from agent.domain.commits import Commit
from agent.domain.dates import Days, Stated

# A date is right if it is the commit's date anywhere on earth.
_TIME_ZONES = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
_ROUNDING = timedelta(minutes=1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def author_finding(line: int, name: str, commit: Commit, authors: frozenset[str]) -> Finding:
    """Compare a name with the author of a commit; `authors` are those of the repository."""
    verdict = _author_verdict(folded(name), commit, authors)
    evidence = f"{commit.id} is by {commit.author.name}"
    if verdict in (RIGHT, UNVERIFIABLE):
        return Finding(line, "author", name, verdict, evidence)
    return Finding(line, "author", name, verdict, evidence, name, commit.author.name)


def _author_verdict(name: str, commit: Commit, authors: frozenset[str]) -> str:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    author = commit.author
    committer = commit.committer
    if name in folded(f"{author.name} {author.email}") or folded(author.name) in name:
        return RIGHT
    # The message names those who wrote it as well.
    others = folded(f"{committer.name} {committer.email} {commit.message}")
    return "wrong:metadata" if name in authors and name not in others else UNVERIFIABLE


def date_finding(line: int, date: Stated, commit: Commit) -> Finding:
    """Compare a date with the two moments by which reports date a commit."""
    is_right = any(_fits(date, moment) for moment in _moments(commit))
    is_day = _ISO_DAY.fullmatch(date.text) is not None
    return finding(
        line,
        "date",
        date.text,
        landed_at(commit),
        wrong="" if is_right else "metadata",
        span=date.text,
        replacement=f"{commit.committed_at:%Y-%m-%d}" if is_day else "",
    )


def _fits(date: Stated, moment: datetime) -> bool:
    """Return True if a date is that of a moment in some time zone; minutes may be rounded."""
    moments = [moment]
    if date.minute is not None:
        moments += [moment - _ROUNDING, moment + _ROUNDING]
    pairs = product(moments, _TIME_ZONES)
    return any(date.fits(candidate, zone) for candidate, zone in pairs)


def is_inside(commit: Commit, days: Days) -> bool:
    """Return True if a commit was made or landed on one of some days, anywhere on earth."""
    for moment in _moments(commit):
        for zone in _TIME_ZONES:
            if days.first <= moment.astimezone(zone).date() <= days.last:
                return True
    return False


def _moments(commit: Commit) -> Iterator[datetime]:
    yield commit.committed_at
    yield commit.authored_at


def landed_at(commit: Commit) -> str:
    """Say when a commit landed."""
    return f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC"
