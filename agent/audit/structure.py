"""How a report is built: which heading, item and repository a block stands under, its labelled values, its days."""

import re
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from agent.audit.markdown import BAR, Block, links_of, plain, read_blocks
from agent.audit.references import Reference, references_in
from agent.dates import find_dates
from agent.ids import RepoId

FIELDS = {
    "commit": ("commit", "commit hash", "sha", "hash", "提交", "哈希", "提交哈希"),
    "author": ("author", "authors", "committer", "作者", "提交者"),
    "date": ("date", "time", "landed", "merged", "committed", "日期", "时间", "提交时间", "合并时间"),
    "pull": ("pr", "pull request", "合并请求"),
    "title": ("title", "subject", "message", "commit message", "标题", "提交信息"),
    "lines": ("+/-", "diff", "lines", "lines changed", "diffstat", "增删行数"),
    "added": ("additions", "insertions", "added lines", "新增行数"),
    "deleted": ("deletions", "deleted lines", "删除行数"),
    "commits": ("commits", "number of commits", "total commits", "提交数", "提交数量", "提交总数"),
    "repo": ("repo", "repository", "仓库"),
}
"""What columns and labels are called by which reports give what git knows."""
_PIECE = re.compile(r"[^|·•\n;；]{1,2000}")
_LABEL = re.compile(r"\A[^\w`\[]{0,12}([^\W\d_][\w /+-]{0,30}?)[*_ ]{0,4}[:：][*_ ]{0,4}(?=\S)")
_OWNED = re.compile(r"\A[A-Za-z0-9][\w-]{0,38}/[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_REPO_LINK = re.compile(r"https?://[\w.-]{1,100}/([\w-]{1,39}/[\w.-]{1,100})(?![\w.-])", re.ASCII)
_VERSION = re.compile(r"\bv?\d{1,4}\.\d{1,6}(?:\.\d{1,6})?\b")
_WEEK = re.compile(r"\b(20\d\d)-?W(\d\d)\b")
_DATE = re.compile(r"\d{4}[-./]\d\d?[-./]\d\d?")
_NUMBERING = re.compile(r"^(?:\d{1,3}[.)、]|[^\w\s])+\s*")


class Field(NamedTuple):
    """A value that stands under a column or behind a label."""

    name: str
    value: str
    start: int
    """Where the value begins in the text of its block."""


class Days(NamedTuple):
    """The days that a report or a part of it says it is about, both included."""

    first: date
    last: date

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


def field_name(label: str) -> str:
    """Tell which field a label or the head of a column names; empty where it is none of ours."""
    words = _NUMBERING.sub("", plain(label[:60])).casefold().strip(" *_:：`")
    found = next((name for name, labels in FIELDS.items() if words in labels), "")
    return found or ("files" if words.rpartition(" ")[2] in ("file", "files", "paths") or "文件" in words else "")


def fields_of(block: Block) -> list[Field]:
    """List the values of a block that stand under a known column or behind a known label."""
    found, at = list[Field](), 0
    for place, cell in enumerate(block.cells):
        if cell and (name := field_name(block.header[place]) if place < len(block.header) else ""):
            found.append(Field(name, cell, at))
        at += len(cell) + len(BAR)
    for piece in _PIECE.finditer(block.text) if block.kind in ("heading", "text", "item") else ():
        if (label := _LABEL.match(piece[0])) and (name := field_name(label[1])):
            found.append(Field(name, piece[0][label.end() :].strip(), piece.start() + label.end()))
    return found


@dataclass
class Page:
    """A report taken apart."""

    blocks: list[Block]
    fields: list[list[Field]]
    references: list[list[Reference]]
    headings: list[int | None]
    """The heading that each block stands under."""
    parents: list[int | None]
    """The list item that each block stands under, by indentation."""
    scopes: list[frozenset[RepoId]]
    """The repositories that a heading or item above says it is about; empty where none does."""
    mentioned: list[frozenset[RepoId]]
    """The repositories that each block names itself."""
    days: list[Days | None]

    def above(self, index: int) -> Iterator[int]:
        """List the headings above a block, the nearest first."""
        at = self.headings[index]
        while at is not None:
            yield at
            at = self.headings[at]

    def members(self, heading: int) -> Iterator[int]:
        """List the blocks below a heading, up to the next one that is not below it."""
        for index in range(heading + 1, len(self.blocks)):
            block = self.blocks[index]
            if block.kind == "heading" and block.level <= self.blocks[heading].level:
                return
            yield index


def read_page(text: str, name: str, repos: Sequence[RepoId]) -> Page:
    """Take a report apart; `name` is that of its file, `repos` those that can be read."""
    blocks = read_blocks(text)
    fields = [fields_of(block) for block in blocks]
    references = [_references(block, own) for block, own in zip(blocks, fields, strict=True)]
    headings, parents = _nested(blocks, "heading"), _nested(blocks, "item")
    known = _known(blocks, repos)
    mentioned = [_mentioned(block, own, known) for block, own in zip(blocks, references, strict=True)]
    page = Page(blocks, fields, references, headings, parents, [], mentioned, [])
    page.scopes = [_scope(page, index, known) for index in range(len(blocks))]
    # A report about one repository may name it only once, above a table of contents.
    titled = {scope for block, scope in zip(blocks, page.scopes, strict=True) if block.kind == "heading" and scope}
    if len(titled) == 1:
        page.scopes = [scope or next(iter(titled)) for scope in page.scopes]
    page.days = _all_days(page, name)
    return page


def _references(block: Block, fields: Sequence[Field]) -> list[Reference]:
    """Find references; where a column or label says that a commit stands there, digits alone are enough."""
    if block.kind in ("fence", "rule"):
        return []
    places = [one for one in fields if one.name in ("commit", "pull")]
    found = list[Reference]()
    for one in references_in(block, commits=bool(places)):
        at = bisect_right(places, one.start, key=lambda field: field.start) - 1
        inside = at >= 0 and one.start < places[at].start + len(places[at].value)
        if one.form != "field" or (inside and places[at].name == "commit"):
            found.append(replace(one, form="field") if inside and one.form != "link" else one)
    return found


def _nested(blocks: Sequence[Block], kind: str) -> list[int | None]:
    """Find for each block the nearest one above it of a kind whose level is lower: its heading, or its list item."""
    found: list[int | None] = []
    stack: list[int] = []
    for index, block in enumerate(blocks):
        if kind == "item" and block.kind in ("heading", "rule", "row"):
            stack.clear()
        while stack and (block.kind == kind or kind == "item") and blocks[stack[-1]].level >= block.level:
            stack.pop()
        found.append(stack[-1] if stack else None)
        if block.kind == kind:
            stack.append(index)
    return found


# ---------------------------------------------------------------- repositories


def _known(blocks: Sequence[Block], repos: Sequence[RepoId]) -> dict[str, RepoId]:
    """Name the repositories that a report may speak of: those given, those linked, those that are a heading."""
    found = {repo.casefold(): repo for repo in repos}
    for block in blocks:
        if block.kind in ("fence", "rule"):
            continue
        for link in links_of(block.text) if "://" in block.text else ():
            if one := _REPO_LINK.match(link.url):
                found.setdefault(one[1].removesuffix(".git").casefold(), RepoId(one[1].removesuffix(".git")))
        if block.kind == "heading" and (name := _OWNED.fullmatch(_bare(block.text))):
            found.setdefault(name[0].casefold(), RepoId(name[0]))
    return found


def _bare(heading: str) -> str:
    return _NUMBERING.sub("", plain(heading[:300])).strip(" :：`")


def _mentioned(block: Block, references: Sequence[Reference], known: dict[str, RepoId]) -> frozenset[RepoId]:
    """Find the repositories that a block names, by address, by owner and name, or by the name alone."""
    if block.kind in ("fence", "rule"):
        return frozenset()
    words = set(re.findall(r"[\w.-]{1,100}(?:/[\w.-]{1,100})?", block.text.casefold()))
    named = {repo for key, repo in known.items() if key in words or key.rpartition("/")[2] in words}
    return frozenset(named | {one.repo for one in references if one.repo})


def _scope(page: Page, index: int, known: dict[str, RepoId]) -> frozenset[RepoId]:
    """Find the repository that a block belongs to: by its column, the item above it, or a heading."""
    titles = [field.value for field in page.fields[index] if field.name == "repo"]
    parent = page.parents[index]
    while parent is not None:
        titles.append(page.blocks[parent].text.partition("\n")[0])
        parent = page.parents[parent]
    own = [index] if page.blocks[index].kind == "heading" else []
    titles += [page.blocks[one].text for one in (*own, *page.above(index)) if not page.references[one]]
    return frozenset(next(filter(None, (_titled(title, known) for title in titles)), ()))


def _titled(text: str, known: dict[str, RepoId]) -> set[RepoId]:
    """Tell whether a title is the name of a repository, with or without its owner or address."""
    linked = {RepoId(known.get(one.casefold(), one)) for one in _REPO_LINK.findall(text[:300])}
    whole = _bare(text).casefold()
    heads = {whole, re.split(r"\s[-–—|]\s|[(（:：]", whole)[0].strip(), *whole.split()}
    return linked or {
        repo for key, repo in known.items() if key in heads or key.rpartition("/")[2] in heads - {*whole.split()[1:]}
    }


# ---------------------------------------------------------------- days


def _all_days(page: Page, name: str) -> list[Days | None]:
    """Find the days of every block: those of a heading above it, else those of the whole report."""
    dated = {i: days for i, one in enumerate(page.blocks) if one.kind == "heading" and (days := _days_in(one.text))}
    titles = list(dated.values())
    if page.blocks and not dated and page.blocks[0].kind == "text" and len(page.blocks[0].text) < 100:
        titles += [days for days in [_days_in(page.blocks[0].text)] if days]
    whole = titles[0] if len(set(titles)) == 1 else None if titles else _days_in(name.rpartition(".")[0])
    found: list[Days | None] = []
    for index in range(len(page.blocks)):
        above = [dated[one] for one in page.above(index) if one in dated]
        found.append(above[0] if above else whole)
    return found


def _days_in(text: str) -> Days | None:
    """Read the day, the days, the week or the month that a title is about; a version is released on a day."""
    text = text[:200]
    try:
        if week := _WEEK.search(text):
            return Days(*(date.fromisocalendar(int(week[1]), int(week[2]), day) for day in (1, 7)))
        dates = [(one.year or 1, one.month or 1, one.day) for one in find_dates(text) if one.year]
        if not 1 <= len(dates) <= 2 or _VERSION.search(_DATE.sub(" ", text)):
            return None
        (year, month, day), (last_year, last_month, last_day) = dates[0], dates[-1]
        last = date(last_year, last_month, last_day or monthrange(last_year, last_month)[1])
        return Days(date(year, month, day or 1), last) if date(year, month, day or 1) <= last else None
    except ValueError:
        return None
