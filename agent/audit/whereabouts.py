"""Which repository and which days a part of a report speaks of."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from agent.audit.markdown_blocks import Block
from agent.audit.mentions import linked
from agent.audit.periods import dates_in
from agent.audit.vocabulary import ENTRY_KINDS, REPO_COLUMN, WEEK_WORDS, plain
from agent.errors import UsageError
from agent.ids import RepoId, repo_id
from agent.settings import Language
from agent.window import Window

Period = Literal["day", "range", ""]
_ZONE = re.compile(r"\b(UTC|GMT|Asia/[A-Z]\w+|America/[A-Z]\w+|Europe/[A-Z]\w+)\b|(北京时间|CST|UTC\s*\+\s*0?8)")
_REPO_URL = re.compile(r"^https?://[^/\s]+/([\w.-]+/[\w.-]+)/?(?:[?#].*)?$")
_FULL_NAME = re.compile(r"(?<![\w/.@-])([A-Za-z0-9][\w-]{0,38}/[A-Za-z0-9][\w.-]{0,99})(?![\w/-]|\.\w)")
_OPENING, _SHORT = 4, 60


@dataclass(frozen=True)
class Days:
    """What a report says it is about."""

    first: date | None = None
    last: date | None = None
    line: int = 0
    tz: str | None = None
    """The zone that the report itself names."""
    guessed: str = ""
    """What the days were taken from, where no title names them."""
    near: date | None = None
    """The one date of a weekly report, which may be the first of its days, the last, or the one after."""

    @property
    def period(self) -> Period:
        """One day, several, or not said."""
        if self.first is None:
            return ""
        return "day" if self.first == self.last else "range"

    def window(self, tz: str) -> Window | None:
        """Give the days as a window in a zone."""
        if self.first is None or self.last is None:
            return None
        try:
            return Window.days(self.first, self.last, self.tz or tz)
        except UsageError:
            return None


def language_of(text: str) -> Language:
    """Tell the language by its writing."""
    chinese = len(re.findall(r"[\u4e00-\u9fff]", text))
    return "zh" if chinese * 8 > len(re.findall(r"[A-Za-z]+", text)) else "en"


def days_of(blocks: Sequence[Block], name: str, text: str) -> Days:
    """Find the labelled days: in the file's name, the title, or the first headings."""
    tz = _zone_in(text[:2000])
    heads = [block for block in blocks if block.kind == "heading" and block.level <= 2]
    weekly = any(WEEK_WORDS.search(one) for one in (name, *(block.text for block in (*heads[:1], *blocks[:1]))))
    for block in heads:
        if found := dates_in(block.text):
            return _labelled(found, block.line, tz, weekly)
    if found := dates_in(name):
        return _labelled(found, 1, tz, weekly)
    for block in blocks[:8]:
        if block.kind == "paragraph" and (found := dates_in(block.text)):
            return _labelled(found, block.line, tz, weekly)
    return Days(tz=tz)


def _labelled(found: Sequence[date], line: int, tz: str | None, weekly: bool) -> Days:
    first, last = min(found), max(found)
    if weekly and first == last:
        return Days(first - timedelta(days=7), last + timedelta(days=6), line, tz, near=first)
    return Days(first, last, line, tz)


def _zone_in(text: str) -> str | None:
    found = _ZONE.search(text)
    if found is None:
        return None
    return "Asia/Shanghai" if found[2] else {"GMT": "UTC"}.get(found[1], found[1])


def span_days(days: Days) -> int:
    """Count the labelled days."""
    return 0 if days.first is None or days.last is None else (days.last - days.first + timedelta(days=1)).days


