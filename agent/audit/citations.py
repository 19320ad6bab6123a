"""Checks of references, that they exist and fit each other, and of what git knows: authors, dates, days, counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta, timezone
from urllib.parse import unquote

from agent.audit.entries import Entry
from agent.audit.findings import (
    RIGHT,
    UNVERIFIABLE,
    Finding,
    Library,
    Reference,
    finding,
    folded,
    touched,
)
from agent.audit.markdown import Block, code_of, links_of, plain
from agent.domain.commits import Change, Commit, pull_named
from agent.domain.dates import find_dates
from agent.markdown import slug

_LABEL_HASH = re.compile(r"(?<![\w/-])([0-9a-f]{7,40})(?![\w/-])", re.ASCII)
_LABEL_NUMBER = re.compile(r"(?<!\w)(?:#|GH-)([1-9]\d{0,8})(?!\w)", re.ASCII)
_ID = re.compile(
    r"<[a-z]{1,10}\s[^<>\n]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\s\"'<>]{1,200})", re.IGNORECASE
)
_END_OF_NAME = re.compile(r" [-–—] |[,，;；|(（\[<:：]")
_EARTH = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
_PAIR = re.compile(r"(?<![\w.+/-])\+(\d{1,7})(?: ?行)?[ /,，、|]{0,4}[−–-](\d{1,7})(?![\w.,%])")
_MOST_CODES = 50


def check_citations(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Check references, links into the page, and what stands beside a commit: its author, date, days, statistics."""
    for entry in entries:
        for one in entry.references:
            verdict = (
                _commit(entry, one, library)
                if one.kind == "commit"
                else _thread(entry, one, library)
            )
            if verdict:
                yield Finding(one.line, one.kind, one.shown, *verdict)
            yield from _label_of_link(one)
        yield from _window(entry, library)
        if len(entry.commits) == 1:
            yield from _fields(entry, entry.commits[0], library)
            yield from _pulls(entry, entry.commits[0])
            yield from _statistics(entry, entry.evidence[0].change) if entry.whole else ()
    yield from _anchors([entry.block for entry in entries if entry.block.kind != "fence"])


def _label_of_link(one: Reference) -> Iterator[Finding]:
    said = (_LABEL_HASH if one.kind == "commit" else _LABEL_NUMBER).findall(one.label)
    if len(said) == 1:
        right = one.value.startswith(said[0]) if one.kind == "commit" else one.value == said[0]
        told = f"the label says {said[0]} and the link leads to {one.shown}"
        yield finding(
            one.line, "label", plain(one.label)[:120], told, wrong="" if right else "label"
        )


def _commit(entry: Entry, one: Reference, library: Library) -> tuple[str, str] | None:
    """Say whether a commit exists, and where; digits that may be something else are left alone."""
    # A hash in running text may be that of a dependency, which the text names.
    beside = entry.mentioned if one.field != "commit" else frozenset()
    asked = frozenset({one.repo}) if one.repo else entry.scope | beside
    unread = ", ".join(sorted(asked - library.keys()))
    meant = library.meant(one, entry.scope)
    if len(meant) > 1:
        return (
            UNVERIFIABLE,
            f"ambiguous: it may mean {', '.join(commit.id for commit in meant[:3])}",
        )
    if meant:
        commit = meant[0]
        told = f"{commit.id} “{commit.title[:100]}”, {commit.author.name}, {commit.committed_at:%Y-%m-%d %H:%M} UTC"
        if commit.repo in asked or not (one.repo or entry.scope):
            return RIGHT, told
        why = f"it belongs to {commit.repo}, not to {', '.join(sorted(asked))}: {told}"
        return (UNVERIFIABLE if unread else "wrong:out-of-scope"), why
    quoted = any(one.value in text for read in entry.evidence for text in read.texts)
    digits = sum(sign.isdigit() for sign in one.value)  # A number has no letters, a word no digits.
    if quoted or not (one.label or one.field == "commit" or 1 < digits < len(one.value) - 1):
        return None
    read = [library[repo] for repo in asked if repo in library] or list(library.values())
    if unread or not read or not all(found.whole for found in read):
        return (
            UNVERIFIABLE,
            f"{unread or 'a repository'} was not read, or not all of it; give it with --repo",
        )
    return (
        "wrong:nonexistent",
        f"{', '.join(sorted(found.repo for found in read))} has no commit {one.value}",
    )


def _thread(entry: Entry, one: Reference, library: Library) -> tuple[str, str]:
    if landed := library.landed(one, entry.scope):
        return RIGHT, f"{landed.id} “{landed.title[:100]}”"
    repos = [one.repo] if one.repo else sorted(entry.scope)
    repository = library.get(repos[0]) if len(repos) == 1 else None
    if repository and (thread := repository.threads.get(int(one.value))):
        return RIGHT, f"{thread.id} “{thread.title[:100]}”"
    if repository and int(one.value) in repository.missing:
        return "wrong:nonexistent", f"{repository.repo} has no #{one.value}"
    return UNVERIFIABLE, "no landed commit names it; issues need an API to be read"


