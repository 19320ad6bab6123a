"""The entries of a report: its blocks, each with its repository, days, fields, references and commits."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.audit.markdown import BAR, Block, blanked, code_of, links_of, plain, read_blocks
from agent.audit.repository_lookup_results import Library, ReportReference
from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.evidence import CommitEvidence
from agent.domain.references import (
    Reference,
    is_repo_name,
    parse_reference,
    report_hashes,
    report_numbers,
)
from agent.domain.stated_dates import Days, days_in

FIELDS = {
    "commit": ("commit", "sha", "hash", "提交"),
    "author": ("author", "作者"),
    "date": ("date", "time", "日期", "时间", "提交时间"),
    "pull": ("pr", "pull request"),
    "files": (
        "file",
        "files",
        "changed files",
        "文件",
        "受影响文件",
        "关键文件",
        "主要文件",
        "修改文件",
        "关键文件/改动",
        "文件数",
    ),
}
"""The names of columns and labels under which reports give what git knows."""
_MIN_UNKNOWN = 2  # One may be the wrong number that is looked for
_PARAGRAPH_LEVEL = 1  # Of a paragraph outside of lists; those in items are deeper
_PIECE = re.compile(r"[^|·•\n;；]{1,2000}")
_LABEL = re.compile(r"\A[^\w`\[]{0,12}([^\W\d_][\w /+-]{0,30}?)[*_ ]{0,4}[:：][*_ ]{0,4}(?=\S)")
_INNER_LABEL = re.compile(
    r"(?:[.!?] |[。！？] ?)[*_]{0,3}([^\W\d_][\w ]{0,30}?)[*_]{0,3}[:：][*_ ]{0,4}(?=\S)"
)
_REPO_LINK = re.compile(r"https?://[\w.-]{1,100}/([\w-]{1,39}/[\w.-]{1,100})(?![\w.-])", re.ASCII)
_WORDS = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100})?")
_NUMBERING = re.compile(r"^(?:\d{1,3}[.)、]|[^\w\s])+\s*")
_ZONE = re.compile(r"[(（](?:utc|gmt)[+-]?[\d:]{0,5}[)）]$")
_TITLE_END = re.compile(r"\s[-–—|]\s|[(（:：]|\s(?=20\d\d)")


class Field(NamedTuple):
    """A value that stands under a column or behind a label."""

    name: str
    value: str
    start: int  # Where the value begins in the text of its block


def field_name(label: str) -> str:
    """Return the name of the field that a label or column header stands for, or an empty string."""
    bare_label = plain(label[:60]).casefold().strip(" *_:：`")
    # The head of a column may say in which time zone its dates are.
    bare_label = _ZONE.sub("", bare_label).rstrip()
    for name, labels in FIELDS.items():
        if bare_label in labels:
            return name
    return ""


@dataclass(eq=False)
class AuditEntry:
    """A block of a report with everything that is known of it."""

    block: Block
    fields: list[Field]
    references: list[ReportReference]
    mentioned: frozenset[RepoId]  # The repositories that it names
    # The list items that it stands under, then the headings, the nearest first.
    above: tuple["AuditEntry", ...] = ()
    lead: "AuditEntry | None" = None  # The paragraph right before the list that an item is in
    introduction: "AuditEntry | None" = None  # Of a fence: the block before it
    scope: frozenset[RepoId] = frozenset()
    """The repository it is about: as an item or heading says, or as the hashes of its section do."""
    is_placed: bool = False  # An item or heading has the name of the repository for a title
    is_elsewhere: bool = False  # The hashes of its section are in no repository that was read
    elsewhere_section: "AuditEntry | None" = (
        None  # The heading of that section; None: the whole report
    )
    days: Days | None = None
    commits: tuple[Commit, ...] = ()  # The commits that it is about
    evidence: tuple[CommitEvidence, ...] = ()  # Those of which the diff was read
    # The diffs of all that it stands under, which it may speak of as well.
    context: tuple[CommitEvidence, ...] = ()

    @property
    def is_read(self) -> bool:
        """Return True if all of its commits were read, with all of their files."""
        if not self.evidence or len(self.evidence) != len(self.commits):
            return False
        changes = [evidence.change for evidence in self.evidence]
        return not any(change.incomplete or change.unreadable for change in changes)


def read_page(text: str, name: str, repos: Sequence[RepoId]) -> list[AuditEntry]:
    """Return the blocks of a report; `name` is that of its file, `repos` those that can be read."""
    blocks = list(read_blocks(text))
    repo_by_name = _repos_by_name(blocks, repos)
    entries = [_entry(block, repo_by_name) for block in blocks]
    _nest(entries)
    for entry in entries:
        entry.scope = _titled_scope(entry, repo_by_name)
        entry.is_placed = bool(entry.scope)
    _set_days(entries, name)
    return entries


def _set_days(entries: Sequence[AuditEntry], file_name: str) -> None:
    """Set the days of each entry: those of the nearest heading with days, else of the report."""
    days_by_heading: dict[AuditEntry, Days] = {}
    for entry in entries:
        days = days_in(entry.block.text) if entry.block.kind == "heading" else None
        if days:
            days_by_heading[entry] = days
    stated = set[Days | None](days_by_heading.values()) or {days_in(file_name.rpartition(".")[0])}
    report_days = next(iter(stated)) if len(stated) == 1 else None
    for entry in entries:
        nearest = (days_by_heading[above] for above in entry.above if above in days_by_heading)
        entry.days = next(nearest, report_days)


def _entry(block: Block, repo_by_name: Mapping[str, RepoId]) -> AuditEntry:
    if block.kind == "fence":
        return AuditEntry(block, [], [], frozenset())
    fields = list(_fields(block))
    references = list(_references(block, fields, repo_by_name))
    mentioned = {reference.repo for reference in references if reference.repo}
    words = set(_WORDS.findall(block.text.casefold()))
    for name, repo in repo_by_name.items():
        short_name = name.rpartition("/")[2]
        if name in words or short_name in words:
            mentioned.add(repo)
    return AuditEntry(block, fields, references, frozenset(mentioned))


def _fields(block: Block) -> Iterator[Field]:
    if block.cells:
        yield from _cell_fields(block)
        return
    for piece in _PIECE.finditer(block.text):
        label = _LABEL.match(piece[0])
        name = field_name(label[1]) if label else ""
        if label and name:
            value = piece[0][label.end() :].strip()
            yield Field(name, value, piece.start() + label.end())
        # A list of files may stand at the end of an item, behind its sentences.
        for inner_label in _INNER_LABEL.finditer(piece[0]):
            if field_name(inner_label[1]) == "files":
                value = piece[0][inner_label.end() :].strip()
                yield Field("files", value, piece.start() + inner_label.end())


def _cell_fields(block: Block) -> Iterator[Field]:
    start = 0
    for title, cell in zip(block.header, block.cells, strict=False):
        name = field_name(title)
        if name:
            yield Field(name, cell, start)
        start += len(cell) + len(BAR)


class _Located(NamedTuple):
    """A link, hash or number in the text of a block."""

    start: int
    end: int
    reference: Reference
    label: str = ""
    is_pull: bool = False


def _references(
    block: Block, fields: Sequence[Field], repo_by_name: Mapping[str, RepoId]
) -> Iterator[ReportReference]:
    """Yield links, hashes and numbers; digits alone are a hash in code and in fields of commits."""
    located: list[_Located] = []
    blanks = []
    for link in links_of(block.text):
        target = parse_reference(link.url) if "://" in link.url else None
        if target is not None:
            is_pull = target.kind == "thread" and "/pull/" in link.url
            located.append(_Located(link.start, link.end, target, link.text, is_pull))
        if target is not None or "://" in link.text:
            blanks.append(link)
    text = blanked(block.text, blanks)
    for start, end, reference in report_hashes(text):
        located.append(_Located(start, end, reference))
    for start, end, reference in report_numbers(blanked(text, code_of(text))):
        located.append(_Located(start, end, reference))
    for start, end, reference, label, is_pull in sorted(located, key=lambda match: match.start):
        field = _field_at(start, fields)
        is_marked = label or field == "commit" or text[start - 1 : start] == "`"
        is_one_kind = reference.sha.isdigit() or reference.sha.isalpha()
        if reference.kind == "commit" and not is_marked and is_one_kind:
            continue
        repo = reference.repo
        if repo is not None:
            repo = repo_by_name.get(repo.casefold(), repo)
        yield ReportReference(
            kind=reference.kind,
            value=reference.sha or str(reference.number),
            line=block.line_at(start),
            repo=repo,
            label=label,
            field=field,
            start=start,
            end=end,
            is_set_apart=text[start - 1 : start] == "`" or _leads_item(start, end, block),
            is_pull=is_pull,
        )


def _leads_item(start: int, end: int, block: Block) -> bool:
    """Return True for what an item of a list begins with, before a colon."""
    return block.kind == "item" and start == 0 and block.text[end : end + 1] in (":", "：")


def _field_at(start: int, fields: Sequence[Field]) -> str:
    """Return the name of the field in whose value a place of the text lies."""
    index = bisect_right(fields, start, key=lambda field: field.start) - 1
    if index < 0:
        return ""
    field = fields[index]
    return field.name if start < field.start + len(field.value) else ""


def _nest(entries: Sequence[AuditEntry]) -> None:
    """Set the items and headings that each entry stands under."""
    headings: list[AuditEntry] = []
    items: list[AuditEntry] = []
    lead: AuditEntry | None = None
    introduction: AuditEntry | None = None
    for entry in entries:
        kind = entry.block.kind
        if kind == "fence":
            entry.introduction = introduction
        else:
            introduction = entry
        if kind == "item":
            entry.lead = lead
        elif kind != "text" or entry.block.level <= _PARAGRAPH_LEVEL:
            lead = entry if kind == "text" else None
        if kind in ("heading", "row"):
            items.clear()
        stack = headings if kind == "heading" else items
        while stack and stack[-1].block.level >= entry.block.level:
            stack.pop()
        entry.above = (*reversed(items), *reversed(headings))
        if kind in ("heading", "item"):
            stack.append(entry)


def _repos_by_name(blocks: Sequence[Block], repos: Sequence[RepoId]) -> dict[str, RepoId]:
    """Return the repositories that are given, linked or the title of a heading."""
    repo_by_name = {repo.casefold(): repo for repo in repos}
    for block in blocks:
        if block.kind == "fence":
            continue
        names = [name.removesuffix(".git") for name in _REPO_LINK.findall(block.text)]
        title = _bare_title(block.text) if block.kind == "heading" else ""
        if is_repo_name(title):
            names.append(title)
        for name in names:
            repo_by_name.setdefault(name.casefold(), RepoId(name))
    return repo_by_name


def _bare_title(title: str) -> str:
    return _NUMBERING.sub("", plain(title[:300])).strip(" :：`")


def _titled_scope(entry: AuditEntry, repo_by_name: Mapping[str, RepoId]) -> frozenset[RepoId]:
    """Return the repository that the nearest item or heading above a block has for a title."""
    candidates = [entry, *entry.above] if entry.block.kind == "heading" else entry.above
    for candidate in candidates:
        if candidate.block.kind != "item" and candidate.references:
            continue
        title = candidate.block.text.partition("\n")[0]
        scope = _titled(title, repo_by_name)
        if scope:
            return scope
    return frozenset()


def _titled(title: str, repo_by_name: Mapping[str, RepoId]) -> frozenset[RepoId]:
    """Return the repository of which a title is the name, with or without its owner."""
    full_title = _bare_title(title).casefold()
    beginning = _TITLE_END.split(full_title)[0].strip()
    scope = set()
    for name, repo in repo_by_name.items():
        short_name = name.rpartition("/")[2]
        is_title = {name, short_name} & {full_title, beginning}
        if is_title or name in full_title.split():
            scope.add(repo)
    return frozenset(scope)


def find_commits(entries: Sequence[AuditEntry], library: Library) -> None:
    """Set which commits each block is about: those it names, or those of what it stands under."""
    commits_by_entry = {entry: _named_commits(entry, library) for entry in entries}
    below: dict[AuditEntry, dict[str, Commit]] = {entry: {} for entry in entries}
    for entry in entries:
        for above in entry.above:
            below[above].update({commit.id: commit for commit in commits_by_entry[entry]})
    unknown_pulls = _unknown_pulls(entries, commits_by_entry)
    about: dict[AuditEntry, tuple[Commit, ...]] = {}
    for entry in entries:
        about[entry] = commits_by_entry[entry]
        # An item or a heading that names no commit is about the one that everything below names.
        is_about_one = len(below[entry]) == 1 and len(unknown_pulls[entry]) < _MIN_UNKNOWN
        if not commits_by_entry[entry] and is_about_one:
            about[entry] = tuple(below[entry].values())
    leads = _leads(entries, commits_by_entry)
    previous: AuditEntry | None = None
    for entry in entries:
        lead = entry.lead if entry.lead in leads else None
        entry.commits = _commits_of(entry, previous, lead, about)
        entry.evidence = _evidence_of(entry.commits, library)
        context: dict[str, Commit] = {}
        for upper in (*entry.above, *([lead] if lead else [])):
            context.update({commit.id: commit for commit in about[upper]})
        entry.context = _evidence_of(tuple(context.values()), library)
        previous = entry


def _unknown_pulls(
    entries: Sequence[AuditEntry], commits_by_entry: Mapping[AuditEntry, tuple[Commit, ...]]
) -> dict[AuditEntry, set[str]]:
    """Return the pull requests below each block of which no commit is known."""
    unknown_pulls: dict[AuditEntry, set[str]] = {entry: set() for entry in entries}
    for entry in entries:
        if commits_by_entry[entry]:
            continue
        for reference in entry.references:
            if reference.is_pull or (reference.kind == "thread" and reference.field == "pull"):
                for above in (entry, *entry.above):
                    unknown_pulls[above].add(reference.value)
    return unknown_pulls


def _evidence_of(commits: Sequence[Commit], library: Library) -> tuple[CommitEvidence, ...]:
    """Return those of some commits of which the diff was read."""
    changes = (library[commit.repo].changes.get(commit.sha) for commit in commits)
    return tuple(evidence for evidence in changes if evidence is not None)


def _leads(
    entries: Sequence[AuditEntry], commits_by_entry: Mapping[AuditEntry, tuple[Commit, ...]]
) -> set[AuditEntry]:
    """Return the paragraphs about one commit that the list right below goes on about.

    It does not if most of its items name commits of their own.
    """
    items_below: dict[AuditEntry, list[AuditEntry]] = {}
    for entry in entries:
        if entry.lead is not None and len(commits_by_entry[entry.lead]) == 1:
            items_below.setdefault(entry.lead, []).append(entry)
    leads = set()
    for lead, items in items_below.items():
        naming_items = [item for item in items if commits_by_entry[item]]
        if 2 * len(naming_items) < len(items):
            leads.add(lead)
    return leads


def _commits_of(
    entry: AuditEntry,
    previous: AuditEntry | None,
    lead: AuditEntry | None,
    about: Mapping[AuditEntry, tuple[Commit, ...]],
) -> tuple[Commit, ...]:
    nearest = [entry, *(above for above in entry.above if above.block.kind == "item")]
    if lead is not None:
        nearest.append(lead)
    for candidate in nearest:
        if about[candidate]:
            return about[candidate]
    is_labelled = bool(entry.fields)
    if previous is not None and _follows(entry.block, previous.block, labelled=is_labelled):
        followed = previous.commits
    else:
        followed = ()
    if followed:
        return followed
    return next((about[above] for above in entry.above if about[above]), ())


def thread_repos(
    entry: AuditEntry, reference: ReportReference, repos: Collection[RepoId]
) -> set[RepoId]:
    """Return the repositories that a number may belong to, where `repos` are those to choose from.

    Without a title or hashes that say so, there must be one repository only.
    """
    if reference.repo:
        return {reference.repo}
    if entry.scope:
        return set(entry.scope)
    if entry.is_elsewhere or len(repos) != 1:
        return set()
    return set(repos)


def _named_commits(entry: AuditEntry, library: Library) -> tuple[Commit, ...]:
    """Return the commits that a block names by hash, or else its last pull request that landed."""
    pulls = []
    for reference in entry.references:
        if reference.kind != "thread":
            continue
        landed = library.landed(reference, thread_repos(entry, reference, library))
        if landed is not None:
            pulls.append(landed)
    last_pull = pulls[-1:]
    # The title of a commit may have the hash of another one: that of what it reverts.
    titles = " ".join(commit.subject for commit in last_pull)
    commits: list[Commit] = []
    for reference in entry.references:
        if reference.kind != "commit" or reference.value[:7] in titles:
            continue
        meant = commits_meant(reference, entry.scope, library)
        if len(meant) == 1:
            commits.append(meant[0])
    return tuple({commit.id: commit for commit in commits or last_pull}.values())


def commits_meant(
    reference: ReportReference, scope: frozenset[RepoId], library: Library
) -> list[Commit]:
    """Return the commits that a hash may mean, or the one that a dead hash was meant for."""
    meant = library.meant(reference, scope)
    if meant or not reference.is_surely_hash:
        return meant
    return library.nearest(reference, scope)


def _follows(block: Block, previous: Block, *, labelled: bool) -> bool:
    """Return True if a labelled line or a fence belongs to the block right before it."""
    if block.kind == "fence":
        return previous.kind != "heading"
    is_same_kind = previous.kind == block.kind != "row"
    return labelled and is_same_kind and block.level >= previous.level