class Names:
    """The repositories that a report speaks of, and every way it calls them."""

    def __init__(self, given: Iterable[RepoId], blocks: Sequence[Block]) -> None:
        self.given = tuple(given)
        seen = dict.fromkeys([*self.given, *_linked(blocks)])
        # GitHub does not tell upper from lower case.
        self._by_lower = {repo.lower(): repo for repo in reversed(seen)}
        self.all = tuple(dict.fromkeys(self._by_lower[repo.lower()] for repo in seen))
        self._short: dict[str, set[RepoId]] = {}
        for repo in self.all:
            self._short.setdefault(_squeezed(repo.partition("/")[2]), set()).add(repo)

    def known(self, repo: RepoId) -> RepoId:
        """Give the one spelling of a name."""
        return self._by_lower.get(repo.lower(), repo)

    def named(self, text: str) -> list[RepoId]:
        """Find the repositories that a text names, in order."""
        return list(dict.fromkeys(repo for _, repo in self.placed(text)))

    def placed(self, text: str) -> list[tuple[int, RepoId]]:
        """Find where a text names which repository."""
        text = plain(text)
        found: list[tuple[int, RepoId]] = []
        for full in _FULL_NAME.finditer(text):
            if repo := self._by_lower.get(full[1].lower()) or self._by_lower.get(full[1].lower().rstrip(".")):
                found.append((full.start(), repo))
        for word in re.finditer(r"[A-Za-z][A-Za-z0-9.]*(?:[-_ ][A-Za-z0-9.]+)*", text):
            found += [(word.start(), repo) for repo in self._shortly(word[0])]
        return sorted(found)

    def _shortly(self, phrase: str) -> list[RepoId]:
        """Find names without their owner, also where they are several words."""
        parts = re.split(r"[-_ ]", phrase)
        marks = [" ", *re.findall(r"[-_ ]", phrase), " "]
        found = []
        for start in range(len(parts)):
            for end in range(start + 1, min(len(parts), start + 3) + 1):
                repos = self._short.get(_squeezed("".join(parts[start:end])), set())
                # A part of a name in code, as in "use_engine_cache", is none.
                found += list(repos) if len(repos) == 1 and "_" not in (marks[start], marks[end]) else []
        return found

    def unknown(self, text: str) -> RepoId | None:
        """Find a full name of a repository that is neither given nor linked."""
        found = _FULL_NAME.fullmatch(plain(text).strip().strip("`*[]"))
        if found is None:
            return None
        try:
            return repo_id(found[1])
        except UsageError:
            return None


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _linked(blocks: Sequence[Block]) -> list[RepoId]:
    found: list[RepoId] = []
    for block in blocks:
        for span in block.spans:
            if span.kind == "link" and (mention := linked(span)) and mention.repo:
                found.append(mention.repo)
            elif span.kind == "link" and (repo := _REPO_URL.match(span.url)):
                found.append(RepoId(repo[1].removesuffix(".git")))
    return found


def repos_of(blocks: Sequence[Block], names: Names) -> list[RepoId | None]:
    """Say for each block which repository it speaks of; None for several or none."""
    only = names.all[0] if len(names.all) == 1 else _opening(blocks, names)
    current, level = only, 0
    found: list[RepoId | None] = []
    for block in blocks:
        if block.kind == "heading":
            current, level = _after_heading(block, names, current, level, only)
            found.append(current)
        elif label := _label(block, names):
            current = label
            found.append(current)
        else:
            found.append(_own(block, names, found) or current)
    return found


def _opening(blocks: Sequence[Block], names: Names) -> RepoId | None:
    """Find the one repository that the first lines name in full: all that follows is about it unless it says so."""
    first = [block for block in blocks[:_OPENING] if block.kind in ("heading", "paragraph")]
    named = names.named("\n".join(block.text for block in first))
    whole = any(named[0].lower() in plain(block.text).lower() for block in first) if len(named) == 1 else False
    return named[0] if whole else None


def _label(block: Block, names: Names) -> RepoId | None:
    """Find the repository whose name is all that a line says, as chats and mails head their parts."""
    if block.kind != "paragraph" or block.parent is not None or len(block.text) > _SHORT:
        return None
    named = names.named(block.text)
    bare = _squeezed(block.text)
    return named[0] if len(named) == 1 and bare in _forms(named[0]) else None


def _is_named(text: str, repo: RepoId) -> bool:
    """Tell whether a cell says nothing but which repository it is, in full or without its owner."""
    bare = re.sub(r"[\W_]", "", re.sub(r"[(（].*?[)）]", "", text.lower()))
    return repo.lower() in text.lower() or bare in _forms(repo)


def _forms(repo: RepoId) -> tuple[str, str]:
    return _squeezed(repo), _squeezed(repo.partition("/")[2])


def _after_heading(
    block: Block, names: Names, current: RepoId | None, level: int, only: RepoId | None
) -> tuple[RepoId | None, int]:
    linked_here = [span.url for span in block.spans if span.kind == "link"]
    named = names.named(" ".join([block.text, *linked_here]))
    exact = [repo for repo in named if repo.lower() in block.text.lower() or any(repo in url for url in linked_here)]
    if len(exact or named) == 1 and (exact or level == 0 or block.level <= level or current is None):
        return (exact or named)[0], block.level
    if unknown := names.unknown(block.text):
        return unknown, block.level
    if current is not None and level and block.level <= level and not ENTRY_KINDS.match(block.text):
        return only, 0
    return current, level


def _own(block: Block, names: Names, found: Sequence[RepoId | None]) -> RepoId | None:
    """Find a repository that the block itself names as its subject."""
    if block.kind == "row":
        for place, column in enumerate(block.header[: len(block.inlines)]):
            text = block.inlines[place].text
            # A column of things may be headed alike: there a repository is named in passing.
            if REPO_COLUMN.match(column) and len(named := names.named(text)) == 1 and _is_named(text, named[0]):
                return named[0]
    if block.kind == "item":
        first = next((span for span in block.spans if span.text.strip()), None)
        if first is not None and first.kind in ("strong", "link", "code") and first.at <= 2:
            named = names.named(first.text)
            rest = _squeezed(first.text)
            if len(named) == 1 and rest in _forms(named[0]):
                return named[0]
    return found[block.parent] if block.parent is not None and block.parent < len(found) else None
