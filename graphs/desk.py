"""What the nodes may touch: everything with a side effect, behind small protocols."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.analyst import Material
from agent.desks import Desks, Publisher
from agent.ids import RepoId
from agent.memories import IssueMemory, LandingMemory, QuestionMemory, ReportMemory, StoryMemory
from agent.settings import Language, Tiers
from tools.evidence_cache import EvidenceCache
from tools.own_code import OwnCode
from tools.toolset import Recall

if TYPE_CHECKING:
    from graphs.models import Models


@dataclass(frozen=True, kw_only=True)
class Deps:
    """What the nodes of a daily run may touch."""

    desks: Desks
    landings: LandingMemory
    issues: IssueMemory
    stories: StoryMemory
    archive: ReportMemory
    publisher: Publisher
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
    own: OwnCode | None = None
    """The user's own code, in which uses of what changes are looked for; it stays on this machine."""
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