def _anchors(blocks: Sequence[Block]) -> Iterator[Finding]:
    """Look for the targets of links into the page among its headings and ids, as GitHub names them."""
    titles = Counter(
        slug(plain(block.text).replace("`", ""), set())
        for block in blocks
        if block.kind == "heading"
    )
    known = {
        (name if place == 0 else f"{name}-{place}").casefold()
        for name in titles
        for place in range(titles[name])
    }
    known |= {
        found.casefold()
        for block in blocks
        if "<" in block.text
        for found in _ID.findall(block.text)
    }
    for block in blocks:
        for link in links_of(block.text) if "](#" in block.text else ():
            target = unquote(link.url[1:]).casefold()
            if link.url.startswith("#") and target not in ("", "top"):
                wrong = "" if target in known else "dead-anchor"
                told = f"the page has {'no such' if wrong else 'this'} heading or id"
                yield finding(block.line_at(link.start), "anchor", link.url, told, wrong=wrong)


def _fields(entry: Entry, commit: Commit, library: Library) -> Iterator[Finding]:
    """Compare who and when stand in a column or behind a label; a date fits if it does anywhere on earth."""
    for field in (field for field in entry.fields if field.name in ("author", "date")):
        line, value = entry.block.line_at(field.start), field.value[:200]
        name = _END_OF_NAME.split(f"{plain(value)} ")[0].strip(" @`*_.")
        if field.name == "author" and folded(name):
            verdict = _is_author(folded(name), commit, library[commit.repo].authors)
            yield Finding(line, "author", name, verdict, f"{commit.id} is by {commit.author.name}")
        dates = [one for one in find_dates(value) if one.year and one.day]
        if len(dates) == 1:
            times = (commit.committed_at, commit.authored_at)
            right = any(dates[0].fits(time, zone) for time in times for zone in _EARTH)
            told = f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC"
            yield finding(line, "date", dates[0].text, told, wrong="" if right else "metadata")


def _is_author(name: str, commit: Commit, authors: frozenset[str]) -> str:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    who, by = commit.author, commit.committer
    if name in folded(f"{who.name} {who.email}") or folded(who.name) in name:
        return RIGHT
    others = folded(
        f"{by.name} {by.email} {commit.message}"
    )  # The message names those who wrote it as well.
    return "wrong:metadata" if name in authors and name not in others else UNVERIFIABLE


def _pulls(entry: Entry, commit: Commit) -> Iterator[Finding]:
    """Compare the pull request in its column or behind its label with the one that the commit came by."""
    true = str(pull_named(commit.subject) or "")
    for one in (
        one for one in entry.references if one.kind == "thread" and one.field == "pull" and true
    ):
        if one.value == true or not re.search(rf"[#/]{one.value}(?!\d)", commit.message):
            wrong, told = "" if one.value == true else "mismatch", f"{commit.id} came by #{true}"
            yield finding(
                one.line,
                "pull request of commit",
                f"{commit.sha[:10]} #{one.value}",
                told,
                wrong=wrong,
            )


def _window(entry: Entry, library: Library) -> Iterator[Finding]:
    first, days = next((one for one in entry.references if one.kind == "commit"), None), entry.days
    meant = library.meant(first, entry.scope) if first else []
    if first and days and len(meant) == 1 and (entry.block.kind != "text" or entry.fields):
        commit, times = meant[0], (meant[0].committed_at, meant[0].authored_at)
        inside = any(
            days.first <= time.astimezone(zone).date() <= days.last
            for time in times
            for zone in _EARTH
        )
        told = f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC; the report is about {days}"
        yield finding(first.line, "window", first.shown, told, wrong="" if inside else "window")


def _statistics(entry: Entry, change: Change) -> Iterator[Finding]:
    """Compare added and deleted lines with those of the commit, of the files that the block names, or of any file."""
    pairs, text = list(_PAIR.finditer(entry.block.text)), entry.block.text
    named = [
        file for code in code_of(text)[:_MOST_CODES] if pairs for file in touched(code.text, change)
    ]
    counts = {(one.additions, one.deletions) for one in (change, *(named or change.files))}
    for found in pairs:
        wrong = "" if (int(found[1]), int(found[2])) in counts else "number"
        told = f"{change.commit.id}: {len(change.files)} files, +{change.additions} −{change.deletions}"
        yield finding(entry.block.line_at(found.start()), "statistics", found[0], told, wrong=wrong)
