"""What the nodes of a run may touch, how they ask its models, and how a repository fails alone."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from langgraph.graph import END
from langgraph.runtime import Runtime
from pydantic import BaseModel

from agent.analysts.packet import BUDGET
from agent.domain.base import AppError, Language, NotFound, RepoId
from agent.domain.evidence import Material
from agent.domain.report import Failure
from agent.models import Job, prompt
from agent.ports import Desks, Publisher
from agent.settings.values import Tiers
from memory.evidence import EvidenceStore
from memory.reports import Landings, OpenIssues, Reports
from memory.statements import Stories
from tools.evidence_cache import EvidenceCache
from tools.own_code import OwnCode
from tools.toolset import Recall

if TYPE_CHECKING:
    from graphs.models import Models

M = TypeVar("M", bound=BaseModel)
_PROMPT = 1_600
"""Tokens of a prompt beside the evidence: rules, sentences, schema."""
_LEAST, _SMALL = 1_000, 12_000


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """What the nodes of a daily run may touch: everything with a side effect."""

    desks: Desks
    landings: Landings
    issues: OpenIssues
    stories: Stories
    archive: Reports
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
    questions: EvidenceStore | None = None
    """Where what was read is left for questions; None where nothing may be written."""
    own: OwnCode | None = None
    """The user's own code, in which uses of what changes are looked for; it stays on this machine."""
    gathered: dict[RepoId, Material] = field(default_factory=dict)
    """What this process has read of a repository, put together once for all steps that work with it."""

    @property
    def analyst(self) -> str:
        """Name who writes."""
        return f"model {self.models.name}" if self.models else "rules"

    @property
    def asked(self) -> "Models":
        """The models of a run that has some."""
        assert self.models is not None, "only a run with a model gets here"
        return self.models

    def let_go(self) -> None:
        """Forget what the parts of a report were made of: of a long window that takes more room than its pages."""
        self.library.clear()
        self.gathered.clear()

    async def ask(self, job: Job, account: str, name: str, values: Mapping[str, str], shape: type[M]) -> M:
        """Fill a prompt, ask the model for a job, and give the answer in its shape."""
        from langchain_core.messages import HumanMessage, SystemMessage

        scope = account if "/" in account else "several repositories"
        system = prompt("system", {"repo": scope, "mark": self.mark})
        messages = [SystemMessage(system), HumanMessage(prompt(name, values))]
        answer = await self.asked.get(job, account).with_structured_output(shape).ainvoke(messages)
        assert isinstance(answer, shape)
        return answer

    async def is_small(self) -> bool:
        """Tell whether a model has so little room that it loses its way in several steps."""
        return await self.asked.context("reading") < _SMALL

    async def can_call_tools(self) -> bool:
        """Tell whether the model that reads finds its way with tools."""
        return not await self.is_small() and await self.asked.has_tools("reading")

    async def packet_room(self) -> int:
        """Give the tokens of evidence that fit into every question about a commit, beside the answer."""
        context = min(await self.asked.context("writing"), await self.asked.context("judging"))
        return max(_LEAST, min(BUDGET, context - min(4_000, context // 4) - _PROMPT))


def failing_alone(node: Callable[[Any, Runtime[RunContext]], Awaitable[dict[str, Any]]]) -> Any:
    """Turn an error of a source into a failure that the report lists; a bug keeps its traceback."""

    @wraps(node)
    async def guarded(state: Any, runtime: Runtime[RunContext]) -> dict[str, Any]:
        try:
            return await node(state, runtime)
        except AppError as error:
            unknown = isinstance(error, NotFound)
            failure = Failure(repo=state["spec"].name, stage="code", message=str(error), unknown=unknown)
            return {"failures": [failure]}

    return guarded


def unless_failed(then: str) -> Callable[[Mapping[str, Any]], str | Literal["__end__"]]:
    """Go on to the next step, unless this repository has failed."""

    def route(state: Mapping[str, Any]) -> str:
        return END if any(one.stage == "code" for one in state.get("failures", ())) else then

    return route
