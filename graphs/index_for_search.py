"""Filling the search index: what a run has read, and for questions what nobody has read yet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.analyst import Material
from agent.asking.query import Named
from agent.card import Card
from agent.collected import Collected
from agent.desks import Desk, Desks, Progress
from agent.domain import Change, Commit, Coverage, NoticeKind, PullRequest, Threads
from agent.errors import AppError, NotFound
from agent.evidence import CommitEvidence
from agent.linking.explicit import explicit_links
from agent.linking.inferred import inferred_links
from agent.linking.sketch import Sketch, sketch
from agent.links import Link
from agent.memories import QuestionMemory
from agent.pulls import pulls_of
from agent.settings import RepoSpec
from agent.sources import CodeSource, ListsTags, NamesCommits
from agent.window import Window
from memory.catalogue import Catalogue
from memory.known_threads import KnownThreads
from tools.diff.sheet import read_facts

_AT_ONCE, _KEPT = 100, 1_000
"""Commits stored at a time: what was read before an interruption need not be read again."""
_AUTHORS = 6
_CUT_OFF = (NoticeKind.SHALLOW,)
"""Notices of a history that does not reach back through the whole window."""


async def index_run(memory: QuestionMemory, code: CodeSource, found: Collected, material: Material) -> None:
    """Index what a run has read; the window counts as known once nothing of it was left unread."""
    for start in range(0, len(material.reads), _KEPT):
        seen = [read.evidence for read in material.reads[start : start + _KEPT]]
        memory.keep(material.repo, [await _card(code, one, found.threads.pulls) for one in seen])
    memory.connect(material.repo, found.threads, tuple(material.links))
    if not any(notice.kind in _CUT_OFF for notice in found.landing.notices):
        memory.complete(material.repo, material.window, [row.commit.sha for row in found.landing.rows])


@dataclass(frozen=True)
class WindowReader:
    """Reads what is not known yet of a window."""

    desks: Desks
    cards: Catalogue
    threads: KnownThreads
    progress: Progress
    most: int = 4_000
    """How many commits may be read for one question and repository."""

    async def complete(self, spec: RepoSpec, window: Window) -> int:
        """Read the gaps, newest first; what was read stays known if this is cut short. Count what the cap left out."""
        room, left_out = self.most, 0
        for gap in reversed(self.cards.gaps(spec.name, window)):
            read, missed = await self._fill(spec, gap, room)
            room, left_out = room - read, left_out + missed
        return left_out

    async def fetch(self, spec: RepoSpec, named: Iterable[Named]) -> None:
        """Read single commits and threads that somebody names and nobody has read, wherever they are in time."""
        for one in named:
            desk = await self.desks.open(spec)
            try:
                if one.kind == "thread" and self.threads.get(spec.name, int(one.text)) is None:
                    self.threads.put_one(await desk.threads.issue(int(one.text)))
                elif one.kind == "commit" and not self.cards.by_hash(one.text, [spec.name]):
                    commit = await desk.code.resolve(one.text)
                    async for change in desk.code.changes([commit.sha]):
                        self.cards.put(spec.name, [await _card(desk.code, evidence_of(change), ())])
            except NotFound:
                continue

    async def _fill(self, spec: RepoSpec, gap: Window, room: int) -> tuple[int, int]:
        repo = spec.name
        self.progress.step(repo, "listing commits")
        desk = await self.desks.open(spec)
        landing = await desk.code.landed(gap)
        commits = [row.commit for row in landing.rows][: min(room, desk.diffs or room)]
        threads = await self._threads(desk, gap, commits)
        sketches = await self._cards(desk.code, commits, threads)
        links: tuple[Link, ...] = explicit_links(repo, commits, threads, landing.branch)
        self.threads.put(repo, threads, (*links, *inferred_links(repo, commits, threads, sketches, links)))
        if isinstance(desk.code, ListsTags):
            self.threads.put_tags(await desk.code.tags_made(gap.start, gap.cutoff or gap.end))
        left_out = len(landing.rows) - len(commits)
        if not left_out:
            self.cards.put(repo, (), gap)
        elif commits:
            # The newest were read; from there on everything is known.
            self.cards.put(repo, (), gap.model_copy(update={"start": commits[-1].committed_at}))
        return len(commits), left_out

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
            evidence = evidence_of(change, threads.pull_of.get(change.commit.sha))
            batch.append(await _card(code, evidence, threads.pulls))
            if threads.issues:
                sketches[change.commit.sha] = sketch(change)
            self.progress.step(repo, "reading diffs", len(batch), len(unknown))
            if len(batch) % _AT_ONCE == 0:
                self.cards.put(repo, batch[-_AT_ONCE:])
        self.cards.put(repo, batch[len(batch) - len(batch) % _AT_ONCE :])
        return sketches


def evidence_of(change: Change, pull: int | None = None) -> CommitEvidence:
    """Read the facts of a commit by its patch alone."""
    return CommitEvidence(change=change, sheet=read_facts(change, None), landed=True, pull=pull)


async def _card(code: CodeSource, evidence: CommitEvidence, pulls: Sequence[PullRequest]) -> Card:
    """Note down a commit; a merge is by those whose commits it brought in."""
    numbers = pulls_of(evidence)
    card = Card.of(evidence.model_copy(update={"pull": numbers[0]}) if numbers else evidence)
    if not evidence.change.commit.is_merge:
        return card
    # The API would be asked for every merge.
    members = await code.members(card.sha) if isinstance(code, NamesCommits) else ()
    people = dict.fromkeys(one.author.name for one in members if not one.is_merge)
    people = people or dict.fromkeys(one.author for one in pulls if one.number == card.pull and one.author)
    return card.model_copy(update={"author": ", ".join(list(people)[:_AUTHORS])}) if people else card
