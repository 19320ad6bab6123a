"""The context of a run: everything that its nodes may touch, and its models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from agent.domain.account import Account, Chain, Phase
from agent.domain.base import Language, RepoId
from agent.model_capabilities import Job, answer_tokens
from agent.model_errors import ContextExceeded
from agent.ports import Publisher, Repositories, Step
from agent.prompt_sizes import MAX_SHRINKS, EvidencePrompt, QuestionLimit, ShowEvidence, shrunk
from agent.prompt_templates import fenced, prompt
from agent.triage.allotment import ExplainingBudget
from graphs.models import Models
from memory.evidence import EvidenceStore
from memory.landing_owners import Landings
from memory.open_issues import OpenIssues
from memory.published_report_index import Reports
from memory.published_statements import Statements
from memory.stories import Stories
from tools.chat.requests_and_replies import Handles, Topic
from tools.evidence_cache import EvidenceCache
from tools.user_code import UserCode

M = TypeVar("M", bound=BaseModel)
_SMALL_CONTEXT = 12_000  # Tokens: a model with less loses its way in several steps
MODEL_LINE = RepoId("model")  # The progress shows under this name what concerns no repository


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """The context of a daily run: everything with a side effect.

    Nothing here is handed on from step to step; that is state.
    """

    repositories: Repositories
    landings: Landings
    issues: OpenIssues
    stories: Stories
    archive: Reports
    publisher: Publisher
    evidence_cache: EvidenceCache
    recall: Statements
    allowance: ExplainingBudget  # What may be spent on explaining commits, over all repositories
    models: Models | None = None  # Who reads, writes and judges; None where only code writes
    languages: tuple[Language, ...] = ("en",)  # In which a model writes: those of the report
    mark: str = ""  # What fences texts of others in a prompt
    editor_tools: bool = True  # Whether the editor may look into commits before it places them
    judge_tools: bool = True  # Whether the judge may look further in the repository
    questions: EvidenceStore | None = None
    """Where what was read is left for questions; None where nothing may be written."""
    own: UserCode | None = None
    """The user's own code, which is searched for uses of what changes; it stays on this machine."""

    @property
    def analyst(self) -> str:
        """The analyst that writes the report: rules or a model."""
        return f"model {self.models.name}" if self.models else "rules"

    def require_models(self) -> Models:
        """Return the models of a run that has some; questions go to them."""
        assert self.models is not None, "only a run with a model gets here"
        return self.models

    async def ask(
        self,
        job: Job,
        account: str,
        name: str,
        values: Mapping[str, str],
        shape: type[M],
        *,
        about: str = "",
        handles: Handles | None = None,
        answers_before: int | None = None,
    ) -> M:
        """Fill a prompt, ask the model for a job, and return the answer in its shape.

        `about` names the subject where it is not the whole account, and `handles` are the short
        names that the prompt gives to things: recorded answers are found by both. Questions that are
        put at the same time say how many answers were waited for before them.
        """
        messages = [SystemMessage(self._system(account)), HumanMessage(prompt(name, values))]
        topic = Topic(f"{name} {about or account}", handles, answers_before)
        model = self.require_models().get(job, account).with_structured_output(shape, topic=topic)
        answer = await model.ainvoke(messages)
        assert isinstance(answer, shape)
        return answer

    async def ask_about(
        self,
        job: Job,
        account: str,
        form: EvidencePrompt,
        show: ShowEvidence,
        *,
        about: str = "",
        handles: Handles | None = None,
    ) -> Any:
        """Ask with as much evidence as fits, and with less where the server counts more tokens."""
        limit = await self.question_limit(job, account)
        budget = limit.evidence_tokens(form)
        for shrinks_left in reversed(range(MAX_SHRINKS + 1)):
            evidence = limit.fit(show, budget)
            values = {**form.values, form.slot: fenced(evidence, self.mark)}
            try:
                return await self.ask(
                    job, account, form.name, values, form.shape, about=about, handles=handles
                )
            except ContextExceeded:
                if not shrinks_left:
                    raise
            budget = shrunk(budget, limit.fenced_tokens(evidence))
        raise AssertionError("the loop returns or raises")

    def take_spent(self, account: str, phase: Phase) -> Account:
        """Return what the models were paid for an account since this was asked last."""
        models = self.require_models()
        chain = models.take_chain(account, phase)
        return Account(
            spent=models.take(account),
            by_job=models.take_by_job(account),
            chains={account: chain} if chain != Chain() else {},
        )

    async def question_limit(self, job: Job, account: str) -> QuestionLimit:
        """Return what questions to the model for a job are measured against."""
        return QuestionLimit(
            tokens=await self.require_models().question_tokens(job),
            answer_tokens=answer_tokens(await self.require_models().context(job)),
            system=self._system(account),
            mark=self.mark,
        )

    def _system(self, account: str) -> str:
        scope = account if "/" in account else "several repositories"
        return prompt("system", {"repo": scope, "mark": self.mark})

    async def announce_remarks(self, runtime: Runtime[Any]) -> None:
        """Stream what a person should know of the models, each thing once in a run."""
        for remark in await self.require_models().remarks():
            runtime.stream_writer(Step(MODEL_LINE, remark))

    async def is_small(self, job: Job = "reading") -> bool:
        """Return True if the model's context or its pace allows for short questions only."""
        capabilities = await self.require_models().capabilities(job)
        return capabilities.context < _SMALL_CONTEXT or capabilities.is_slow

    async def can_call_tools(self) -> bool:
        """Return True if the model that reads finds its way with tools."""
        return not await self.is_small() and await self.require_models().has_tools("reading")

    async def can_editor_look(self) -> bool:
        """Return True if the editor may look into commits, and finds its way with tools."""
        return self.editor_tools and await self.can_call_tools()

    async def can_judge_look(self) -> bool:
        """Return True if the judge may look further, and finds its way with tools."""
        if not self.judge_tools:
            return False
        return not await self.is_small("judging") and await self.require_models().has_tools(
            "judging"
        )
