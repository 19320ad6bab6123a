"""Checks of the metadata of commits in a report: people and dates, as git knows them."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from itertools import product

from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding, finding
from agent.audit.repository_lookup_results import count_differing, folded
from agent.domain.commits import Commit
from agent.domain.stated_dates import Days, Stated

# A date is right if it is the commit's date anywhere on earth.
_TIME_ZONES = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
Authors = Mapping[str, set[str]]
"""The names of the authors of a repository, folded, each with its addresses."""
_ROUNDING = timedelta(minutes=1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MIN_LETTERS = 6  # Of a name: a shorter one with another letter is another name


def author_finding(line: int, name: str, commit: Commit, authors: Authors) -> Finding:
    """Compare a name with the author of a commit; `authors` are those of the repository.

    A name that begins with `@` is a login, which git does not know: it is never wrong.
    """
    verdict = _author_verdict(folded(name), commit, authors)
    if verdict == UNVERIFIABLE and is_misspelt(name, commit.author.name):
        verdict = "wrong:metadata"
    if verdict != RIGHT and name.startswith("@"):
        verdict = UNVERIFIABLE
    evidence = f"{commit.id} is by {commit.author.name}"
    if verdict in (RIGHT, UNVERIFIABLE):
        return Finding(line, "author", name, verdict, evidence)
    return Finding(line, "author", name, verdict, evidence, name, commit.author.name)


def _author_verdict(name: str, commit: Commit, authors: Authors) -> str:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    author = commit.author
    committer = commit.committer
    if name in folded(f"{author.name} {author.email}") or folded(author.name) in name:
        return RIGHT
    if name not in authors:
        return UNVERIFIABLE
    # Who writes under two names has one address.
    addresses = {author.email.casefold()} | authors.get(folded(author.name), set())
    if addresses & authors[name]:
        return RIGHT
    # The message names those who wrote it as well.
    others = folded(f"{committer.name} {committer.email} {commit.message}")
    return UNVERIFIABLE if name in others else "wrong:metadata"


def is_misspelt(name: str, right_name: str) -> bool:
    """Return True if a name is another one with one letter wrong, left out or added.

    Letters without their accents are a way to write a name.
    """
    written = folded(_without_accents(name))
    right = folded(_without_accents(right_name))
    if written == right or min(len(written), len(right)) < _MIN_LETTERS:
        return False
    return count_differing(written, right) == 1


def _without_accents(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


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
    """Return the time at which a commit landed, in the form of a report."""
    return f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC"
