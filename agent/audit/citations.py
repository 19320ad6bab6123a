"""Checks of references: a commit exists, in its repository; a number is this commit's; a link is what it is called."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from agent.audit.entries import Entry, Reference
from agent.audit.lookup import RIGHT, UNVERIFIABLE, Finding, Library, Repository
from agent.audit.markdown import links_of, plain
from agent.domain.base import parse_reference
from agent.domain.commits import Commit
from agent.domain.dates import Days
from agent.markdown import slug
from agent.stories.timeline import pull_named

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
