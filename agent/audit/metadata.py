"""Checks of what git knows of commits: authors, dates, days of a report, and counts of lines, files and commits."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta, timezone
from typing import NamedTuple

from agent.audit.entries import Entry
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, Repository, folded, people_of, touched
from agent.audit.markdown import code_of, plain
from agent.domain.commits import Change, Commit
from agent.domain.dates import Days, Stated, find_dates

_END_OF_NAME = re.compile(r" [-–—] |[,，;；|(（\[<:：]")
_PART = re.compile(r"[\s._-]")
_EARTH = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
_PAIR = re.compile(r"(?<![\w.+/-])\+(\d[\d,]{0,8})(?: ?lines?| ?行)?[ /,，、|]{0,4}[−–-](\d[\d,]{0,8})(?![\w.%])")
_SHORTSTAT = re.compile(
    r"(?<![\d.])(\d{1,6}) files? changed(?:, (\d{1,7}) insertions?\(\+\))?(?:, (\d{1,7}) deletions?\(-\))?"
)
_MOST_CODES = 50
_COUNT = re.compile(r"\A\W{0,4}(\d{1,6})\W{0,4}")


def check_metadata(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare authors, dates and counts of commits, then the report's days and how many commits they have."""
    single = [(entry, library.commit(entry.commits[0])) for entry in entries if len(entry.commits) == 1]
    times = [time for entry, commit in single for time in _times(entry, commit)]
    for one in times:
        verdict = RIGHT if one.fits() else "wrong:metadata"
        yield Finding(one.line, "date", one.stated.text.strip(), verdict, _landed(one.commit))
    for entry, commit in single:
        yield from _authors(entry, commit, library[commit.repo].people)
        if entry.block.kind not in ("fence", "rule") and entry.whole:
            yield from _columns(entry, entry.evidence[0].change)
            yield from _lines(entry, entry.evidence[0].change)
    yield from _windows(entries, library, times)
    yield from _commit_counts(entries, library)


def _landed(commit: Commit) -> str:
    return f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC"


def _authors(entry: Entry, commit: Commit, known: frozenset[str]) -> Iterator[Finding]:
    """Compare who stands in a column or behind a label for authors."""
    for field in entry.fields:
        stated = _END_OF_NAME.split(f"{plain(field.value[:200])} ")[0].strip(" @`*_.")
        if field.name == "author" and folded(stated):
            told = f"{commit.id} is by {commit.author.name}"
            yield Finding(entry.line_of(field), "author", stated, _is_author(stated, commit, known), told)


def _is_author(stated: str, commit: Commit, known: frozenset[str]) -> str:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    name = folded(stated)
    said_parts, true_parts = (set(map(folded, _PART.split(one))) for one in (stated, commit.author.name))
    alike = (name == one or (len(name) > 3 and (name in one or one in name)) for one in people_of(commit))
    if said_parts <= true_parts or any(alike):
        return RIGHT
    two_names = len(said_parts) > 1 < len(true_parts) and not said_parts & true_parts
    return "wrong:metadata" if name in known or two_names else UNVERIFIABLE


class _Time(NamedTuple):
    line: int
    stated: Stated
    commit: Commit

    def fits(self) -> bool:
        """Tell whether it is git's anywhere on earth: a report does not say its zone."""
        times = (self.commit.committed_at, self.commit.authored_at)
        return any(self.stated.fits(time, zone) for time in times for zone in _EARTH)


def _times(entry: Entry, commit: Commit) -> Iterator[_Time]:
    for field in entry.fields:
        # The day of an author's line stands behind the name.
        if field.name in ("date", "author"):
            dates = [one for one in find_dates(field.value[:200]) if one.year and one.day]
            if len(dates) == 1:
                yield _Time(entry.line_of(field), dates[0], commit)


