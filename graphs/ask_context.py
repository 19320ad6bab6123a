"""The context in which `ask` runs: that of a run, the memory of evidence, and its index."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self

from agent.domain.affected_versions import Affected
from agent.domain.base import Language, RepoId
from agent.domain.commits import Commit, Headline
from agent.domain.evidence import (
    Card,
    Citable,
    CommitEvidence,
    Evidence,
    ReleaseEvidence,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Release
from agent.domain.window import Window
from agent.ports import BranchReverts, CloneSource
from agent.questions_and_replies import ReadSpan, Searched
from agent.settings.values import RepoSpec
from graphs.run_context import RunContext
from memory.evidence import EvidenceStore, WindowSearch
from memory.search import SearchIndex
from memory.search_words import terms_of
from tools.affected_versions import affected_versions
from tools.evidence_cache import EvidenceCache
from tools.history.later_reverts import LaterReverts, later_reverts
from tools.search_index_filling import Completion, WindowReader
from tools.toolset import Toolset

_PAGE_TOKENS = 3_000  # Of one answer of a tool
_COMMON_SHARE = 0.1  # A word that so many messages of commits have distinguishes nothing
_RECENT = timedelta(days=7)  # What is read of a repository where nobody asks for a time


@dataclass(frozen=True, kw_only=True)
class AskContext(RunContext):
    """The context of a question's nodes, and the limits within which it is answered."""

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
            most=self.reader.max_commits,
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

    async def first_releases(self, names: Iterable[EvidenceId]) -> dict[EvidenceId, Release]:
        """Return the first release of any time that contains each commit, or a copy of it."""
        releases: dict[EvidenceId, Release] = {}
        for repo, cards in self._cards_by_repo(names).items():
            code = await self.clone(repo)
            if code is None:
                continue
            headlines = [_headline(card) for card in cards]
            by_sha = await code.first_tags(headlines, until=self.now)
            self.memory.put_tags(by_sha.values())
            for sha, release in by_sha.items():
                releases[EvidenceId.commit(repo, sha)] = release
        return releases

    async def later_reverts(self, names: Iterable[EvidenceId]) -> dict[RepoId, LaterReverts]:
        """Return which commits were taken back later, for each repository that can say so."""
        reverts: dict[RepoId, LaterReverts] = {}
        for repo, cards in self._cards_by_repo(names).items():
            code = await self.clone(repo)
            if code is None:
                continue
            headlines = [_headline(card) for card in cards]
            later = await later_reverts(code, headlines, self.now)
            if later is not None:
                reverts[repo] = later
        return reverts

    async def reverts_on_branches(self, names: Iterable[EvidenceId]) -> dict[RepoId, BranchReverts]:
        """Return which commits release branches take back, for each repository that can say so."""
        reverts: dict[RepoId, BranchReverts] = {}
        for repo, cards in self._cards_by_repo(names).items():
            code = await self.clone(repo)
            if code is not None:
                reverts[repo] = await code.reverts_on_branches([_headline(card) for card in cards])
        return reverts

    def _cards_by_repo(self, names: Iterable[EvidenceId]) -> dict[RepoId, list[Card]]:
        """Return what is stored of commits of the configured repositories."""
        repos = {spec.name for spec in self.specs}
        cards: dict[RepoId, list[Card]] = {}
        for entry in self.memory.all(names).values():
            if isinstance(entry, Card) and entry.repo in repos:
                cards.setdefault(entry.repo, []).append(entry)
        return cards

    async def clone(self, repo: RepoId) -> CloneSource | None:
        """Return the clone of a configured repository; None where it is read otherwise."""
        spec = next(spec for spec in self.specs if spec.name == repo)
        code = (await self.repositories.open(spec)).code
        return code if isinstance(code, CloneSource) else None

    async def common_words(self, text: str, repos: Sequence[RepoId]) -> frozenset[str]:
        """Return the words of a text that many messages of commits in some repository have.

        The names of the repositories are none of them: only their own messages have them often.
        """
        words = [term.word for term in terms_of(text) if term.word and not term.parts]
        repo_names = {spec.name.lower().partition("/")[2] for spec in self.specs}
        common: set[str] = set()
        for repo in repos:
            code = await self.clone(repo)
            if code is None:
                continue
            shares = await code.word_shares(words)
            common.update(word for word, share in shares.items() if share > _COMMON_SHARE)
        return frozenset(common - repo_names)

    async def affected_versions(
        self, evidence: Mapping[EvidenceId, Citable], names: Iterable[EvidenceId]
    ) -> dict[EvidenceId, Affected]:
        """Return which versions have the faults that these commits mend, where that is known."""
        affected_by_id: dict[EvidenceId, Affected] = {}
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
                    affected_by_id[name] = affected
        return affected_by_id

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
        offered: Sequence[str],
    ) -> dict[RepoId, Toolset]:
        """Open the tools of these names over a window, for each repository."""
        recall = WindowSearch(self.index, self.memory, self.recall.report, window)
        toolsets: dict[RepoId, Toolset] = {}
        # A checkpoint holds ids as plain text.
        ids_by_handle = {handle: EvidenceId.cited(name) for handle, name in handles.items()}
        for spec in self.specs:
            sources = await self.repositories.open(spec)
            toolsets[spec.name] = Toolset(
                sources.code,
                sources.threads,
                landed[spec.name],
                {},
                recall,
                page_tokens=_PAGE_TOKENS,
                handles=ids_by_handle,
                offered=offered,
            )
        return toolsets


def within(window: Window | None, pieces: Iterable[Evidence]) -> dict[EvidenceId, Evidence]:
    """Return the pieces of evidence that a question about a window may cite, by their ids."""
    return {piece.id: piece for piece in pieces if _is_citable(piece, window)}


def _is_citable(piece: Evidence, window: Window | None) -> bool:
    """Return True for commits of the window, threads that existed in it, and any release.

    A release of a later day answers which version has a commit.
    """
    if window is None or isinstance(piece, ReleaseEvidence):
        return True
    if isinstance(piece, ThreadEvidence):
        return piece.thread.created_at < (window.cutoff or window.end)
    return piece.at in window


def _headline(card: Card) -> Headline:
    return Headline(sha=card.sha, at=card.at, author=card.author, title=card.title, pull=card.pull)
