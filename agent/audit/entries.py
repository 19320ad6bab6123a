"""The blocks of a report with what each is about: its repository, its days, its fields, references and commits."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.audit.findings import Library, Reference
from agent.audit.markdown import BAR, Block, blanked, code_of, links_of, plain, read_blocks
from agent.domain.base import RepoId, parse_reference
from agent.domain.commits import Commit
from agent.domain.dates import Days, days_in
from agent.domain.evidence import CommitEvidence

FIELDS = {
    "commit": ("commit", "sha", "hash", "提交"),
    "author": ("author", "作者"),
    "date": ("date", "日期", "提交时间"),
    "pull": ("pr", "pull request"),
    "files": ("files", "文件", "受影响文件", "关键文件", "关键文件/改动"),
}
"""What columns and labels are called by which reports give what git knows."""
_OWNED = r"([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})"
_HASH = re.compile(
    rf"(?<![\w/@.=&?#%+$-])(?:{_OWNED}@)?([0-9a-f]{{7,40}})(?![\w/]|[-.=]\w)", re.ASCII
)
_NUMBER = re.compile(rf"(?<![\w/&#.-]){_OWNED}?#([1-9]\d{{0,8}})(?![\w-])", re.ASCII)
_PIECE = re.compile(r"[^|·•\n;；]{1,2000}")
_LABEL = re.compile(r"\A[^\w`\[]{0,12}([^\W\d_][\w /+-]{0,30}?)[*_ ]{0,4}[:：][*_ ]{0,4}(?=\S)")
_REPO_LINK = re.compile(r"https?://[\w.-]{1,100}/([\w-]{1,39}/[\w.-]{1,100})(?![\w.-])", re.ASCII)
_WORDS = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100})?")
_NUMBERING = re.compile(r"^(?:\d{1,3}[.)、]|[^\w\s])+\s*")


class Field(NamedTuple):
    """A value that stands under a column or behind a label."""

    name: str
    value: str
    start: int  # Where the value begins in the text of its block


def field_name(label: str) -> str:
    """Tell which field a label or the head of a column names; empty where it is none of ours."""
    bare = plain(label[:60]).casefold().strip(" *_:：`")
    return next((name for name, labels in FIELDS.items() if bare in labels), "")


@dataclass(eq=False)
class Entry:
    """A block of a report with everything that is known of it."""

    block: Block
    fields: list[Field]
    references: list[Reference]
    mentioned: frozenset[RepoId]  # The repositories that it names
    above: tuple[
        "Entry", ...
    ] = ()  # The list items that it stands under, then the headings, the nearest first
    scope: frozenset[RepoId] = frozenset()  # What an item or heading says it is about
    days: Days | None = None
    commits: tuple[Commit, ...] = ()  # The commits that it is about
    evidence: tuple[CommitEvidence, ...] = ()  # Those of which the diff was read

    @property
    def whole(self) -> bool:
        """Tell whether all of its commits are there, with all of their files."""
        complete = not any(one.change.incomplete or one.change.unreadable for one in self.evidence)
        return 0 < len(self.evidence) == len(self.commits) and complete


def read_page(text: str, name: str, repos: Sequence[RepoId]) -> list[Entry]:
    """Take a report apart; `name` is that of its file, `repos` those that can be read."""
    blocks = list(read_blocks(text))
    known = _known_repos(blocks, repos)
    entries = [_entry(block, known) for block in blocks]
    _nest(entries)
    dated = {
        one: days
        for one in entries
        if one.block.kind == "heading" and (days := days_in(one.block.text))
    }
    titles = set[Days | None](dated.values()) or {days_in(name.rpartition(".")[0])}
    whole = next(iter(titles)) if len(titles) == 1 else None
    for entry in entries:
        entry.scope = _scope(entry, known)
    titled = {entry.scope for entry in entries if entry.block.kind == "heading" and entry.scope}
    for entry in entries:
        entry.scope = entry.scope or (next(iter(titled)) if len(titled) == 1 else frozenset())
        entry.days = next((dated[one] for one in entry.above if one in dated), whole)
    return entries


def _entry(block: Block, known: Mapping[str, RepoId]) -> Entry:
    if block.kind == "fence":
        return Entry(block, [], [], frozenset())
    fields = list(_fields(block))
    references = list(_references(block, fields, known))
    words = set(_WORDS.findall(block.text.casefold()))
    named = {repo for key, repo in known.items() if key in words or key.rpartition("/")[2] in words}
    return Entry(
        block, fields, references, frozenset(named | {one.repo for one in references if one.repo})
    )


def _fields(block: Block) -> Iterator[Field]:
    at = 0
    for head, cell in zip(block.header, block.cells, strict=False):
        if name := field_name(head):
            yield Field(name, cell, at)
        at += len(cell) + len(BAR)
    for piece in _PIECE.finditer(block.text) if not block.cells else ():
        if (label := _LABEL.match(piece[0])) and (name := field_name(label[1])):
            yield Field(name, piece[0][label.end() :].strip(), piece.start() + label.end())


def _references(
    block: Block, fields: Sequence[Field], known: Mapping[str, RepoId]
) -> Iterator[Reference]:
    """Find links, hashes, and numbers outside of code; digits alone are a hash in code and in a field for commits."""
    links = [
        (link, parse_reference(link.url) if "://" in link.url else None)
        for link in links_of(block.text)
    ]
    text = blanked(block.text, [link for link, target in links if target or "://" in link.text])
    found: list[tuple[int, str, str, str | None, str]] = []
    found += [
        (link.start, one.kind, one.sha or str(one.number), one.repo, link.text)
        for link, one in links
        if one
    ]
    found += [(one.start(), "commit", one[2], one[1], "") for one in _HASH.finditer(text)]
    found += [
        (one.start(), "thread", one[2], one[1], "")
        for one in _NUMBER.finditer(blanked(text, code_of(text)))
    ]
    for start, kind, value, repo, label in sorted(found, key=lambda one: one[0]):
        at = bisect_right(fields, start, key=lambda field: field.start) - 1
        field = (
            fields[at].name if at >= 0 and start < fields[at].start + len(fields[at].value) else ""
        )
        sure = label or field == "commit" or text[start - 1 : start] == "`"
        if kind == "thread" or sure or not (value.isdigit() or value.isalpha()):
            named = known.get(repo.casefold(), RepoId(repo)) if repo else None
            yield Reference(kind, value, block.line_at(start), named, label, field)


def _nest(entries: Sequence[Entry]) -> None:
    headings, items = list[Entry](), list[Entry]()
    for entry in entries:
        kind, level = entry.block.kind, entry.block.level
        if kind in ("heading", "row"):
            items.clear()
        stack = headings if kind == "heading" else items
        while stack and stack[-1].block.level >= level:
            stack.pop()
        entry.above = (*reversed(items), *reversed(headings))
        if kind in ("heading", "item"):
            stack.append(entry)


def _known_repos(blocks: Sequence[Block], repos: Sequence[RepoId]) -> dict[str, RepoId]:
    found = {repo.casefold(): repo for repo in repos}
    for block in (block for block in blocks if block.kind != "fence"):
        names = [one.removesuffix(".git") for one in _REPO_LINK.findall(block.text)]
        title = _bare(block.text) if block.kind == "heading" else ""
        for name in (*names, *([title] if re.fullmatch(_OWNED, title, re.ASCII) else [])):
            found.setdefault(name.casefold(), RepoId(name))
    return found


def _bare(title: str) -> str:
    return _NUMBERING.sub("", plain(title[:300])).strip(" :：`")


def _scope(entry: Entry, known: Mapping[str, RepoId]) -> frozenset[RepoId]:
    """Find the repository that a block belongs to: the nearest that an item or a heading above it names."""
    above = (*([entry] if entry.block.kind == "heading" else []), *entry.above)
    titles = (
        one.block.text.partition("\n")[0]
        for one in above
        if one.block.kind == "item" or not one.references
    )
    return next(filter(None, (_titled(title, known) for title in titles)), frozenset())


def _titled(title: str, known: Mapping[str, RepoId]) -> frozenset[RepoId]:
    """Tell whether a title is the name of a repository, with or without its owner."""
    whole = _bare(title).casefold()
    heads = {whole, re.split(r"\s[-–—|]\s|[(（:：]|\s(?=20\d\d)", whole)[0].strip()}
    return frozenset(
        r
        for key, r in known.items()
        if key in whole.split() or {key, key.rpartition("/")[2]} & heads
    )


def find_commits(entries: Sequence[Entry], library: Library) -> None:
    """Say for every block which commits it is about: those it names, or those of what it stands under or behind."""
    own = {entry: _own(entry, library) for entry in entries}
    below: dict[Entry, dict[str, Commit]] = {entry: {} for entry in entries}
    for entry in entries:
        for one in entry.above if own[entry] else ():
            below[one].update({commit.id: commit for commit in own[entry]})
    # An item or a heading that names no commit is about the one that everything below it names.
    about = {
        entry: own[entry] or (tuple(some.values()) if len(some) == 1 else ())
        for entry, some in below.items()
    }
    for last, entry in zip([None, *entries], entries, strict=False):
        items = [one for one in entry.above if one.block.kind == "item"]
        near = next(filter(None, (about[one] for one in (entry, *items))), ())
        followed = (
            last.commits
            if last and _follows(entry.block, last.block, labelled=bool(entry.fields))
            else ()
        )
        entry.commits = (
            near or followed or next(filter(None, (about[one] for one in entry.above)), ())
        )
        entry.evidence = tuple(
            filter(None, (library[one.repo].changes.get(one.sha) for one in entry.commits))
        )


def _own(entry: Entry, library: Library) -> tuple[Commit, ...]:
    """Give the commits that a block names: by hash, or else by the last pull request that landed."""
    pulls = [one for one in entry.references if one.kind == "thread"]
    landed = [commit for one in pulls if (commit := library.landed(one, entry.scope))][-1:]
    # The title of a commit may have the hash of another one: that of what it reverts.
    titles = " ".join(commit.subject for commit in landed)
    hashes = [
        one for one in entry.references if one.kind == "commit" and one.value[:7] not in titles
    ]
    meant = [found[0] for one in hashes if len(found := library.meant(one, entry.scope)) == 1]
    return tuple({one.id: one for one in meant or landed}.values())


def _follows(block: Block, before: Block, *, labelled: bool) -> bool:
    """Tell whether a labelled line or a fence belongs to the block right before it."""
    if block.kind == "fence":
        return before.kind != "heading"
    return labelled and before.kind == block.kind != "row" and block.level >= before.level
