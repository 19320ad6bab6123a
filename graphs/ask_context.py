"""What the nodes of a question may touch: what a run may, the memory of evidence, and its index."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self

from agent.domain.base import Language, RepoId
from agent.domain.commits import Commit, Release
from agent.domain.evidence import (
    Card,
    CommitEvidence,
    Evidence,
    ReleaseEvidence,
    ThreadEvidence,
    belongs,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.ports import CloneSource
from agent.questions import ReadSpan, Searched
from agent.reports.affected import affected_text
from agent.settings.values import RepoSpec
from graphs.run_context import RunContext
from memory.evidence import EvidenceStore, WindowSearch
from memory.search import SearchIndex
from tools.affected import affected_versions
from tools.evidence_cache import EvidenceCache
from tools.index_for_search import Completion, WindowReader
from tools.toolset import Toolset

_PAGE_TOKENS = 3_000  # Of one answer of a tool
_RECENT = timedelta(days=7)  # What is read of a repository where nobody asks for a time


@dataclass(frozen=True, kw_only=True)
class AskContext(RunContext):
    """What the nodes of a question may touch, and the limits within which it is answered."""

    reader: WindowReader
    memory: EvidenceStore  # What is known of commits and threads
    index: SearchIndex
    specs: tuple[RepoSpec, ...]
    now: datetime
    tz: str
    bound: Window | None = None  # The time to look at; a question may narrow it
    lang: Language | None = None  # The language of replies; that of the question where None

    def for_question(
        self, specs: tuple[RepoSpec, ...] | None = None, bound: Window | None = None
    ) -> Self:
        """Return the context of a question about these repositories and this time."""
        return replace(self, specs=specs or self.specs, bound=bound or self.bound)

    def searched(self, repo: RepoId, window: Window, completion: Completion) -> Searched:
        """Return which parts of a window were read of a repository, and what was not."""
        covered = self.memory.covered(repo, window)
        commits = sum(self.memory.count(repo, part) for part in covered)
        clone_end = completion.clone_end
        if clone_end is not None and clone_end >= self._recent_start(window):
            clone_end = None  # The clone is up to date, or nearly so
        return Searched(
            repo=repo,
            start=window.start,
            end=max(window.start, min(window.end, self.now)),
            tz=window.tz,
            spans=tuple(ReadSpan(start=part.start, end=part.end) for part in covered),
            commits=commits,
            threads=self.memory.has_threads(repo),
            left_out=completion.left_out,
            most=self.reader.most,
            clone_end=clone_end,
        )

    def _recent_start(self, window: Window) -> datetime:
        """Return the start of what a question reads at least: its last days."""
        return max(window.start, min(window.end, self.now) - _RECENT)

    async def load(
        self, names: Iterable[EvidenceId], window: Window | None
    ) -> dict[EvidenceId, Evidence]:
        """Read evidence by its names; what is not of the window is left out."""
        remembered = self.memory.all(names)
        pieces: list[Evidence] = []
        for spec in self.specs:
            cards: dict[str, Card] = {}
            for entry in remembered.values():
                if isinstance(entry, Card) and entry.repo == spec.name:
                    cards[entry.sha] = entry
            if not cards:
                continue
            code = (await self.repositories.open(spec)).code
            async for change in code.changes(list(cards)):
                pieces.append(cards[change.commit.sha].evidence(change))
        threads: list[Evidence] = []
        for entry in remembered.values():
            if isinstance(entry, Release):
                pieces.append(ReleaseEvidence(release=entry))
            elif not isinstance(entry, Card):
                threads.append(ThreadEvidence(thread=entry))
        return within(window, [*pieces, *threads])

    async def first_tags(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, str]:
        """Find the first tag that contains each of these commits."""
        tags: dict[EvidenceId, str] = {}
        for name in names:
            for spec in self.specs:
                if not name.is_commit or name.repo != spec.name:
                    continue
                code = (await self.repositories.open(spec)).code
                if not isinstance(code, CloneSource):
                    continue
                containing = await code.tags_with(name.sha)
                if containing:
                    tags[name] = containing[0]
        return tags

    async def affected_versions(
        self, evidence: Mapping[EvidenceId, Evidence], names: Iterable[EvidenceId]
    ) -> dict[EvidenceId, str]:
        """Say which versions have the faults that these commits mend, where that is known."""
        texts: dict[EvidenceId, str] = {}
        for name in names:
            fix = evidence.get(name)
            if not isinstance(fix, CommitEvidence):
                continue
            for spec in self.specs:
                if spec.name != name.repo:
                    continue
                code = (await self.repositories.open(spec)).code
                affected = await affected_versions(code, fix, EvidenceCache(), until=self.now)
                if affected is not None:
                    texts[name] = affected_text(affected, "en")
        return texts

    async def landed(self, window: Window) -> dict[RepoId, list[Commit]]:
        """List the commits of a window that tools can show, for each repository."""
        commits: dict[RepoId, list[Commit]] = {}
        for spec in self.specs:
            landing = await (await self.repositories.open(spec)).code.landed(window)
            commits[spec.name] = [row.commit for row in landing.rows]
        return commits

    async def open_tools(
        self,
        window: Window,
        landed: Mapping[RepoId, Sequence[Commit]],
        handles: Mapping[str, EvidenceId],
    ) -> dict[RepoId, Toolset]:
        """Open the tools of all repositories over a window."""
        recall = WindowSearch(self.index, self.memory, self.recall.report, window)
        toolsets: dict[RepoId, Toolset] = {}
        for spec in self.specs:
            sources = await self.repositories.open(spec)
            commits = landed[spec.name]
            shas: dict[str, str] = {commit.id: commit.sha for commit in commits}
            short = {handle: shas[name] for handle, name in handles.items() if name in shas}
            toolsets[spec.name] = Toolset(
                sources.code,
                sources.threads,
                commits,
                {},
                recall,
                page_tokens=_PAGE_TOKENS,
                handles=short,
            )
        return toolsets


def within(window: Window | None, pieces: Iterable[Evidence]) -> dict[EvidenceId, Evidence]:
    """Return the pieces of evidence that are of a window, by their ids."""
    return {piece.id: piece for piece in pieces if belongs(piece, window)}
