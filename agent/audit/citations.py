"""Checks of references, that they exist and fit each other, and of what git knows: authors, dates, days, counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta, timezone
from urllib.parse import unquote

from agent.audit.entries import Entry
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, Reference, finding, folded, touched
from agent.audit.markdown import code_of, links_of, plain
from agent.domain.commits import Change, Commit, pull_named
from agent.domain.dates import find_dates
from agent.markdown import slug

_LABEL_HASH = re.compile(r"(?<![\w/-])([0-9a-f]{7,40})(?![\w/-])", re.ASCII)
_LABEL_NUMBER = re.compile(r"(?<!\w)(?:#|GH-)([1-9]\d{0,8})(?!\w)", re.ASCII)
_ID = re.compile(r"<[a-z]{1,10}\s[^<>\n]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\s\"'<>]{1,200})", re.IGNORECASE)


def check_citations(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Give every reference, what a link to it shows, and every link into the page its verdict."""
    for entry in entries:
        for one in entry.references:
            verdict = _commit(entry, one, library) if one.kind == "commit" else _thread(entry, one, library)
            if verdict:
                yield Finding(one.line, one.kind, one.shown, *verdict)
            label = plain(one.label).replace("`", "")
            said = (_LABEL_HASH if one.kind == "commit" else _LABEL_NUMBER).findall(label)
            if len(said) == 1:
                right = one.value.startswith(said[0]) if one.kind == "commit" else one.value == said[0]
                told = f"the label says {said[0]} and the link leads to {one.shown}"
                yield finding(one.line, "label", label[:120], told, wrong="" if right else "label")
    yield from _anchors(entries)


def _commit(entry: Entry, one: Reference, library: Library) -> tuple[str, str] | None:
    """Say whether a commit exists, and where; digits that may be something else are left alone."""
    # A hash in running text may be that of a dependency, which the text names.
    beside = entry.mentioned if one.field != "commit" else frozenset()
    asked = frozenset({one.repo}) if one.repo else entry.scope | beside
    unread = ", ".join(sorted(asked - library.keys()))
    meant = library.meant(one, entry.scope)
    if len(meant) > 1:
        return UNVERIFIABLE, f"ambiguous: it may mean {', '.join(commit.id for commit in meant[:3])}"
    for commit in meant:
        told = f"{commit.id} “{commit.title[:100]}”, {commit.author.name}, {commit.committed_at:%Y-%m-%d %H:%M} UTC"
        if commit.repo in asked or not (one.repo or entry.scope):
            return RIGHT, told
        why = f"it belongs to {commit.repo}, not to {', '.join(sorted(asked))}: {told}"
        return (UNVERIFIABLE if unread else "wrong:out-of-scope"), why
    quoted = any(one.value in text for read in entry.evidence for text in read.texts)
    if quoted or not (one.label or one.field == "commit" or _is_hash(one.value)):
        return None
    read = [library[repo] for repo in asked if repo in library] or list(library.values())
    if unread or not read:
        return UNVERIFIABLE, f"{unread or 'no repository'} was not read; give it with --repo"
    for found in read:
        newest = max((row.committed_at.date() for row in found.line), default=None)
        if not found.whole or (entry.days and newest and newest < entry.days.first):
            return UNVERIFIABLE, f"the copy of {found.repo} is not whole, or ends before the report's days"
    return "wrong:nonexistent", f"{', '.join(sorted(found.repo for found in read))} has no commit {one.value}"


def _is_hash(value: str) -> bool:
    """Tell whether digits can hardly be anything but a hash: a number has no letters, a word no digits."""
    digits = sum(sign.isdigit() for sign in value)
    return len(value) == 40 or (digits > 1 and len(value) - digits > 1)


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


