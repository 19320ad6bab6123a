"""What a report refers to: commits by hash, pull requests and issues by number, each with how it is written."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from agent.audit.markdown import BAR, Block, Span, blanked, code_of, links_of, plain, read_blocks
from agent.domain.base import CommitId, RepoId, parse_reference
from agent.domain.dates import Days, days_in
from agent.domain.evidence import CommitEvidence

Form = Literal["link", "field", "bare"]
_NAMED = re.compile(r"(?<![\w/.-])([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})@([0-9a-f]{7,40})(?!\w)", re.ASCII)
_HASH = re.compile(r"(?:(?<![\w/@.=&?#%+$-])|(?<=\w\.\.)|(?<=\w\.\.\.))([0-9a-f]{7,40})(?![\w/]|[-.=]\w)", re.ASCII)
_NUMBER = re.compile(r"(?<![\w/&#.-])(?:([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}))?#([1-9]\d{0,8})(?![\w-])", re.ASCII)
_DIGITS = re.compile(r"(?<![\w.#/])([0-9a-f]{6,41})(?![\w./])", re.ASCII)


@dataclass(frozen=True)
class Reference:
    """A commit or thread that a block names."""

    kind: Literal["commit", "thread"]
    value: str  # Hexadecimal digits, or the number
    start: int
    end: int
    line: int
    form: Form
    repo: RepoId | None = None  # The repository that the reference itself names
    place: str = ""  # Of a thread with an address: pull, issues or discussions

    @property
    def number(self) -> int:
        """Give the number of a thread."""
        return int(self.value)

    @property
    def shown(self) -> str:
        """Write it as people do."""
        sign = "#" if self.kind == "thread" else "@" if self.repo else ""
        return f"{self.repo or ''}{sign}{self.value}"

    @property
    def is_hash_like(self) -> bool:
        """Tell whether the digits can hardly be anything but a hash: a number has no letters, a word no digits."""
        digits = sum(sign.isdigit() for sign in self.value)
        return len(self.value) == 40 or (digits > 1 and len(self.value) - digits > 1)


def references_in(block: Block, *, commits: bool = False) -> list[Reference]:
    """Find the references of a block; with `commits` also digits alone, for places where a commit must stand."""
    links = links_of(block.text)
    covered = blanked(block.text, [link for link in links if parse_reference(link.url) or "://" in link.text])
    rest = blanked(covered, code_of(covered))
    found = [*_linked(block, links), *_written(block, covered, rest)]
    taken = {one.start for one in found}
    for one in _DIGITS.finditer(rest) if commits else ():
        if one.start(1) not in taken:
            found.append(Reference("commit", one[1], *one.span(1), block.line_at(one.start(1)), "field"))
    return sorted(found, key=lambda one: one.start)


def _linked(block: Block, links: list[Span]) -> Iterator[Reference]:
    for link in links:
        if "://" not in link.url or (read := parse_reference(link.url)) is None:
            continue
        where = (link.start, link.end, block.line_at(link.start))
        if read.kind == "commit":
            yield Reference("commit", read.sha, *where, "link", read.repo)
        else:
            place = "pull" if "/pull" in link.url else "issues" if "/issues/" in link.url else "discussions"
            yield Reference("thread", str(read.number), *where, "link", read.repo, place)


def _written(block: Block, text: str, prose: str) -> Iterator[Reference]:
    """Find hashes anywhere, and numbers outside of code."""
    for one in _NAMED.finditer(text):
        yield Reference("commit", one[2], *one.span(), block.line_at(one.start()), "bare", RepoId(one[1]))
    for one in _HASH.finditer(text):
        if not one[1].isdigit() and not one[1].isalpha():
            yield Reference("commit", one[1], *one.span(1), block.line_at(one.start(1)), "bare")
    for one in _NUMBER.finditer(prose):
        repo = RepoId(one[1]) if one[1] else None
        yield Reference("thread", one[2], *one.span(), block.line_at(one.start()), "bare", repo)


FIELDS = {
    "commit": ("commit", "commit hash", "sha", "hash", "提交", "哈希", "提交哈希"),
    "author": ("author", "authors", "committer", "作者", "提交者"),
    "date": ("date", "time", "landed", "merged", "committed", "日期", "时间", "提交时间", "合并时间"),
    "pull": ("pr", "pull request", "合并请求"),
    "title": ("title", "subject", "message", "commit message", "标题", "提交信息"),
    "lines": ("+/-", "diff", "lines", "lines changed", "diffstat", "增删行数"),
    "added": ("additions", "insertions", "added", "added lines", "+", "新增", "新增行数"),
    "deleted": ("deletions", "deleted", "removed", "deleted lines", "-", "−", "删除", "删除行数"),
    "commits": ("commits", "number of commits", "total commits", "提交数", "提交数量", "提交总数"),
    "repo": ("repo", "repository", "仓库"),
}
"""What columns and labels are called by which reports give what git knows."""
_PIECE = re.compile(r"[^|·•\n;；]{1,2000}")
_LABEL = re.compile(r"\A[^\w`\[]{0,12}([^\W\d_][\w /+-]{0,30}?)[*_ ]{0,4}[:：][*_ ]{0,4}(?=\S)")
_OWNED = re.compile(r"\A[A-Za-z0-9][\w-]{0,38}/[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_REPO_LINK = re.compile(r"https?://[\w.-]{1,100}/([\w-]{1,39}/[\w.-]{1,100})(?![\w.-])", re.ASCII)
_WORDS = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100})?")
_SHORT = 100
_NUMBERING = re.compile(r"^(?:\d{1,3}[.)、]|[^\w\s])+\s*")


class Field(NamedTuple):
    """A value that stands under a column or behind a label."""

    name: str
    value: str
    start: int  # Where the value begins in the text of its block


def field_name(label: str) -> str:
    """Tell which field a label or the head of a column names; empty where it is none of ours."""
    bare = plain(label[:60]).casefold().strip(" *_:：`")
    words = _NUMBERING.sub("", bare) or bare
    found = next((name for name, labels in FIELDS.items() if words in labels), "")
    return found or ("files" if {"file", "files", "paths"} & set(words.split()) or "文件" in words else "")


@dataclass(eq=False)
class Entry:
    """A block of a report with everything that is known of it."""

    block: Block
    fields: list[Field]
    references: list[Reference]
    mentioned: frozenset[RepoId]  # The repositories that it names
    heading: "Entry | None" = None
    parent: "Entry | None" = None  # The list item that it stands under, by indentation
    scope: frozenset[RepoId] = frozenset()
    """The repositories that a heading or item above says it is about; empty where none does."""
    days: Days | None = None
    commits: tuple[CommitId, ...] = ()  # The commits that it is about
    direct: bool = False  # Whether it names them itself
    evidence: tuple[CommitEvidence, ...] = ()  # Those of which the diff was read

    def above(self, kind: Literal["heading", "parent"]) -> Iterator["Entry"]:
        """List the headings or the list items above, the nearest first."""
        at = getattr(self, kind)
        while at is not None:
            yield at
            at = getattr(at, kind)

    @property
    def whole(self) -> bool:
        """Tell whether all of its commits are there, with all of their files."""
        complete = not any(one.change.incomplete or one.change.unreadable for one in self.evidence)
        return 0 < len(self.evidence) == len(self.commits) and complete

    def line_of(self, field: Field) -> int:
        """Give the line of a value."""
        return self.block.line_at(field.start)


def read_page(text: str, name: str, repos: Sequence[RepoId]) -> list[Entry]:
    """Take a report apart; `name` is that of its file, `repos` those that can be read."""
    blocks = list(read_blocks(text))
    known = _known(blocks, repos)
    entries = [_entry(block, known) for block in blocks]
    _nest(entries)
    for entry in entries:
        entry.scope = _scope(entry, known)
    titled = {entry.scope for entry in entries if entry.block.kind == "heading" and entry.scope}
    for entry in entries if len(titled) == 1 else ():
        entry.scope = entry.scope or next(iter(titled))
    _date(entries, name)
    return entries


def _entry(block: Block, known: Mapping[str, RepoId]) -> Entry:
    if block.kind in ("fence", "rule"):
        return Entry(block, [], [], frozenset())
    fields = _fields(block)
    references = list(_references(block, fields, known))
    words = set(_WORDS.findall(block.text.casefold()))
    named = {repo for key, repo in known.items() if key in words or key.rpartition("/")[2] in words}
    return Entry(block, fields, references, frozenset(named | {one.repo for one in references if one.repo}))


def _fields(block: Block) -> list[Field]:
    """List the values of a block that stand under a known column or behind a known label."""
    found, at = list[Field](), 0
    for place, cell in enumerate(block.cells):
        if cell and (name := field_name(block.header[place]) if place < len(block.header) else ""):
            found.append(Field(name, cell, at))
        at += len(cell) + len(BAR)
    for piece in _PIECE.finditer(block.text) if not block.cells else ():
        if (label := _LABEL.match(piece[0])) and (name := field_name(label[1])):
            found.append(Field(name, piece[0][label.end() :].strip(), piece.start() + label.end()))
    return found


def _references(block: Block, fields: Sequence[Field], known: Mapping[str, RepoId]) -> Iterator[Reference]:
    """Find references; where a column or label says that a commit stands there, digits alone are enough."""
    places = [one for one in fields if one.name in ("commit", "pull")]
    for one in references_in(block, commits=bool(places)):
        at = bisect_right(places, one.start, key=lambda field: field.start) - 1
        inside = at >= 0 and one.start < places[at].start + len(places[at].value)
        if one.form != "field" or (inside and places[at].name == "commit"):
            form = "field" if inside and one.form != "link" else one.form
            yield replace(one, form=form, repo=known.get(one.repo.casefold(), one.repo) if one.repo else None)


def _nest(entries: Sequence[Entry]) -> None:
    headings, items = list[Entry](), list[Entry]()
    for entry in entries:
        kind, level = entry.block.kind, entry.block.level
        if kind == "heading":
            while headings and headings[-1].block.level >= level:
                headings.pop()
        if kind in ("heading", "rule", "row"):
            items.clear()
        while items and items[-1].block.level >= level:
            items.pop()
        entry.heading, entry.parent = (stack[-1] if stack else None for stack in (headings, items))
        if kind in ("heading", "item"):
            (headings if kind == "heading" else items).append(entry)


def _known(blocks: Sequence[Block], repos: Sequence[RepoId]) -> dict[str, RepoId]:
    """Name the repositories that a report may speak of: those given, those linked, those that are a heading."""
    found = {repo.casefold(): repo for repo in repos}
    # A heading may name a folder, a fork or a remote: `upstream/name` is the repository of that name that is read.
    short = {repo.casefold().rpartition("/")[2]: repo for repo in repos}
    for block in blocks:
        names = [one.removesuffix(".git") for one in _REPO_LINK.findall(block.text) if block.kind != "fence"]
        names += [_bare(block.text)] if block.kind == "heading" and _OWNED.fullmatch(_bare(block.text)) else []
        for name in names:
            given = None if f"/{name}" in block.text else short.get(name.casefold().rpartition("/")[2])
            found.setdefault(name.casefold(), given or RepoId(name))
    return found


def _bare(heading: str) -> str:
    return _NUMBERING.sub("", plain(heading[:300])).strip(" :：`")


def _scope(entry: Entry, known: Mapping[str, RepoId]) -> frozenset[RepoId]:
    """Find the repository that a block belongs to: by its column, the item above it, or a heading."""
    titles = [field.value for field in entry.fields if field.name == "repo"]
    titles += [one.block.text.partition("\n")[0] for one in entry.above("parent")]
    own = [entry] if entry.block.kind == "heading" else []
    titles += [one.block.text for one in (*own, *entry.above("heading")) if not one.references]
    return next(filter(None, (_titled(title, known) for title in titles)), frozenset())


def _titled(title: str, known: Mapping[str, RepoId]) -> frozenset[RepoId]:
    """Tell whether a title is the name of a repository, with or without its owner or address."""
    if linked := {known[one.removesuffix(".git").casefold()] for one in _REPO_LINK.findall(title[:300])}:
        return frozenset(linked)
    whole = _bare(title).casefold()
    heads = {whole, re.split(r"\s[-–—|]\s|[(（:：]", whole)[0].strip()}
    return frozenset(r for key, r in known.items() if key in whole.split() or {key, key.rpartition("/")[2]} & heads)


def _date(entries: Sequence[Entry], name: str) -> None:
    """Find the days of every block: those of a heading above it, else those of the whole report."""
    dated = {one: days for one in entries if one.block.kind == "heading" and (days := days_in(one.block.text))}
    first = entries[0].block.text if entries and entries[0].block.kind == "text" else ""
    titles = set(dated.values()) or {days for days in [days_in(first) if len(first) < _SHORT else None] if days}
    whole = next(iter(titles)) if len(titles) == 1 else None if titles else days_in(name.rpartition(".")[0])
    for entry in entries:
        entry.days = next((dated[one] for one in entry.above("heading") if one in dated), whole)
