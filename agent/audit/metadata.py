"""Checks of what git records of a commit where a report gives it as a value: author, date, and its own days."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta, timezone, tzinfo
from typing import NamedTuple

from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding
from agent.audit.lookup import Library, folded, people_of
from agent.audit.markdown import plain
from agent.audit.structure import Entry
from agent.domain.commits import Commit
from agent.domain.dates import Stated, find_dates

_BY = re.compile(r"[\s)\]）】*_`]{0,6}\bby +(@?[^\s(（\[,，;；|.\n][^(（\[,，;；|\n]{0,60})")
_END_OF_NAME = re.compile(r"\*| [-–—] |[,，;；|。(（\[<:：]| on | in |、| and | & |\. ")
_CAPITALISED = re.compile(r"[A-Z][\w.'-]{0,30}(?: [A-Z][\w.'-]{0,30}){1,3}")
_PART = re.compile(r"[\s._-]")
_EARTH = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
_FEW, _SHARE = 3, 0.8  # So many stated times, and so many of them, must be git's in a zone to give it away.


def check_metadata(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare authors and dates in columns, behind labels and right behind a reference; then the report's days."""
    single = [(entry, library.commit(entry.commits[0])) for entry in entries if len(entry.commits) == 1]
    times = [time for entry, commit in single for time in _times(entry, commit)]
    zones = _zones(times)
    for one in times:
        told = f"{one.commit.id} landed at {one.commit.committed_at:%Y-%m-%d %H:%M} UTC"
        # A day alone may be that of the author's own zone.
        verdict = RIGHT if one.fits(zones if one.stated.hour is not None else _EARTH) else "wrong:metadata"
        yield Finding(one.line, "date", one.stated.text.strip(), verdict, told)
    for entry, commit in single:
        known = library[commit.repo].people
        for line, said, labelled in _authors(entry):
            if found := _author(line, said, commit, known, labelled=labelled):
                yield found
    yield from _windows(entries, library, times)


def _authors(entry: Entry) -> Iterator[tuple[int, str, bool]]:
    """Find who is named as the author: in a column, behind a label, or by `by` right behind a reference."""
    for field in entry.fields:
        if field.name == "author":
            yield entry.line_of(field), field.value, True
    for one in entry.references:
        if found := _BY.match(entry.block.text, one.end) if one.place != "issues" else None:
            yield one.line, found[1], False


def _author(line: int, said: str, commit: Commit, known: frozenset[str], *, labelled: bool) -> Finding | None:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    stated = _END_OF_NAME.split(f"{plain(said[:200])} ")[0].strip(" @`*_.")
    name, mine = folded(stated), people_of(commit)
    # Anything may stand behind `by`: a person is one who is known, has a sign, or has two names.
    person = labelled or said.startswith("@") or name in known or _CAPITALISED.fullmatch(stated)
    if not name or not person:
        return None
    told = f"{commit.id} is by {commit.author.name}"
    said_parts, true_parts = (set(map(folded, _PART.split(one))) for one in (stated, commit.author.name))
    alike = any(name == one or (len(name) > 3 and (name in one or one in name)) for one in mine)
    if alike or said_parts <= true_parts:
        return Finding(line, "author", stated, RIGHT, told)
    two_names = len(said_parts) > 1 < len(true_parts) and not said_parts & true_parts
    return Finding(line, "author", stated, "wrong:metadata" if name in known or two_names else UNVERIFIABLE, told)


class _Time(NamedTuple):
    line: int
    stated: Stated
    commit: Commit

    def fits(self, zones: Sequence[tzinfo]) -> bool:
        times = (self.commit.committed_at, self.commit.authored_at)
        return any(self.stated.fits(time, zone) for time in times for zone in zones)


def _times(entry: Entry, commit: Commit) -> Iterator[_Time]:
    for field in entry.fields:
        # The day of an author's line stands behind the name.
        if field.name in ("date", "author"):
            dates = [one for one in find_dates(field.value[:200]) if one.year and one.day]
            if len(dates) == 1:
                yield _Time(entry.line_of(field), dates[0], commit)


def _zones(times: Sequence[_Time]) -> Sequence[tzinfo]:
    """Find the zone of a report by its clocks: the one in which nearly all of them are git's; else all."""
    clocks = [one for one in times if one.stated.hour is not None and one.stated.offset is None]
    counts = {zone: sum(one.fits((zone,)) for one in clocks) for zone in _EARTH}
    most = max(counts.values())
    found = [zone for zone, count in counts.items() if count == most]
    return found if most >= _FEW and most >= _SHARE * len(clocks) else _EARTH


def _windows(entries: Sequence[Entry], library: Library, times: Sequence[_Time]) -> Iterator[Finding]:
    """Compare the commits that lead an entry with the days that the report says it is about."""
    zones, stated = _zones(times), {one.commit.id: one.stated for one in times}
    for entry in entries:
        first = next((one for one in entry.references if one.kind == "commit"), None)
        leads = entry.block.kind in ("row", "item", "heading") or entry.fields
        meant = library.meant(first, entry.scope) if first and leads and entry.days else []
        if first is None or entry.days is None or len(meant) != 1:
            continue
        commit, days, said = library.commit(meant[0]), entry.days, stated.get(meant[0])
        moments = [time.astimezone(zone) for time in (commit.committed_at, commit.authored_at) for zone in zones]
        agreed = [one for one in moments if said and said.fits(one, one.tzinfo or UTC)] or moments
        inside = any(days.first <= one.date() <= days.last for one in agreed)
        told = f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC; the report is about {days}"
        yield Finding(first.line, "window", first.shown, RIGHT if inside else "wrong:window", told)
