"""The parts of a run, each with the floor that it is held against: both in processor seconds, of git as well."""

import re
import resource
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

from agent.domain.base import RepoId
from agent.domain.claims import Anchor, Claim, Kind, Role
from agent.domain.commits import Change, Coverage, Issue, Landing, Threads
from agent.domain.dossier import Dossier
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact
from agent.domain.window import Window
from agent.gate.check import refusals
from agent.links.candidates import IssueIndex, words_of
from agent.links.digest import digest
from agent.links.recorded import day_links
from agent.links.references import Day, day_references
from agent.settings.values import RepoSpec, Settings
from evals.bench.history import DAY, make_history
from evals.harness import System
from tools.diff.sheet import read_facts
from tools.git.source import GitSource

REPO = RepoId("lumen-ai/yardstick")
WINDOW = Window.days(date.fromisoformat(DAY), date.fromisoformat(DAY), "UTC")
_WORD = re.compile(r"\w+")
_ROOT = Path(__file__).parents[2]
T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """What a part took and what its floor took, for so many things."""

    ours: float
    floor: float
    count: int

    @property
    def ratio(self) -> float:
        """How many times the floor it took."""
        return self.ours / max(self.floor, 1e-4)

    @property
    def each(self) -> float:
        """What one thing took."""
        return self.ours / max(1, self.count)


def used() -> float:
    """Say how much of the processor this process and the programs it ran have used so far."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Do something, and say what it took."""
    before = used()
    return work(), used() - before


async def awaited(work: Awaitable[T]) -> tuple[T, float]:
    """Wait for something, and say what it took."""
    before = used()
    return await work, used() - before


class Yard:
    """One made-up day of so many commits, and the cost of each part of reporting on it."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        self._count = count
        self._git_dir = make_history(folder / "yardstick.git", count)
        self._source = GitSource(REPO, self._git_dir)
        self._landing: Landing | None = None
        self._changes: list[Change] = []
        self._evidence: list[CommitEvidence] = []
        self._reading = self._facts = 0.0

    async def reading(self) -> Cost:
        """Read the day's commits, beside git that prints them."""
        _, floor = timed(self._print)
        _, self._reading = await awaited(self._read())
        return Cost(self._reading, floor, self._count)

    def facts(self) -> Cost:
        """Turn the diffs into facts, beside reading them."""
        sheets, self._facts = timed(lambda: [read_facts(change) for change in self._changes])
        pairs = zip(self._changes, sheets, strict=True)
        self._evidence = [CommitEvidence(change=change, sheet=sheet) for change, sheet in pairs]
        return Cost(self._facts, self._reading, self._count)

    def linking(self) -> Cost:
        """Connect commits with issues, beside cutting all their texts into words."""
        commits = [change.commit for change in self._changes]
        threads = Threads(coverage=Coverage.READ, issues=tuple(map(_issue, self._changes[::10])))
        texts = [commit.message for commit in commits] + [issue.body for issue in threads.issues]
        texts += [file.patch or "" for change in self._changes for file in change.files]
        _, floor = timed(lambda: sum(len(_WORD.findall(text)) for text in texts))

        def link() -> int:
            day = Day(REPO, "main", commits, threads)
            index = IssueIndex(map(digest, threads.issues))
            near = [
                index.nearest(words_of(CommitEvidence(change=one)), one.commit.committed_at) for one in self._changes
            ]
            return len(day_links(day, day_references(day))) + len(near)

        return Cost(timed(link)[1], floor, self._count)

    def gate(self) -> Cost:
        """Check a sentence for every fact, beside cutting claims and evidence into words."""
        claims = [_sentence(fact, one) for one in self._evidence for fact in one.facts[:1]]
        dossier = Dossier(found={one.id: one for one in self._evidence}, window=WINDOW)
        texts = [text for one in self._evidence for text in one.texts]
        _, floor = timed(lambda: sum(len(_WORD.findall(text)) for text in texts))
        passed, ours = timed(lambda: sum(not refusals(claim, dossier, "en") for claim in claims))
        assert passed == len(claims)
        return Cost(ours, floor, len(claims))

    async def day(self, system: System) -> Cost:
        """Report on the day from the first step to the last, beside reading its commits and their facts once."""
        home = self._folder / "home"
        spec = RepoSpec(name=REPO, path=self._git_dir)
        settings = Settings(repos=(spec,), source="git", lang="en", home=home, out=home / "out")
        _, ours = await awaited(system.report(settings, WINDOW))
        return Cost(ours, self._reading + self._facts, self._count)

    async def _read(self) -> None:
        self._landing = await self._source.landed(WINDOW)
        self._changes = [one async for one in self._source.changes([row.commit.sha for row in self._landing.rows])]

    def _print(self) -> None:
        options = ["log", "-z", "--raw", "-p", "--first-parent", f"--since={DAY}T00:00:00Z", "HEAD"]
        subprocess.run(["git", f"--git-dir={self._git_dir}", *options], check=True, stdout=subprocess.DEVNULL)


def start_up() -> Cost:
    """Start Gitzette to say its version, beside Python that does nothing."""
    plain, ours = ([sys.executable, "-c", "pass"], [sys.executable, "-P", "-m", "gitzette", "--version"])
    # The first start may compile.
    for command in (plain, ours):
        _run(command)
    return Cost(timed(lambda: _run(ours))[1], timed(lambda: _run(plain))[1], 1)


def _sentence(fact: Fact, one: CommitEvidence) -> Claim:
    """Write a sentence of analysis about a fact."""
    anchors = (Anchor(cite=one.id, text=one.change.commit.title),)
    text = f"This is about `{fact.name}`."
    about = {"id": "k", "repo": one.repo, "role": Role.CHANGE, "cites": (one.id,), "kind": Kind.STATED}
    return Claim.model_validate({**about, "anchors": anchors, "text": {"en": text}})


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=_ROOT)


def _issue(change: Change) -> Issue:
    number = int(change.commit.title.rpartition("#")[2].rstrip(")")) + 1_000_000
    opened = change.commit.committed_at - timedelta(days=1)
    return Issue(
        repo=REPO,
        number=number,
        title=f"Requests wait for ever ({number})",
        body=f"{change.commit.message.partition(chr(10))[2].strip()} We saw it on two machines.",
        state="open",
        state_reason=None,
        author="user",
        labels=("bug",),
        created_at=opened,
        updated_at=opened,
        closed_at=None,
        comments=0,
        reactions=0,
    )
