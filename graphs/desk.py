"""What the nodes may touch: everything with a side effect, behind small protocols."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from agent.analyst import Material
from agent.card import Card
from agent.domain import Notice, Threads
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.ledger import Owner
from agent.linking.known import Known
from agent.links import Link
from agent.report import Report
from agent.settings import Language, RepoSpec, Tiers
from agent.sources import CodeSource, Past, ThreadSource
from agent.weaving.weave import Remembered
from agent.window import Window
from graphs.library import Library
from tools.toolset import Recall

if TYPE_CHECKING:
    from graphs.models import Models


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The sources of one repository."""

    code: CodeSource
    threads: ThreadSource
    diffs: int | None
    """How many diffs may be read; None where they cost nothing."""


# The development server describes the context of a question, and asks of every protocol in it that it can be checked.
@runtime_checkable
class Desks(Protocol):
    """Opens the sources of a repository, once per run."""

    async def open(self, spec: RepoSpec) -> Desk:
        """Prepare the sources: fetch a mirror, find the API."""
        ...


class LandingMemory(Protocol):
    """Remembers which report owns which landed commit."""

    def known_tip(self, repo: RepoId, window: Window) -> str | None:
        """Find the tip from which "late" is counted."""
        ...

    def elsewhere(self, repo: RepoId, window: Window, shas: Iterable[str]) -> Mapping[str, Owner]:
        """Tell which of these commits other reports own."""
        ...


class ReportMemory(Protocol):
    """Remembers what was published."""

    def remember(self, report: Report) -> None:
        """Store what a report covers and says, all of it or nothing."""
        ...


class StoryMemory(Protocol):
    """Remembers the stories that reports told."""

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories they belong to."""
        ...

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository."""
        ...


class IssueMemory(Protocol):
    """Remembers which issues are open."""

    def known_open(self, repo: RepoId, window: Window | None = None) -> Collection[int]:
        """List the numbers of the issues that were open when last seen; none where the days before are missing."""
        ...

    def known(self, repo: RepoId, window: Window) -> Known:
        """Tell what earlier days know of the issues: what the open ones are about, and what reports told of them."""
        ...

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        ...

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Store the state in which the issues are now; after a new listing, nothing else is open."""
        ...


class QuestionMemory(Protocol):
    """Remembers what was read, so that questions about it read nothing again."""

    def keep(self, repo: RepoId, cards: Sequence[Card]) -> None:
        """Store commits with their facts."""
        ...

    def connect(self, repo: RepoId, threads: Threads, links: Sequence[Link]) -> None:
        """Store threads, and what connects them with commits."""
        ...

    def complete(self, repo: RepoId, window: Window, landed: Sequence[str]) -> None:
        """Note that a window is wholly known, if each of the commits that landed in it is."""
        ...


class Publisher(Protocol):
    """Makes a report public, whole or not at all."""

    def publish(self, report: Report) -> Report:
        """Write the report and return what the window's report is now."""
        ...


@runtime_checkable
class Progress(Protocol):
    """Tells a person what is going on."""

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Say what is being done for a repository; numbers where they are known."""
        ...


@dataclass(frozen=True, kw_only=True)
class Deps:
    """What the nodes of a daily run may touch."""

    desks: Desks
    landings: LandingMemory
    issues: IssueMemory
    stories: StoryMemory
    archive: ReportMemory
    publisher: Publisher
    progress: Progress
    library: Library
    recall: Recall
    deep: int
    """How many commits may be read in depth, over all repositories."""
    tiers: Tiers
    """From which weight on a commit belongs to a tier."""
    models: "Models | None" = None
    """Who reads, writes and judges; None where facts and quotations are all there is."""
    languages: tuple[Language, ...] = ("en",)
    """The languages in which a model writes: those of the report."""
    mark: str = ""
    """What fences texts of others in a prompt."""
    questions: QuestionMemory | None = None
    """Where what was read is left for questions; None where nothing may be written."""
    gathered: dict[RepoId, Material] = field(default_factory=dict)
    """What this process has read of a repository, put together once for all steps that work with it."""

    @property
    def analyst(self) -> str:
        """Name who writes."""
        return f"model {self.models.name}" if self.models else "rules"

    def let_go(self) -> None:
        """Forget what the parts of a report were made of: of a long window that takes more room than its pages."""
        self.library.clear()
        self.gathered.clear()