def _anchors(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Look for the targets of links into the page among its headings and ids, as GitHub names them."""
    blocks = [entry.block for entry in entries if entry.block.kind != "fence"]
    titles = Counter(slug(plain(block.text).replace("`", ""), set()) for block in blocks if block.kind == "heading")
    known = {(name if place == 0 else f"{name}-{place}").casefold() for name in titles for place in range(titles[name])}
    known |= {found.casefold() for block in blocks if "<" in block.text for found in _ID.findall(block.text)}
    for block in blocks:
        for link in links_of(block.text) if "](#" in block.text else ():
            target = unquote(link.url[1:]).casefold()
            if link.url.startswith("#") and target not in ("", "top"):
                wrong = "" if target in known else "dead-anchor"
                told = f"the page has {'no such' if wrong else 'this'} heading or id"
                yield finding(block.line_at(link.start), "anchor", link.url, told, wrong=wrong)


# ---------------------------------------------------------------- what git knows

_END_OF_NAME = re.compile(r" [-–—] |[,，;；|(（\[<:：]")
_EARTH = tuple(timezone(timedelta(minutes=minutes)) for minutes in range(-720, 841, 30))
_PAIR = re.compile(r"(?<![\w.+/-])\+(\d{1,7})(?: ?行)?[ /,，、|]{0,4}[−–-](\d{1,7})(?![\w.,%])")
_COUNT = re.compile(r"\A\W{0,4}(\d{1,6})\W{0,4}")
_MOST_CODES = 50


def check_metadata(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare authors, dates, pull requests and counts of commits, then the report's days."""
    for entry in entries:
        yield from _window(entry, library)
        if len(entry.commits) == 1:
            commit = entry.commits[0]
            yield from _fields(entry, commit, library[commit.repo].authors)
            yield from _pulls(entry, commit)
            if entry.whole:
                yield from _statistics(entry, entry.evidence[0].change)


def _fields(entry: Entry, commit: Commit, authors: frozenset[str]) -> Iterator[Finding]:
    """Compare who and when stand in a column or behind a label; a date fits if it does anywhere on earth."""
    for field in (field for field in entry.fields if field.name in ("author", "date")):
        line, value = entry.block.line_at(field.start), field.value[:200]
        name = _END_OF_NAME.split(f"{plain(value)} ")[0].strip(" @`*_.")
        if field.name == "author" and folded(name):
            verdict = _is_author(folded(name), commit, authors)
            yield Finding(line, "author", name, verdict, f"{commit.id} is by {commit.author.name}")
        dates = [one for one in find_dates(value) if one.year and one.day]
        if len(dates) == 1:
            times = (commit.committed_at, commit.authored_at)
            right = any(dates[0].fits(time, zone) for time in times for zone in _EARTH)
            yield finding(line, "date", dates[0].text, _landing(commit), wrong="" if right else "metadata")


def _is_author(name: str, commit: Commit, authors: frozenset[str]) -> str:
    """Compare a name; one that nobody of the repository has may be a login, and is left open."""
    true, mailbox = folded(commit.author.name), folded(commit.author.email)
    if name == true or (len(name) > 2 and (name in true or true in name or name in mailbox)):
        return RIGHT
    # Whoever wrote a commit with others, or committed it for somebody, is named in the message or as its committer.
    others = folded(f"{commit.committer.name} {commit.committer.email} {commit.message}")
    return "wrong:metadata" if name in authors and name not in others else UNVERIFIABLE


def _landing(commit: Commit) -> str:
    return f"{commit.id} landed at {commit.committed_at:%Y-%m-%d %H:%M} UTC"


def _pulls(entry: Entry, commit: Commit) -> Iterator[Finding]:
    """Compare the pull request in its column or behind its label with the one that the commit came by."""
    true = str(pull_named(commit.subject) or "")
    for one in (one for one in entry.references if one.kind == "thread" and one.field == "pull" and true):
        if one.value == true or not re.search(rf"[#/]{one.value}(?!\d)", commit.message):
            claim, told = f"{commit.sha[:10]} #{one.value}", f"{commit.id} came by #{true}"
            yield finding(
                one.line, "pull request of commit", claim, told, wrong="" if one.value == true else "mismatch"
            )


def _window(entry: Entry, library: Library) -> Iterator[Finding]:
    """Compare the commit that leads an entry with the report's days, anywhere on earth."""
    first, days = next((one for one in entry.references if one.kind == "commit"), None), entry.days
    meant = library.meant(first, entry.scope) if first else []
    if first and days and len(meant) == 1 and (entry.block.kind != "text" or entry.fields):
        times = (meant[0].committed_at, meant[0].authored_at)
        inside = any(days.first <= time.astimezone(zone).date() <= days.last for time in times for zone in _EARTH)
        told = f"{_landing(meant[0])}; the report is about {days}"
        yield finding(first.line, "window", first.shown, told, wrong="" if inside else "window")


def _statistics(entry: Entry, change: Change) -> Iterator[Finding]:
    """Compare a number of files with that of the commit; lines with those of the commit or of a file that is named."""
    block, said = entry.block, list[tuple[int, str, bool]]()
    for field in entry.fields:
        if field.name == "files" and (found := _COUNT.fullmatch(field.value)):
            said.append((field.start, f"files: {found[1]}", int(found[1]) == len(change.files)))
    pairs = list(_PAIR.finditer(block.text))
    named = [file for code in code_of(block.text)[:_MOST_CODES] if pairs for file in touched(code.text, change)]
    counts = {(one.additions, one.deletions) for one in (change, *(named or change.files))}
    for found in pairs:
        said.append((found.start(), found[0], (int(found[1]), int(found[2])) in counts))
    told = f"{change.commit.id}: {len(change.files)} files, +{change.additions} −{change.deletions}"
    for start, claim, right in said:
        yield finding(block.line_at(start), "statistics", claim, told, wrong="" if right else "number")
