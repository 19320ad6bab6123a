"""Checks of references: a commit exists, in its repository; a number is this commit's; a link is what it is called."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta, timezone, tzinfo
from typing import NamedTuple

from agent.audit.entries import Entry, Reference
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, Repository, folded, people_of
from agent.audit.markdown import links_of, plain
from agent.domain.base import parse_reference
from agent.domain.commits import Commit
from agent.domain.dates import Days, Stated, find_dates
from agent.stories.timeline import pull_named

_LABEL_HASH = re.compile(r"(?<![\w/-])([0-9a-f]{7,40})(?![\w/-])", re.ASCII)
_LABEL_NUMBER = re.compile(r"(?<!\w)(?:#|GH-)([1-9]\d{0,8})(?!\w)", re.ASCII)
_NO_PULL = "a pull request is promised, and a commit linked"
_NEAR = 20  # Characters of brackets, bars and blanks that may stand between a hash and its pull request.


def check_citations(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Give every reference of a report its verdict."""
    for entry in entries:
        for one in entry.references:
            verdict = _commit(entry, one, library) if one.kind == "commit" else _thread(entry, one, library)
            if verdict:
                kind = {"pull": "pull request", "issues": "issue"}.get(one.place, one.kind)
                yield Finding(one.line, kind, one.shown, *verdict)
        yield from _labels(entry)
        yield from _pairs(entry, library)


def _commit(entry: Entry, one: Reference, library: Library) -> tuple[str, str] | None:
    """Say whether a commit exists, and where; digits that may be something else are left alone."""
    meant = library.meant(one, entry.scope)
    if meant:
        several = f"ambiguous: it may mean {', '.join(meant[:3])}"
        return (UNVERIFIABLE, several) if len(meant) > 1 else _in_scope(entry, one, library.commit(meant[0]))
    quoted = any(one.value in text for read in entry.evidence for text in read.texts)
    if quoted or not (one.form in ("link", "field") or one.is_hash_like):
        return None
    # A hash in running text may be that of a dependency, which the text names.
    beside = entry.mentioned if one.form in ("code", "bare") or not entry.scope else frozenset()
    asked = [one.repo] if one.repo else sorted(entry.scope | beside)
    unread = [repo for repo in asked if repo not in library]
    read = [library[repo] for repo in asked if repo in library] or list(library.values())
    if unread or not read:
        return UNVERIFIABLE, f"{', '.join(unread) or 'no repository'} was not read; give it with --repo"
    if why := next((why for found in read if (why := _may_be_absent(found, entry.days))), ""):
        return UNVERIFIABLE, why
    return "wrong:nonexistent", f"{', '.join(found.repo for found in read)} has no commit {one.value}"


def _may_be_absent(repository: Repository, days: Days | None) -> str:
    """Say why a commit that is not here may exist all the same."""
    if not repository.whole:
        return f"not all of {repository.repo} is here"
    newest = max((one.committed_at.date() for one in repository.line), default=None)
    return f"the copy of {repository.repo} ends on {newest}" if days and newest and newest < days.first else ""


def _in_scope(entry: Entry, one: Reference, commit: Commit) -> tuple[str, str]:
    told = f"{commit.id} “{commit.title[:100]}”, {commit.author.name}, {commit.committed_at:%Y-%m-%d %H:%M} UTC"
    wanted = frozenset({one.repo}) if one.repo else entry.scope
    beside = entry.mentioned if not one.repo and one.form != "field" else ()
    if not wanted or commit.repo in (*wanted, *beside):
        return RIGHT, told
    return "wrong:out-of-scope", f"it belongs to {commit.repo}, not to {', '.join(sorted(wanted))}: {told}"


def _thread(entry: Entry, one: Reference, library: Library) -> tuple[str, str]:
    if landed := library.landed(one.number, entry.scope, one.repo):
        return RIGHT, f"{landed} “{library.commit(landed).title[:100]}”"
    repos = [one.repo] if one.repo else sorted(entry.scope)
    repository = library.get(repos[0]) if len(repos) == 1 else None
    if repository and (thread := repository.threads.get(one.number)):
        return RIGHT, f"{thread.id} “{thread.title[:100]}”"
    if repository and one.number in repository.missing:
        return "wrong:nonexistent", f"{repository.repo} has no #{one.number}"
    return UNVERIFIABLE, "no landed commit names it; issues need an API to be read"


