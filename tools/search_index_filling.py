"""Fill the search index: with what a run has read, and for questions with what is still unread."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from agent.domain.commits import Change, Commit, Landing
from agent.domain.errors import AppError, NotFound
from agent.domain.evidence import Card, CommitEvidence, Material
from agent.domain.surface import SurfaceChange
from agent.domain.threads import PullRequest, Threads
from agent.domain.window import Window
from agent.links.recorded_links import day_links
from agent.links.references_in_texts import LandedDay, day_references
from agent.ports import (
    CloneSource,
    CodeSource,
    Progress,
    QuestionMemory,
    Repositories,
    RepositorySources,
)
from agent.questions_and_replies import Named
from agent.settings.values import RepoSpec
from agent.triage.collected_commits import Collected
from tools.diff.commit_facts import facts_by_patch

_MAX_AUTHORS = 6
# Stored in batches: what was read before an interruption need not be read again.
_CARDS_PER_BATCH = 100
_READS_PER_BATCH = 1_000
_MAX_SURFACES = 300  # Commits of a batch that are held to the public surface of their packages
_BEFORE_ALL_COMMITS = datetime(1970, 1, 1, tzinfo=UTC)
_AFTER_ALL_COMMITS = datetime(9999, 12, 30, tzinfo=UTC)


async def index_run(
    memory: QuestionMemory, sources: RepositorySources, collected: Collected, material: Material
) -> None:
    """Index what a run has read; its window counts as read if nothing of it was left out."""
    for start in range(0, len(material.reads), _READS_PER_BATCH):
        reads = material.reads[start : start + _READS_PER_BATCH]
        cards = []
        for read in reads:
            cards.append(await card_of(sources.code, read.evidence, collected.threads.pulls))
        memory.keep(material.repo, cards)
    memory.connect(material.repo, collected.threads, tuple(material.links))
    await _index_tags(memory, sources.code)
    if _is_shallow(collected.landing):
        return
    commits = [row.commit for row in collected.landing.rows]
    known_until = await _known_until(sources, collected.landing)
    part = _part_read(material.window, collected.landing, commits, known_until)
    if part is not None:
        memory.complete(material.repo, part, [commit.sha for commit in commits])


async def _index_tags(memory: QuestionMemory, code: CodeSource) -> None:
    """Index every tag of a clone: which version has a commit is asked about any time."""
    if isinstance(code, CloneSource):
        memory.put_tags(await code.tags_made(_BEFORE_ALL_COMMITS, _AFTER_ALL_COMMITS))


def _is_shallow(landing: Landing) -> bool:
    """Return True if the history of a clone does not reach back to the start of the window."""
    return any(notice.kind == "shallow" for notice in landing.notices)


class Completion(NamedTuple):
    """The part of a window, or of a gap in it, that was read."""

    commits_read: int = 0
    left_out: int = 0  # Commits that the cap left out
    clone_end: datetime | None = None
    """When the newest commit of somebody's clone landed; None for sources we keep up to date."""


