"""What the nodes of a question may touch: memory, sources and models, and the evidence that was read for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Self

from agent.asking.packet import belongs
from agent.asking.query import Hit
from agent.asking.reply import Known, Searched
from agent.card import Card
from agent.domain import Release
from agent.evidence import Evidence, EvidenceId, ReleaseEvidence, ThreadEvidence
from agent.ids import RepoId, parse_reference
from agent.settings import Language, RepoSpec
from agent.sources import KnowsTags
from agent.window import Window, midnight, zone
from graphs.desk import Deps
from graphs.index_for_search import WindowReader
from memory.search import SearchIndex
from tools.toolset import Recall, Toolset

_DAYS = timedelta(days=7)
"""What is read where nothing is known and no time is asked for."""
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

    # ---------------------------------------------------------------- time

    def unread(self, repo: RepoId) -> Window:
        """Give the time to read where none is asked for: from what is known to now, or the last days."""
        spans, end = self.reader.cards.spans(repo), self._end()
        week = midnight((self.now.astimezone(zone(self.tz)) - _DAYS).date(), self.tz)
        start = max(spans[-1][1], week) if spans else week
        return Window(start=min(start, end - timedelta(seconds=1)), end=end, tz=self.tz)

    def whole(self, repos: Sequence[RepoId]) -> Window:
        """Give the time of which anything is known."""
        starts = [start for repo in repos for start, _ in self.reader.cards.spans(repo)]
        return Window(start=min([*starts, self._end() - _DAYS]), end=self._end(), tz=self.tz)

    def _end(self) -> datetime:
        return self.now.replace(microsecond=0) + timedelta(seconds=1)

    def searched(self, repo: RepoId, window: Window, left_out: int) -> Searched:
        """Tell where was looked."""
        threads, commits = self.reader.threads.any(repo), self.reader.cards.count(repo, window)
        told = {"start": window.start, "end": max(window.start, min(window.end, self.now)), "tz": window.tz}
        most = self.reader.most
        return Searched(repo=repo, commits=commits, threads=threads, left_out=left_out, most=most, **told)

    # ---------------------------------------------------------------- evidence

    def known(self, name: EvidenceId) -> Known | None:
        """Give what memory has of a piece of evidence."""
        if "#" in name:
            repo, _, number = name.partition("#")
            return self.reader.threads.get(RepoId(repo), int(number))
        repo, _, rest = name.partition("@")
        cards = self.reader.cards.by_hash(rest, [RepoId(repo)]) if len(rest) == 40 else []
        return cards[0] if cards else self.reader.threads.release(name)

    def all_known(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, Known]:
        """Give what memory has of several pieces of evidence."""
        return {name: one for name in dict.fromkeys(names) if (one := self.known(name))}

    def names_of(self, text: str) -> list[EvidenceId]:
        """Find the commits, threads and releases that somebody names by hash, number or tag."""
        if "@" in text and self.known(text.strip("[]` ")):
            return [text.strip("[]` ")]
        reference = parse_reference(text)
        repos = [spec.name for spec in self.specs if not reference or reference.repo in (None, spec.name)]
        if reference is None or reference.kind == "thread":
            return [f"{repo}#{reference.number}" for repo in repos] if reference else []
        return [card.id for card in self.reader.cards.by_hash(reference.sha, repos)]

    async def load(self, names: Iterable[EvidenceId], window: Window | None) -> None:
        """Read evidence that is not read yet; what is not of the window stays unread."""
        wanted = self.all_known(name for name in names if name not in self.found)
        for spec in self.specs:
            cards = {one.sha: one for one in wanted.values() if isinstance(one, Card) and one.repo == spec.name}
            if cards:
                code = (await self.deps.desks.open(spec)).code
                async for change in code.changes(list(cards)):
                    self._add(cards[change.commit.sha].evidence(change), window)
        for one in wanted.values():
            if isinstance(one, Release):
                self._add(ReleaseEvidence(release=one), window)
            elif not isinstance(one, Card):
                self._add(ThreadEvidence(thread=one), window)

    async def tags_of(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, EvidenceId]:
        """Find the first tag that contains each of these commits."""
        first: dict[EvidenceId, EvidenceId] = {}
        specs = {spec.name: spec for spec in self.specs}
        for name in names:
            repo, _, sha = name.partition("@")
            code = (await self.deps.desks.open(specs[RepoId(repo)])).code
            if len(sha) == 40 and isinstance(code, KnowsTags) and (tags := await code.tags_with(sha)):
                first[name] = f"{repo}@{tags[0]}"
        return first

    async def take_shown(self, window: Window | None) -> None:
        """Take over what the tools have shown, threads with their comments."""
        for toolset in self.toolsets.values():
            for read in toolset.threads_read.values():
                self._add(read, window)
            await self.load(sorted(toolset.seen), window)

    def _add(self, one: Evidence, window: Window | None) -> None:
        if belongs(one, window):
            self.found[one.id] = one

    async def open_tools(self, window: Window, handles: Mapping[str, EvidenceId]) -> dict[RepoId, Toolset]:
        """Open the tools of all repositories over a window, once for each question."""
        for spec in self.specs:
            if spec.name not in self.toolsets:
                desk = await self.deps.desks.open(spec)
                commits = [row.commit for row in (await desk.code.landed(window)).rows]
                landed: dict[str, str] = {commit.id: commit.sha for commit in commits}
                short = {handle: landed[name] for handle, name in handles.items() if name in landed}
                recall = WindowRecall(self, window)
                self.toolsets[spec.name] = Toolset(
                    desk.code, desk.threads, commits, {}, recall, page_tokens=_PAGE, handles=short
                )
        return self.toolsets


@dataclass(frozen=True)
class WindowRecall(Recall):
    """What a model searches for a question: the index, and reports of days within the window."""

    context: AskContext
    window: Window

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = _FOUND) -> list[str]:
        """Give the pieces of evidence that fit best, each on one line."""
        hits = self.context.index.search(words, (), [repo] if repo else [], self.window, limit)
        return [self._line(hit, self.context.known(hit.id)) for hit in hits]

    def report(self, day: str, *, repo: RepoId | None = None) -> Sequence[str]:
        """Give what the report of a day said, if the window has the day."""
        within = midnight(date.fromisoformat(day), self.window.tz) in self.window
        return self.context.deps.recall.report(day, repo=repo) if within else ()

    def _line(self, hit: Hit, one: Known | None) -> str:
        title = one.name if isinstance(one, Release) else one.title if one else ""
        short = hit.id[: hit.id.find("@") + 13] if hit.kind == "commit" else hit.id
        return f"{hit.opened[:10]} {hit.kind} {short}: {title}"
