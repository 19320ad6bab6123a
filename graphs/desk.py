"""What the nodes may touch: everything with a side effect, behind small protocols."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from agent.analyst import Material
from agent.ids import RepoId
from agent.memories import IssueMemory, LandingMemory, QuestionMemory, ReportMemory, StoryMemory
from agent.report import Report
from agent.settings import Language, RepoSpec, Tiers
from agent.sources import CodeSource, ThreadSource
from tools.evidence_cache import EvidenceCache
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
    library: EvidenceCache
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