def _labels(entry: Entry) -> Iterator[Finding]:
    if entry.block.kind in ("fence", "rule") or "://" not in entry.block.text:
        return
    for link in links_of(entry.block.text):
        target = parse_reference(link.url) if "://" in link.url and link.text != link.url else None
        label = plain(link.text).replace("`", "")
        if target and (_LABEL_HASH.search(label) or _LABEL_NUMBER.search(label) or label.casefold() == "pr"):
            why = _mislabelled(label, target.kind, target.sha or str(target.number))
            verdict = "wrong:label" if why else RIGHT
            yield Finding(entry.block.line_at(link.start), "label", label[:120], verdict, f"{why} {link.url}".strip())
    for field in entry.fields:
        for link in links_of(field.value)[:1] if field.name == "pull" else ():
            target = parse_reference(link.url) if "://" in link.url else None
            if target and target.kind == "commit" and not _LABEL_NUMBER.search(link.text):
                told = f"{_NO_PULL}: {link.url}"
                yield Finding(entry.line_of(field), "label", field.value[:120], "wrong:label", told)


def _mislabelled(label: str, kind: str, value: str) -> str:
    hashes, numbers = _LABEL_HASH.findall(label), _LABEL_NUMBER.findall(label)
    if kind == "commit":
        hashes = [one for one in hashes if not one.isdigit() and not one.isalpha()]
        if hashes and not any(value.startswith(one) or one.startswith(value) for one in hashes):
            return f"the label says {hashes[0]} and the link leads to {value[:12]}:"
        return f"{_NO_PULL}:" if label.casefold() == "pr" else ""
    if len(numbers) == 1 and numbers[0] != value:
        return f"the label says #{numbers[0]} and the link leads to #{value}:"
    return "a commit is promised, and a thread linked:" if label.strip() in hashes and not label.isdigit() else ""


def _pairs(entry: Entry, library: Library) -> Iterator[Finding]:
    """Compare the pull request that stands beside a commit with the one it came by."""
    own = {name for one in entry.references if one.kind == "commit" for name in library.meant(one, entry.scope)}
    for one, beside in _numbers_beside(entry):
        meant = library.meant(beside, entry.scope) if beside else list(own)
        commit = library.commit(meant[0]) if len(meant) == 1 else None
        true = pull_named(commit.subject) if commit else None
        if commit is None or true is None:
            continue
        other = library.landed(one.number, frozenset({commit.repo}))
        quoted = other and commit.sha[:7] in library.commit(other).message
        if one.number != true and (quoted or re.search(rf"[#/]{one.number}(?!\d)", commit.message)):
            continue
        told = f"; #{one.number} brought {other}" if other and one.number != true else ""
        verdict = RIGHT if one.number == true else "wrong:mismatch"
        claim = f"{commit.sha[:10]} #{one.number}"
        yield Finding(one.line, "pull request of commit", claim, verdict, f"{commit.id} came by #{true}{told}")


def _numbers_beside(entry: Entry) -> Iterator[tuple[Reference, Reference | None]]:
    """Find the numbers given as the pull request of a commit: right beside its hash, or in their field."""
    column = entry.block.kind == "row" and any(field.name == "pull" for field in entry.fields)
    around, text = [None, *entry.references, None], entry.block.text
    for before, one, after in zip(around, around[1:], around[2:], strict=False):
        if one and one.kind == "thread" and one.place in ("", "pull"):
            near = before if _is_near(text, before, one) else after if _is_near(text, one, after) else None
            if (near and not column) or one.form == "field":
                yield one, None if column else near


def _is_near(text: str, first: Reference | None, second: Reference | None) -> bool:
    if not first or not second or first.kind == second.kind or second.start - first.end > _NEAR:
        return False
    return not re.search(r"\w", re.sub(r"(?i)\b(?:PR|commit)\b", "", text[first.end : second.start]))


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
