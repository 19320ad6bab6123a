"""Checks of citations: references, links into the page, and what git knows of authors, dates, counts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from agent.audit.commit_metadata import (
    author_finding,
    date_finding,
    is_inside,
    landed_at,
)
from agent.audit.counted_lines import check_counts
from agent.audit.entries import FIELDS, AuditEntry, Field, thread_repos
from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding, finding, fold_flood
from agent.audit.hash_context_checks import check_beside, commit_of_number_beside
from agent.audit.markdown import Block, links_of, plain
from agent.audit.repository_lookup_results import (
    Doubt,
    Library,
    ReportReference,
    count_differing,
    folded,
)
from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.references import label_hashes, label_numbers, pull_number
from agent.domain.stated_dates import find_dates
from agent.markdown import slug
from agent.reports.shown_titles import shown_title

_ID = re.compile(
    r"<[a-z]{1,10}\s[^<>\n]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\s\"'<>]{1,200})", re.IGNORECASE
)
_END_OF_NAME = re.compile(r" [-–—] |[,，;；|(（\[<:：]")
_MAX_MEANINGS = 3  # That are listed of an ambiguous hash


class _Ruling(NamedTuple):
    """A verdict on a reference."""

    verdict: str
    evidence: str
    replacement: str = ""


def check_citations(entries: Sequence[AuditEntry], library: Library) -> Iterator[Finding]:
    """Check references, links into the page, and what stands beside a commit."""
    doubted: set[ReportReference] = set()
    for doubt in library.doubts:
        doubted.update(doubt.references)
        yield _doubt_finding(doubt)
    windows: list[Finding] = []
    for entry in entries:
        for reference in entry.references:
            if reference not in doubted:
                yield from _reference_findings(entry, reference, library)
        windows.extend(_window(entry, library))
        if len(entry.commits) == 1:
            commit = entry.commits[0]
            yield from _fields(entry, commit, library)
            yield from _pulls(entry, commit)
        if entry.is_read:
            for ruled in check_counts(entry, entry.evidence):
                yield ruled.finding
    yield from check_beside(entries, library)
    yield from fold_flood(windows, "commits are outside of the days that the report states")
    yield from _anchors([entry.block for entry in entries if entry.block.kind != "fence"])


def _doubt_finding(doubt: Doubt) -> Finding:
    first_line = min(reference.line for reference in doubt.references)
    repos = ", ".join(sorted(doubt.repos))
    return Finding(first_line, "repository", repos, UNVERIFIABLE, doubt.text)


def _reference_findings(
    entry: AuditEntry, reference: ReportReference, library: Library
) -> Iterator[Finding]:
    rule = _commit if reference.kind == "commit" else _thread
    ruling = rule(entry, reference, library)
    if ruling is not None:
        yield Finding(
            reference.line,
            reference.kind,
            reference.written,
            ruling.verdict,
            ruling.evidence,
            span=reference.value if ruling.replacement else "",
            replacement=ruling.replacement,
        )
    yield from _label_of_link(reference)


def _label_of_link(reference: ReportReference) -> Iterator[Finding]:
    """Compare what a link is called with what it leads to."""
    bare_label = plain(reference.label).casefold().strip(" *_:：`")
    if reference.kind == "commit" and (reference.field == "pull" or bare_label in FIELDS["pull"]):
        claim = plain(reference.label)[:120] or reference.written
        evidence = "it is called a pull request and leads to a commit"
        yield finding(reference.line, "label", claim, evidence, wrong="label")
    if reference.kind == "commit":
        labels = label_hashes(reference.label)
    else:
        labels = [str(number) for number in label_numbers(reference.label)]
    if len(labels) != 1:
        return
    (label,) = labels
    is_abbreviated = reference.kind == "commit" and reference.value.startswith(label)
    is_right = is_abbreviated or reference.value == label
    evidence = f"the label says {label} and the link leads to {reference.written}"
    claim = plain(reference.label)[:120]
    linked = reference.value[: len(label)]
    is_misspelt = reference.kind == "commit" and count_differing(label, linked) == 1
    yield finding(
        reference.line,
        "label",
        claim,
        evidence,
        wrong="" if is_right else "label",
        span=label if is_misspelt else "",
        replacement=linked if is_misspelt else "",
    )


def _commit(entry: AuditEntry, reference: ReportReference, library: Library) -> _Ruling | None:
    """Rule whether a commit exists, and where; None for digits that may be something else."""
    repos = _repos_for(entry, reference)
    unread = ", ".join(sorted(repos - library.keys()))
    commits = library.meant(reference, entry.scope)
    if len(commits) > 1:
        meanings = ", ".join(commit.id for commit in commits[:_MAX_MEANINGS])
        return _Ruling(UNVERIFIABLE, f"ambiguous: it may mean {meanings}")
    if commits:
        (commit,) = commits
        described = _described(commit)
        is_open = not reference.repo and not entry.scope
        if is_open or commit.repo in repos:
            return _Ruling(RIGHT, described)
        evidence = f"it belongs to {commit.repo}, not to {', '.join(sorted(repos))}: {described}"
        is_elsewhere = not unread or _is_link_elsewhere(entry, reference, commit, library)
        return _Ruling("wrong:out-of-scope" if is_elsewhere else UNVERIFIABLE, evidence)
    if not reference.is_surely_hash or _is_quoted(entry, reference):
        return None
    looked_in = [library[repo] for repo in repos if repo in library] or list(library.values())
    if unread or not looked_in or not all(repository.is_complete for repository in looked_in):
        subject = unread or "a repository"
        return _Ruling(
            UNVERIFIABLE, f"{subject} was not read, or not all of it; give it with --repo"
        )
    names = ", ".join(sorted(repository.repo for repository in looked_in))
    evidence = f"{names} has no commit {reference.value}"
    meant = commit_of_number_beside(entry, reference, library)
    if meant is not None:
        evidence += f"; the number beside it landed as {_described(meant)}"
        return _Ruling("wrong:nonexistent", evidence, meant.sha[: len(reference.value)])
    for nearest in library.nearest(reference, entry.scope):
        evidence += f"; it resembles {_described(nearest)}"
        return _Ruling("wrong:nonexistent", evidence, nearest.sha[: len(reference.value)])
    return _Ruling("wrong:nonexistent", evidence)


def _is_link_elsewhere(
    entry: AuditEntry, reference: ReportReference, commit: Commit, library: Library
) -> bool:
    """Return True if a block has the pull request of a commit and links the commit elsewhere.

    A fork has the commits of its origin, but mostly also its name.
    """
    if not reference.repo or library.other_names.get(reference.repo) == commit.repo:
        return False
    if _is_of_same_name(reference.repo, commit.repo):
        return False
    for thread in entry.references:
        if thread.kind != "thread":
            continue
        landed = library.landed(thread, thread_repos(entry, thread, library))
        if landed is not None and landed.id == commit.id:
            return True
    return False


def _is_of_same_name(repo: RepoId, other: RepoId) -> bool:
    name, other_name = (text.rpartition("/")[2].casefold() for text in (repo, other))
    return name in other_name or other_name in name


def _repos_for(entry: AuditEntry, reference: ReportReference) -> frozenset[RepoId]:
    """Return the repositories in which a hash ought to be; empty if the report names none."""
    if reference.repo:
        return frozenset({reference.repo})
    if reference.field == "commit":
        return entry.scope
    # A hash in running text may be that of a dependency, which the text names.
    return entry.scope | entry.mentioned


def _is_quoted(entry: AuditEntry, reference: ReportReference) -> bool:
    texts = chain.from_iterable(evidence.texts for evidence in entry.evidence)
    return any(reference.value in text for text in texts)


def _described(commit: Commit) -> str:
    moment = f"{commit.committed_at:%Y-%m-%d %H:%M} UTC"
    return f"{commit.id} “{shown_title(commit.title)[:100]}”, {commit.author.name}, {moment}"


def _thread(entry: AuditEntry, reference: ReportReference, library: Library) -> _Ruling:
    landed = library.landed(reference, thread_repos(entry, reference, library))
    if landed is not None:
        return _Ruling(RIGHT, f"{landed.id} “{shown_title(landed.title)[:100]}”")
    repos = [reference.repo] if reference.repo else sorted(entry.scope)
    repository = library.get(repos[0]) if len(repos) == 1 else None
    if repository is not None:
        number = int(reference.value)
        thread = repository.threads.get(number)
        if thread is not None:
            return _Ruling(RIGHT, f"{thread.id} “{thread.title[:100]}”")
        if number in repository.missing:
            return _Ruling("wrong:nonexistent", f"{repository.repo} has no #{number}")
    return _Ruling(UNVERIFIABLE, "no landed commit names it; issues need an API to be read")


def _anchors(blocks: Sequence[Block]) -> Iterator[Finding]:
    """Check that links into the page lead to one of its headings or ids, as GitHub names them."""
    targets = _page_targets(blocks)
    for block in blocks:
        if "](#" not in block.text:
            continue
        for link in links_of(block.text):
            target = unquote(link.url[1:]).casefold()
            if not link.url.startswith("#") or target in ("", "top"):
                continue
            line = block.line_at(link.start)
            if target in targets:
                evidence = "the page has this heading or id"
                yield finding(line, "anchor", link.url, evidence, wrong="")
            else:
                evidence = "the page has no such heading or id"
                yield finding(line, "anchor", link.url, evidence, wrong="dead-anchor")


def _page_targets(blocks: Sequence[Block]) -> set[str]:
    targets: set[str] = set()
    titles = Counter[str]()
    for block in blocks:
        if block.kind == "heading":
            titles[slug(plain(block.text).replace("`", ""), set())] += 1
        if "<" in block.text:
            targets.update(name.casefold() for name in _ID.findall(block.text))
    for title, count in titles.items():
        targets.add(title.casefold())
        targets.update(f"{title}-{number}".casefold() for number in range(1, count))
    return targets


def _fields(entry: AuditEntry, commit: Commit, library: Library) -> Iterator[Finding]:
    """Check the author and the date in a column or behind a label."""
    if _is_about_thread(entry, library):
        return
    for field in entry.fields:
        line = entry.block.line_at(field.start)
        if field.name == "author":
            yield from _author(line, field, commit, library)
        if field.name in ("author", "date"):
            yield from _date(line, field, commit)


def _is_about_thread(entry: AuditEntry, library: Library) -> bool:
    """Return True if the first thing that a block names is an issue, whose author may be meant."""
    if not entry.references or entry.references[0].kind != "thread":
        return False
    first = entry.references[0]
    return library.landed(first, thread_repos(entry, first, library)) is None


def _author(line: int, field: Field, commit: Commit, library: Library) -> Iterator[Finding]:
    name = _END_OF_NAME.split(f"{plain(field.value[:200])} ")[0].strip(" `*_.")
    if folded(name):
        yield author_finding(line, name, commit, library[commit.repo].authors)


def _date(line: int, field: Field, commit: Commit) -> Iterator[Finding]:
    dates = [date for date in find_dates(field.value[:200]) if date.year and date.day]
    if len(dates) == 1:
        yield date_finding(line, dates[0], commit)


def _pulls(entry: AuditEntry, commit: Commit) -> Iterator[Finding]:
    """Compare the pull request in its column or behind its label with that of the commit."""
    pull = str(pull_number(commit.subject) or "")
    if not pull:
        return
    for reference in entry.references:
        if reference.kind != "thread" or reference.field != "pull":
            continue
        if reference.repo not in (None, commit.repo):
            continue
        is_right = reference.value == pull
        if not is_right and re.search(rf"[#/]{reference.value}(?!\d)", commit.message):
            continue
        claim = f"{commit.sha[:10]} #{reference.value}"
        yield finding(
            reference.line,
            "pull request of commit",
            claim,
            f"{commit.id} came by #{pull}",
            wrong="" if is_right else "mismatch",
        )


def _window(entry: AuditEntry, library: Library) -> Iterator[Finding]:
    """Check that the first commit of an entry was made in the days that the report states."""
    days = entry.days
    hashes = [reference for reference in entry.references if reference.kind == "commit"]
    if not days or not hashes or (entry.block.kind == "text" and not entry.fields):
        return
    reference = hashes[0]
    commits = library.meant(reference, entry.scope)
    if len(commits) != 1:
        return
    (commit,) = commits
    yield finding(
        reference.line,
        "window",
        reference.written,
        f"{landed_at(commit)}; the report is about {days}",
        wrong="" if is_inside(commit, days) else "window",
    )
