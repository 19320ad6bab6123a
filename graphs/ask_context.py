"""What the nodes of a question may touch: memory, sources and models, and the evidence that was read for it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Self

from agent.asking.packet import belongs
from agent.asking.query import Hit
from agent.asking.reply import Known
from agent.card import Card
from agent.domain import Comment, Issue, PullRequest, Release
from agent.errors import NotFound
from agent.evidence import Evidence, EvidenceId, ReleaseEvidence, ThreadEvidence
from agent.ids import RepoId
from agent.settings import Language, RepoSpec
from agent.sources import ThreadSource
from agent.web import Web
from agent.window import Window, midnight, zone
from graphs.desk import Deps
from graphs.index_for_search import WindowReader, evidence_of
from memory.known_threads import KnownThreads
from memory.search import SearchIndex
from tools.toolset import Recall, Toolset

_FIRST_DAYS = 7
"""Days that are read where nothing is known and no time is asked for."""
_FOUND = 20
_PAGE = 3_000
"""Tokens of one answer of a tool."""


@dataclass(frozen=True, kw_only=True)
class AskContext:
    """What the nodes of a question may touch."""

    deps: Deps
    reader: WindowReader
    index: SearchIndex
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str
    web: Web
    bound: Window | None = None
    """The time to look at; a question may narrow it."""
    lang: Language | None = None
    """The language of replies; that of the question where None."""
    found: dict[EvidenceId, Evidence] = field(default_factory=dict)
    """The evidence that was read for this question, by its names."""
    toolsets: dict[RepoId, Toolset] = field(default_factory=dict)

    def for_question(self, specs: tuple[RepoSpec, ...] | None = None, bound: Window | None = None) -> Self:
        """Give the context of another question."""
        return replace(self, specs=specs or self.specs, bound=bound or self.bound, found={}, toolsets={})

    def known(self, name: EvidenceId) -> Known | None:
        """Give what memory has of a piece of evidence."""
        repo, sign, rest = (*name.partition("#"),) if "#" in name else (*name.partition("@"),)
        if sign == "#":
            return self.reader.threads.get(RepoId(repo), int(rest))
        cards = self.reader.cards.by_hash(rest, [RepoId(repo)]) if len(rest) == 40 else []
        return cards[0] if cards else self.reader.threads.release(name)

    async def load(self, names: Iterable[EvidenceId], window: Window | None) -> None:
        """Read evidence that is not read yet; what is not of the window stays unread."""
        wanted = {name: one for name in names if name not in self.found and (one := self.known(name))}
        for spec in self.specs:
            cards = {one.sha: one for one in wanted.values() if isinstance(one, Card) and one.repo == spec.name}
            if cards:
                code = (await self.deps.desks.open(spec)).code
                async for change in code.changes(list(cards)):
                    self._add(cards[change.commit.sha].evidence(change), window)
        for one in wanted.values():
            if isinstance(one, Release):
                self._add(ReleaseEvidence(release=one), window)
            elif isinstance(one, Issue | PullRequest):
                self._add(ThreadEvidence(thread=one), window)

    async def take_shown(self, window: Window | None) -> list[EvidenceId]:
        """Take over what the tools have shown and the search had not; gives the names of what is new."""
        before = set(self.found)
        for toolset in self.toolsets.values():
            for read in toolset.threads_read.values():
                self._add(read, window)
            await self.load(sorted(toolset.seen), window)
        return [name for name in self.found if name not in before]

    def _add(self, one: Evidence, window: Window | None) -> None:
        if belongs(one, window):
            self.found[one.id] = one

    async def open_tools(self, window: Window) -> dict[RepoId, Toolset]:
        """Open the tools of all repositories over a window, once for each question."""
        for spec in self.specs:
            if spec.name not in self.toolsets:
                desk = await self.deps.desks.open(spec)
                commits = [row.commit for row in (await desk.code.landed(window)).rows]
                recall = WindowRecall(self.index, self.deps.recall, window, self)
                threads = RememberedThreads(spec.name, desk.threads, self.reader.threads)
                self.toolsets[spec.name] = Toolset(desk.code, threads, commits, {}, recall, page_tokens=_PAGE)
        return self.toolsets

    def unread(self, repo: RepoId) -> Window:
        """Give the time to read where none is asked for: from what is known to now, or the last days."""
        spans = self.reader.cards.spans(repo)
        week = midnight((self.now.astimezone(zone(self.tz)) - timedelta(days=_FIRST_DAYS)).date(), self.tz)
        start = max(spans[-1][1], week) if spans else week
        end = self.now.replace(microsecond=0) + timedelta(seconds=1)
        return Window(start=min(start, end - timedelta(seconds=1)), end=end, tz=self.tz)

    def whole(self, repos: Sequence[RepoId]) -> Window:
        """Give the time of which anything is known."""
        starts = [start for repo in repos for start, _ in self.reader.cards.spans(repo)]
        end = self.now.replace(microsecond=0) + timedelta(seconds=1)
        return Window(start=min([*starts, end - timedelta(days=_FIRST_DAYS)]), end=end, tz=self.tz)


@dataclass(frozen=True)
class WindowRecall:
    """What a model searches for a question: the index, and reports of days within the window."""

    index: SearchIndex
    reports: Recall
    window: Window
    context: AskContext

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = _FOUND) -> list[str]:
        """Give the pieces of evidence that fit best, each on one line."""
        hits = self.index.search(words, (), [repo] if repo else [], self.window, limit)
        return [line for hit in hits if (line := self._line(hit))]

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, if the window has the day."""
        return self.reports.report(day, repo=repo) if midnight_of(day, self.window.tz) in self.window else ()

    def _line(self, hit: Hit) -> str:
        one = self.context.known(hit.id)
        title = one.name if isinstance(one, Release) else one.title if one else ""
        short = hit.id[: hit.id.find("@") + 13] if hit.kind == "commit" else hit.id
        return f"{hit.opened[:10]} {hit.kind} {short}: {title}"


def midnight_of(day: str, tz: str) -> datetime:
    """Read a day that was checked before."""
    return midnight(datetime.fromisoformat(day).date(), tz)


@dataclass(frozen=True)
class RememberedThreads:
    """Threads from their source, or from memory where the source has none."""

    repo: RepoId
    source: ThreadSource
    memory: KnownThreads

    async def issue(self, number: int) -> Issue | PullRequest:
        """Read one thread."""
        try:
            return await self.source.issue(number)
        except NotFound:
            if (known := self.memory.get(self.repo, number)) is None:
                raise
            return known

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments of a thread; memory keeps none."""
        try:
            return await self.source.comments(number)
        except NotFound:
            return ()
