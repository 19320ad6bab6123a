"""Checks of references, that they exist and fit each other, and of what git knows: authors, dates, days, counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta, timezone
from urllib.parse import unquote

from agent.audit.entries import Entry, Reference
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, Repository, folded, people_of, touched
from agent.audit.markdown import code_of, links_of, plain
from agent.domain.base import parse_reference
from agent.domain.commits import Change, Commit, pull_named
from agent.domain.dates import Days, find_dates
from agent.markdown import slug

_LABEL_HASH = re.compile(r"(?<![\w/-])([0-9a-f]{7,40})(?![\w/-])", re.ASCII)
_LABEL_NUMBER = re.compile(r"(?<!\w)(?:#|GH-)([1-9]\d{0,8})(?!\w)", re.ASCII)
_ID = re.compile(r"<[a-z]{1,10}\s[^<>\n]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\s\"'<>]{1,200})", re.IGNORECASE)
_NEAR = 20  # Characters of brackets, bars and blanks that may stand between a hash and its pull request.


def check_citations(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Give every reference and every link into the page its verdict."""
    for entry in entries:
        for one in entry.references:
            verdict = _commit(entry, one, library) if one.kind == "commit" else _thread(entry, one, library)
            if verdict:
                kind = {"pull": "pull request", "issues": "issue"}.get(one.place, one.kind)
                yield Finding(one.line, kind, one.shown, *verdict)
        yield from _labels(entry)
        yield from _pairs(entry, library)
    yield from _anchors(entries)


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
    beside = entry.mentioned if one.form == "bare" or not entry.scope else frozenset()
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
    """Compare the hash or the number that a link shows with what it leads to."""
    if entry.block.kind in ("fence", "rule") or "://" not in entry.block.text:
        return
    for link in links_of(entry.block.text):
        target = parse_reference(link.url) if "://" in link.url and link.text != link.url else None
        label = plain(link.text).replace("`", "")
        if target is None:
            continue
        shown = _LABEL_HASH.findall(label) if target.kind == "commit" else _LABEL_NUMBER.findall(label)
        true = target.sha or str(target.number)
        if len(shown) == 1:
            right = true.startswith(shown[0]) if target.kind == "commit" else true == shown[0]
            told = f"the label says {shown[0]} and the link leads to {true[:12]}: {link.url}"
            verdict = RIGHT if right else "wrong:label"
            yield Finding(entry.block.line_at(link.start), "label", label[:120], verdict, told)


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


def _anchors(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Look for the targets of links into the page among its headings and ids, as GitHub names them."""
    blocks = [entry.block for entry in entries]
    titles = Counter(slug(plain(block.text).replace("`", ""), set()) for block in blocks if block.kind == "heading")
    known = {(name if place == 0 else f"{name}-{place}").casefold() for name in titles for place in range(titles[name])}
    known |= {found.casefold() for block in blocks if "<" in block.text for found in _ID.findall(block.text)}
    for block in blocks:
        for link in links_of(block.text) if "](#" in block.text and block.kind != "fence" else ():
            target = unquote(link.url[1:]).casefold()
            if link.url.startswith("#") and target not in ("", "top"):
                verdict = RIGHT if target in known else "wrong:dead-anchor"
                told = f"the page has {'this' if target in known else 'no such'} heading or id"
                yield Finding(block.line_at(link.start), "anchor", link.url, verdict, told)


# ---------------------------------------------------------------- what git knows

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
    for entry, commit in single:
        yield from _times(entry, commit)
        yield from _authors(entry, commit, library[commit.repo].people)
        if entry.block.kind not in ("fence", "rule") and entry.whole:
            yield from _columns(entry, entry.evidence[0].change)
            yield from _lines(entry, entry.evidence[0].change)
    yield from _windows(entries, library)
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


def _times(entry: Entry, commit: Commit) -> Iterator[Finding]:
    """Compare dates with git's anywhere on earth: a report does not say its zone."""
    times = (commit.committed_at, commit.authored_at)
    # The day of an author's line stands behind the name.
    for field in (field for field in entry.fields if field.name in ("date", "author")):
        dates = [one for one in find_dates(field.value[:200]) if one.year and one.day]
        if len(dates) == 1:
            fits = any(dates[0].fits(time, zone) for time in times for zone in _EARTH)
            verdict = RIGHT if fits else "wrong:metadata"
            yield Finding(entry.line_of(field), "date", dates[0].text.strip(), verdict, _landed(commit))


def _windows(entries: Sequence[Entry], library: Library) -> Iterator[Finding]:
    """Compare the commits that lead an entry with the days that the report says it is about."""
    for entry in entries:
        first = next((one for one in entry.references if one.kind == "commit"), None)
        leads = entry.block.kind in ("row", "item", "heading") or entry.fields
        meant = library.meant(first, entry.scope) if first and leads and entry.days else []
        if first is None or entry.days is None or len(meant) != 1:
            continue
        commit, days = library.commit(meant[0]), entry.days
        times = (commit.committed_at, commit.authored_at)
        inside = any(days.first <= time.astimezone(zone).date() <= days.last for time in times for zone in _EARTH)
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
