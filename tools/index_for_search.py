"""Filling the search index: what a run has read, and for questions what nobody has read yet."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass

from agent.domain.base import AppError, NotFound
from agent.domain.commits import Change, Commit, PullRequest, Threads
from agent.domain.evidence import Card, CommitEvidence, Material
from agent.domain.window import Window
from agent.links.recorded import day_links
from agent.links.references import Day, day_references
from agent.ports import CloneSource, CodeSource, Desk, Desks, Progress, QuestionMemory
from agent.questions import Named
from agent.settings.values import RepoSpec
from agent.triage.collected import Collected
from tools.diff.sheet import read_facts

_AUTHORS = 6
_AT_ONCE, _KEPT = (
    100,
    1_000,
)  # Commits stored at a time: what was read before an interruption need not be read again


async def index_run(
    memory: QuestionMemory, code: CodeSource, found: Collected, material: Material
) -> None:
    """Index what a run has read; the window counts as known once nothing of it was left unread."""
    for start in range(0, len(material.reads), _KEPT):
        seen = [read.evidence for read in material.reads[start : start + _KEPT]]
        memory.keep(material.repo, [await card_of(code, one, found.threads.pulls) for one in seen])
    memory.connect(material.repo, found.threads, tuple(material.links))
    # A history that does not reach back through the whole window leaves some of it unread.
    if not any(notice.kind == "shallow" for notice in found.landing.notices):
        memory.complete(
            material.repo, material.window, [row.commit.sha for row in found.landing.rows]
        )


@dataclass(frozen=True)
class WindowReader:
    """Reads what is not known yet of a window."""

    desks: Desks
    memory: QuestionMemory
    progress: Progress
    most: int = 4_000  # How many commits may be read for one question and repository

    async def complete(self, spec: RepoSpec, window: Window) -> int:
        """Read the gaps, newest first; what was read stays known if this is cut short. Count what the cap left out."""
        room, left_out = self.most, 0
        for gap in reversed(self.memory.gaps(spec.name, window)):
            read, missed = await self._fill(spec, gap, room)
            room, left_out = room - read, left_out + missed
        return left_out

    async def fetch(self, spec: RepoSpec, named: Iterable[Named]) -> None:
        """Read single commits and threads that somebody names and nobody has read, wherever they are in time."""
        unread = Threads(coverage="not read")
        for one in named:
            text = f"#{one.text}" if one.kind == "thread" else one.text
            if one.kind not in ("thread", "commit") or self.memory.named(text, [spec.name]):
                continue
            desk = await self.desks.open(spec)
            try:
                if one.kind == "thread":
                    self.memory.put_thread(await desk.threads.issue(int(one.text)))
                else:
                    await self._cards(desk.code, [await desk.code.resolve(one.text)], unread)
            except NotFound:
                continue

    async def _fill(self, spec: RepoSpec, gap: Window, room: int) -> tuple[int, int]:
        repo = spec.name
        self.progress.step(repo, "listing commits")
        desk = await self.desks.open(spec)
        landing = await desk.code.landed(gap)
        commits = [row.commit for row in landing.rows][: min(room, desk.diffs or room)]
        self.progress.step(repo, "reading issues and pull requests")
        threads = await read_threads(desk, gap, commits)
        await self._cards(desk.code, commits, threads)
        day = Day(repo, landing.branch, commits, threads)
        self.memory.connect(repo, threads, day_links(day, day_references(day)))
        if isinstance(desk.code, CloneSource):
            self.memory.put_tags(await desk.code.tags_made(gap.start, gap.cutoff or gap.end))
        left_out = len(landing.rows) - len(commits)
        # The newest were read; from there on everything is known.
        start = commits[-1].committed_at if left_out and commits else gap.start
        if commits or not left_out:
            self.memory.complete(repo, gap.model_copy(update={"start": start}), ())
        return len(commits), left_out

    async def _cards(self, code: CodeSource, commits: Sequence[Commit], threads: Threads) -> None:
        shas = [commit.sha for commit in commits]
        known = self.memory.known(code.repo, shas)
        unknown = [sha for sha in shas if sha not in known]
        batch: list[Card] = []
        async for _, card in read_cards(code, unknown, threads):
            batch.append(card)
            self.progress.step(code.repo, "reading diffs", len(batch), len(unknown))
            if len(batch) % _AT_ONCE == 0:
                self.memory.keep(code.repo, batch[-_AT_ONCE:])
        self.memory.keep(code.repo, batch[len(batch) - len(batch) % _AT_ONCE :])


async def read_threads(
    desk: Desk, window: Window, commits: Sequence[Commit], known_open: Collection[int] = ()
) -> Threads:
    """Read the threads of a window; a report or an answer without them is still one, and says so."""
    try:
        return await desk.threads.threads(window, commits, known_open=known_open)
    except AppError as error:
        return Threads(coverage="not read", missing=(str(error),))


async def read_cards(
    code: CodeSource, shas: Sequence[str], threads: Threads
) -> AsyncIterator[tuple[Change, Card]]:
    """Read commits with the facts that their patches alone tell."""
    async for change in code.changes(shas):
        pull = threads.pull_of.get(change.commit.sha)
        evidence = CommitEvidence(change=change, sheet=read_facts(change, None), pull=pull)
        yield change, await card_of(code, evidence, threads.pulls)


async def card_of(code: CodeSource, evidence: CommitEvidence, pulls: Sequence[PullRequest]) -> Card:
    """Note down a commit; a merge is by those whose commits it brought in."""
    card = Card.of(evidence)
    if not evidence.change.commit.is_merge:
        return card
    # The API would be asked for every merge.
    members = await code.members(card.sha) if isinstance(code, CloneSource) else ()
    people = dict.fromkeys(one.author.name for one in members if not one.is_merge)
    people = people or dict.fromkeys(
        one.author for one in pulls if one.number == card.pull and one.author
    )
    return (
        card.model_copy(update={"author": ", ".join(list(people)[:_AUTHORS])}) if people else card
    )