def _windows(entries: Sequence[Entry], library: Library, times: Sequence[_Time]) -> Iterator[Finding]:
    """Compare the commits that lead an entry with the days that the report says it is about."""
    stated = {one.commit.id: one.stated for one in times}
    for entry in entries:
        first = next((one for one in entry.references if one.kind == "commit"), None)
        leads = entry.block.kind in ("row", "item", "heading") or entry.fields
        meant = library.meant(first, entry.scope) if first and leads and entry.days else []
        if first is None or entry.days is None or len(meant) != 1:
            continue
        commit, days, said = library.commit(meant[0]), entry.days, stated.get(meant[0])
        moments = [time.astimezone(zone) for time in (commit.committed_at, commit.authored_at) for zone in _EARTH]
        agreed = [one for one in moments if said and said.fits(one, one.tzinfo or UTC)] or moments
        inside = any(days.first <= one.date() <= days.last for one in agreed)
        told = f"{_landed(commit)}; the report is about {days}"
        yield Finding(first.line, "window", first.shown, RIGHT if inside else "wrong:window", told)


# ---------------------------------------------------------------- counts


def _counted(line: int, claim: str, change: Change, *, right: bool) -> Finding:
    told = f"{change.commit.id}: {len(change.files)} files, +{change.additions} −{change.deletions}"
    return Finding(line, "statistics", claim, RIGHT if right else "wrong:number", told)


def _columns(entry: Entry, change: Change) -> Iterator[Finding]:
    """Compare columns and labels with counts, and git's own summary."""
    true = {"added": change.additions, "deleted": change.deletions, "files": len(change.files)}
    for field in entry.fields:
        if field.name in true and (found := _COUNT.fullmatch(field.value)):
            right = int(found[1]) == true[field.name]
            yield _counted(entry.line_of(field), f"{field.name}: {found[1]}", change, right=right)
    if found := _SHORTSTAT.search(entry.block.text):
        stat = (len(change.files), change.additions, change.deletions)
        right = all(said is None or int(said) == one for said, one in zip(found.groups(), stat, strict=True))
        yield _counted(entry.block.line_at(found.start()), found[0], change, right=right)


def _lines(entry: Entry, change: Change) -> Iterator[Finding]:
    """Compare added and deleted lines with those of the commit, of the files that the block names, or of any file."""
    named = [file for code in code_of(entry.block.text)[:_MOST_CODES] for file in touched(code.text, change)]
    counts = {(one.additions, one.deletions) for one in (change, *(named or change.files))}
    for found in _PAIR.finditer(entry.block.text):
        said = (int(found[1].replace(",", "")), int(found[2].replace(",", "")))
        yield _counted(entry.block.line_at(found.start()), found[0].strip(), change, right=said in counts)


def _commit_counts(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare how many commits a column or a label says there are."""
    for entry in entries:
        stated = [(entry.line_of(one), _COUNT.fullmatch(one.value)) for one in entry.fields if one.name == "commits"]
        repos = entry.scope or library.keys()
        repository = library.get(next(iter(repos))) if len(repos) == 1 else None
        if not stated or repository is None or entry.days is None:
            continue
        counts, told = _true_counts(repository, entry.days, [one for one in entries if one.scope == entry.scope])
        for line, found in stated:
            if found:
                verdict = RIGHT if int(found[1]) in counts else "wrong:number"
                yield Finding(line, "number of commits", found[1], verdict, told)


def _true_counts(repository: Repository, days: Days, entries: Sequence[Entry]) -> tuple[set[int], str]:
    """Count what landed, in every zone of the earth, and what the report lists itself."""
    times = [commit.committed_at for commit in repository.line]
    landed = {sum(days.first <= time.astimezone(zone).date() <= days.last for time in times) for zone in _EARTH}
    cited = {one.value[:7] for entry in entries for one in entry.references if one.kind == "commit"}
    rows = sum(bool(entry.block.header) for entry in entries)
    span = f"{min(landed)} to {max(landed)}, by the zone," if len(landed) > 1 else f"{min(landed)}"
    return landed | {len(cited), rows}, f"{span} commits landed in {repository.repo} on {days}"
