"""Filling the memory for questions: what landed in a stretch of time, with its facts, threads and links."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.card import Card
from agent.desks import Desk, Desks, Progress
from agent.domain import Change, Commit, Coverage, Threads
from agent.errors import AppError
from agent.evidence import CommitEvidence
from agent.linking.explicit import explicit_links
from agent.linking.inferred import inferred_links
from agent.linking.sketch import Sketch, sketch
from agent.links import Link
from agent.pulls import pulls_of
from agent.settings import RepoSpec
from agent.sources import CodeSource, NamesCommits
from agent.window import Window
from memory.catalogue import Catalogue
from memory.known_threads import KnownThreads
from tools.diff.sheet import read_facts

_AT_ONCE = 100
"""Commits stored at a time: what was read before an interruption need not be read again."""


@dataclass(frozen=True)
class Stock:
    """Fills the memory of one or more repositories."""

    desks: Desks
    cards: Catalogue
    threads: KnownThreads
    progress: Progress
    most: int = 4_000
    """How many commits may be read for one question."""

    async def complete(self, spec: RepoSpec, window: Window) -> None:
        """Read what is not known yet of a window; what was read stays known if this is cut short."""
        for gap in reversed(self.cards.gaps(spec.name, window)):
            await self._fill(spec, gap)

    async def read(self, spec: RepoSpec, shas: Sequence[str]) -> None:
        """Read single commits, wherever they are."""
        desk = await self.desks.open(spec)
        known = self.cards.known(spec.name, shas)
        unknown = [sha for sha in shas if sha not in known]
        async for change in desk.code.changes(unknown):
            self.cards.put(spec.name, [await self._card(desk.code, change, Threads(coverage=Coverage.NOT_READ))])

    async def _fill(self, spec: RepoSpec, gap: Window) -> None:
        repo = spec.name
        self.progress.step(repo, "listing commits")
        desk = await self.desks.open(spec)
        landing = await desk.code.landed(gap)
        commits = [row.commit for row in landing.rows][: min(self.most, desk.diffs or self.most)]
        threads = await self._threads(desk, gap, commits)
        sketches = await self._cards(desk.code, commits, threads)
        links: tuple[Link, ...] = explicit_links(repo, commits, threads, landing.branch)
        links = (*links, *inferred_links(repo, commits, threads, sketches, links))
        self.threads.put(repo, threads, links)
        whole = len(commits) == len(landing.rows)
        if whole:
            self.cards.put(repo, (), gap)
        elif commits:
            # The newest were read; from there on everything is known.
            self.cards.put(repo, (), gap.model_copy(update={"start": commits[-1].committed_at}))

    async def _threads(self, desk: Desk, gap: Window, commits: Sequence[Commit]) -> Threads:
        self.progress.step(desk.code.repo, "reading issues and pull requests")
        try:
            return await desk.threads.threads(gap, commits)
        except AppError as error:
            return Threads(coverage=Coverage.NOT_READ, missing=(str(error),))

    async def _cards(self, code: CodeSource, commits: Sequence[Commit], threads: Threads) -> dict[str, Sketch]:
        repo = code.repo
        known = self.cards.known(repo, [commit.sha for commit in commits])
        unknown = [commit.sha for commit in commits if commit.sha not in known]
        sketches: dict[str, Sketch] = {}
        batch: list[Card] = []
        async for change in code.changes(unknown):
            batch.append(await self._card(code, change, threads))
            if threads.issues:
                sketches[change.commit.sha] = sketch(change)
            self.progress.step(repo, "reading diffs", len(batch), len(unknown))
            if len(batch) % _AT_ONCE == 0:
                self.cards.put(repo, batch[-_AT_ONCE:])
        self.cards.put(repo, batch[len(batch) - len(batch) % _AT_ONCE :])
        return sketches

    async def _card(self, code: CodeSource, change: Change, threads: Threads) -> Card:
        """Note down a commit; a merge is by those whose commits it brought in."""
        number = threads.pull_of.get(change.commit.sha)
        card = card_of(change, number)
        if not change.commit.is_merge:
            return card
        if isinstance(code, NamesCommits):
            members = await code.members(change.commit.sha)
            people = dict.fromkeys(one.author.name for one in members if not one.is_merge)
        else:
            people = dict.fromkeys(one.author for one in threads.pulls if one.number == card.pull and one.author)
        return card.model_copy(update={"author": ", ".join(list(people)[:6])}) if people else card


def card_of(change: Change, pull: int | None = None) -> Card:
    """Note down a commit by its patch alone."""
    evidence = CommitEvidence(change=change, sheet=read_facts(change, None), landed=True, pull=pull)
    numbers = pulls_of(evidence)
    return Card.of(evidence if pull or not numbers else evidence.model_copy(update={"pull": numbers[0]}))