@dataclass(frozen=True)
class WindowReader:
    """Reads what is not known yet of a window."""

    repositories: Repositories
    memory: QuestionMemory
    progress: Progress
    max_commits: int = 4_000  # Commits that are read for one question and repository

    async def complete(self, spec: RepoSpec, window: Window) -> Completion:
        """Read the gaps of a window, newest first; what was read is kept if this is cut short."""
        total = Completion()
        gaps = self.memory.gaps(spec.name, window)
        if not gaps:
            # Of a window that was read long ago, later versions may have the commits.
            await _index_tags(self.memory, (await self.repositories.open(spec)).code)
        for gap in reversed(gaps):
            part = await self._fill(spec, gap, self.max_commits - total.commits_read)
            total = Completion(
                commits_read=total.commits_read + part.commits_read,
                left_out=total.left_out + part.left_out,
                clone_end=part.clone_end,
            )
        return total

    async def fetch(self, spec: RepoSpec, references: Iterable[Named]) -> None:
        """Read commits and threads that a question names, wherever they are in time."""
        unread = Threads(coverage="not read")
        for reference in references:
            text = f"#{reference.text}" if reference.kind == "thread" else reference.text
            if reference.kind not in ("thread", "commit"):
                continue
            if self.memory.resolve(text, [spec.name]):
                continue
            sources = await self.repositories.open(spec)
            try:
                if reference.kind == "thread":
                    self.memory.put_thread(await sources.threads.issue(int(reference.text)))
                else:
                    commit = await sources.code.resolve(reference.text)
                    await self._keep_cards(sources.code, [commit], unread)
            except NotFound:
                continue

    async def keep(self, spec: RepoSpec, shas: Sequence[str]) -> None:
        """Read commits that somebody was shown, wherever they are in time."""
        stored = self.memory.stored_shas(spec.name, shas)
        unread = [sha for sha in shas if sha not in stored]
        if not unread:
            return
        code = (await self.repositories.open(spec)).code
        commits = [await code.resolve(sha) for sha in unread]
        await self._keep_cards(code, commits, Threads(coverage="not read"))

    async def _fill(self, spec: RepoSpec, gap: Window, commits_allowed: int) -> Completion:
        repo = spec.name
        self.progress.step(repo, "listing commits")
        sources = await self.repositories.open(spec)
        landing = await sources.code.landed(gap)
        limit = min(commits_allowed, sources.diffs or commits_allowed)
        commits = [row.commit for row in landing.rows][:limit]
        self.progress.step(repo, "reading issues and pull requests")
        threads = await read_threads(sources, gap, commits)
        await self._keep_cards(sources.code, commits, threads)
        # Of the commits that are dated in the future, those that landed in this stretch.
        await self._keep_cards(sources.code, [row.commit for row in landing.late], threads)
        day = LandedDay(repo, landing.branch, commits, threads)
        self.memory.connect(repo, threads, day_links(day, day_references(day)))
        await _index_tags(self.memory, sources.code)
        known_until = await _known_until(sources, landing)
        part = _part_read(gap, landing, commits, known_until)
        if part is not None:
            self.memory.complete(repo, part, ())
        clone_end = known_until if landing.tip else None
        return Completion(len(commits), len(landing.rows) - len(commits), clone_end)

    async def _keep_cards(
        self, code: CodeSource, commits: Sequence[Commit], threads: Threads
    ) -> None:
        shas = [commit.sha for commit in commits]
        stored = self.memory.stored_shas(code.repo, shas)
        unread = [sha for sha in shas if sha not in stored]
        cards_read = 0
        batch: list[Card] = []
        async for _, card in read_cards(code, unread, threads):
            batch.append(card)
            cards_read += 1
            self.progress.step(code.repo, "reading diffs", cards_read, len(unread))
            if len(batch) == _CARDS_PER_BATCH:
                self.memory.keep(code.repo, batch)
                batch = []
        self.memory.keep(code.repo, batch)


async def _known_until(sources: RepositorySources, landing: Landing) -> datetime | None:
    """Return the moment after which a source cannot know what landed, or None for the present.

    A clone of the user's may not have been fetched for months.
    """
    if sources.is_current:
        return None
    if landing.tip is None:
        return _BEFORE_ALL_COMMITS
    tip = await sources.code.resolve(landing.tip)
    return tip.committed_at


def _part_read(
    gap: Window, landing: Landing, commits: Sequence[Commit], known_until: datetime | None
) -> Window | None:
    """Return the part of a gap of which every landed commit was read."""
    start = gap.start
    end = gap.cutoff or gap.end
    if len(commits) < len(landing.rows) or _is_shallow(landing):
        if not commits:
            return None
        # The newest were read; from the oldest of them on, everything is known.
        start = commits[-1].committed_at
    if known_until is not None:
        end = min(end, known_until + timedelta(seconds=1))
    return Window(start=start, end=end, tz=gap.tz) if start < end else None


async def read_threads(
    sources: RepositorySources,
    window: Window,
    commits: Sequence[Commit],
    known_open: Collection[int] = (),
) -> Threads:
    """Return the threads of a window; where they cannot be read, a coverage that says so."""
    try:
        return await sources.threads.threads(window, commits, known_open=known_open)
    except AppError as error:
        return Threads(coverage="not read", missing=(str(error),))


async def read_cards(
    code: CodeSource, shas: Sequence[str], threads: Threads
) -> AsyncIterator[tuple[Change, Card]]:
    """Yield commits with the facts that their patches show, the newest held to public surfaces."""
    surfaces: Mapping[str, SurfaceChange | None] = {}
    if isinstance(code, CloneSource):
        surfaces = await code.surface_changes(shas[:_MAX_SURFACES][::-1])
    async for change in code.changes(shas):
        pull = threads.pull_of.get(change.commit.sha)
        sheet = facts_by_patch(change, surfaces.get(change.commit.sha))
        evidence = CommitEvidence(change=change, sheet=sheet, pull=pull)
        yield change, await card_of(code, evidence, threads.pulls)


async def card_of(code: CodeSource, evidence: CommitEvidence, pulls: Sequence[PullRequest]) -> Card:
    """Return the card of a commit; the authors of a merge are those whose commits it brought in."""
    card = Card.of(evidence)
    if not evidence.change.commit.is_merge:
        return card
    authors: dict[str, None] = {}
    # The API would be asked for every merge.
    if isinstance(code, CloneSource):
        members = await code.members(card.sha)
        authors = dict.fromkeys(member.author.name for member in members if not member.is_merge)
    if not authors:
        for pull in pulls:
            if pull.number == card.pull and pull.author:
                authors[pull.author] = None
    if not authors:
        return card
    return card.model_copy(update={"author": ", ".join(list(authors)[:_MAX_AUTHORS])})
