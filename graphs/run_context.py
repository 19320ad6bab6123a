"""What the nodes of a run may touch, how they ask its models, and what was read of a repository."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from operator import add
from typing import Annotated, Any, TypeVar

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.errors import GraphBubbleUp
from langgraph.graph import add_messages
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from agent.analysts.tasks import Task
from agent.domain.base import AppError, Language, NotFound, RepoId
from agent.domain.commits import Issue
from agent.domain.evidence import Material, Read, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth
from agent.domain.links import Related
from agent.domain.report import Failure, Stage
from agent.domain.window import Window
from agent.links.admitted import related_links
from agent.links.recorded import carried_links, partners, reverted_by
from agent.ports import Desks, Publisher, Step, ThreadSource
from agent.prompting import ContextExceeded, Job, answer_tokens, fenced, prompt
from agent.settings.values import RepoSpec
from agent.sizing import MAX_SHRINKS, EvidencePrompt, QuestionLimit, ShowEvidence, shrunk
from agent.stories.timeline import StoriesFound
from agent.triage.collected import Collected, Readings, Scales, known_issues
from agent.triage.score import lifted
from graphs.models import Models
from memory.evidence import EvidenceStore
from memory.reports import Landings, OpenIssues, Reports
from memory.statements import Statements, Stories
from tools.chat.messages import Handles, Topic
from tools.evidence_cache import EvidenceCache
from tools.history.find_stories import with_past
from tools.history.past import pull_templates
from tools.own_code import OwnCode

_LOG = logging.getLogger(__name__)
M = TypeVar("M", bound=BaseModel)
_SMALL_CONTEXT = 12_000  # Tokens: a model with less loses its way in several steps
MODEL_LINE = RepoId("model")  # Under this name the progress tells what concerns no repository
THREAD_TOOLS = ("get_issue", "get_pull")


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
    recall: Statements
    deep: int  # How many commits may be read in depth, over all repositories
    models: Models | None = (
        None  # Who reads, writes and judges; None where facts and quotations are all there is
    )
    languages: tuple[Language, ...] = (
        "en",
    )  # The languages in which a model writes: those of the report
    mark: str = ""  # What fences texts of others in a prompt
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
    def asked(self) -> Models:
        """The models of a run that has some."""
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
    ) -> M:
        """Fill a prompt, ask the model for a job, and return the answer in its shape.

        `about` names the subject where it is not the whole account, and `handles` are the short
        names that the prompt gives to things: recorded answers are found by both.
        """
        messages = [SystemMessage(self._system(account)), HumanMessage(prompt(name, values))]
        topic = Topic(f"{name} {about or account}", handles)
        model = self.asked.get(job, account).with_structured_output(shape, topic=topic)
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

    async def question_limit(self, job: Job, account: str) -> QuestionLimit:
        """Return what questions to the model for a job are measured against."""
        return QuestionLimit(
            tokens=await self.asked.question_tokens(job),
            answer_tokens=answer_tokens(await self.asked.context(job)),
            system=self._system(account),
            mark=self.mark,
        )

    def _system(self, account: str) -> str:
        scope = account if "/" in account else "several repositories"
        return prompt("system", {"repo": scope, "mark": self.mark})

    async def announce_remarks(self, runtime: Runtime[Any]) -> None:
        """Stream what a person should know of the models, each thing once in a run."""
        for remark in await self.asked.remarks():
            runtime.stream_writer(Step(MODEL_LINE, remark))

    async def is_small(self) -> bool:
        """Return True if the model's context or its pace allows for short questions only."""
        capabilities = await self.asked.capabilities("reading")
        return capabilities.context < _SMALL_CONTEXT or capabilities.is_slow

    async def can_call_tools(self) -> bool:
        """Return True if the model that reads finds its way with tools."""
        return not await self.is_small() and await self.asked.has_tools("reading")


Node = Callable[[Any, Runtime[RunContext]], Awaitable[dict[str, Any]]]


def failing_alone(node: Node, stage: Stage = "code") -> Any:
    """Wrap a node so that an error ends its repository, or its part of the report, and nothing else.

    Once the code of a repository could not be read, its other nodes do nothing.
    """

    @wraps(node)
    async def guarded(state: Any, runtime: Runtime[RunContext]) -> dict[str, Any]:
        if has_failed(state):
            return {}
        try:
            return await node(state, runtime)
        except GraphBubbleUp:
            raise  # A signal of LangGraph's, not an error
        except Exception as error:  # noqa: BLE001 -- a bug must not cost the others their reports
            repo = state["spec"].name if "spec" in state else None
            return {"failures": [_failure(error, repo, stage)]}

    return guarded


def _failure(error: Exception, repo: RepoId | None, stage: Stage) -> Failure:
    """Describe an error for the report.

    Of an unexpected one the report names only the kind, since its words may hold anything; the
    traceback goes to the error log.
    """
    if isinstance(error, AppError):
        unknown = isinstance(error, NotFound)
        return Failure(repo=repo, stage=stage, message=str(error), unknown=unknown)
    _LOG.error("%s of %s failed", stage, repo or "all repositories", exc_info=error)
    message = f"unexpected {type(error).__name__}; the error log has the traceback"
    return Failure(repo=repo, stage=stage, message=message)


def has_failed(state: Any) -> bool:
    """Return True if the code of the state's repository could not be read."""
    if "spec" not in state:
        return False
    return any(failure.stage == "code" for failure in state.get("failures", ()))


class ReadState(TypedDict, total=False):
    """What is known of a repository when its part is written."""

    window: Window
    spec: RepoSpec
    found: Collected
    messages: Annotated[list[AnyMessage], add_messages]
    deep: tuple[str, ...]  # The commits that are worth reading in depth, heaviest first
    chosen: tuple[str, ...]  # The commits that the model wants to explain
    readings: Readings
    related: list[Related]
    """What commits have to do with what they name or resemble, as a model said and a judge admitted."""
    stories: StoriesFound
    tasks: list[Task]  # What a model is to write about
    beside: tuple[RepoSpec, ...]
    """The other repositories of the report; where there are none, the brief sums this one up."""
    failures: Annotated[list[Failure], add]
    """Nodes are given what their annotation names: without this one they could not know that another failed."""


async def material_of(state: ReadState, deps: RunContext) -> Material:
    """Gather what was read: from this process, or again from the record of the run."""
    repo = state["spec"].name
    if repo not in deps.gathered:
        deps.gathered[repo] = await _gathered(state, deps)
    material = await _with_related(deps.gathered[repo], state, deps)
    found = state.get("stories")
    if found is None:
        return material
    code = (await deps.desks.open(state["spec"])).code
    return await with_past(material, found, code, deps.library)


async def _with_related(material: Material, state: ReadState, context: RunContext) -> Material:
    """Put the relations that were admitted in the place of plain references, with their threads."""
    related = state.get("related")
    if not related:
        return material
    collected = state["found"]
    earlier = context.issues.known(material.repo, state["window"])
    links = related_links(material.links, related)
    issues = [*collected.threads.issues, *known_issues(collected, earlier, links)]
    listed = {*(issue.id for issue in issues), *(pull.id for pull in material.pulls.values())}
    missing = []
    for relation in related:
        number = relation.other.number
        if number is None or relation.is_abroad:
            continue
        if relation.other not in {*listed, *material.threads}:
            missing.append(number)
    desk = await context.desks.open(state["spec"])
    # They were read when they were related; the answers are on record.
    threads = {one.id: one for one in await desk.threads.discussions(missing)} if missing else {}
    issues += [one.thread for one in threads.values() if isinstance(one.thread, Issue)]
    return replace(material, links=links, issues=issues, threads=threads | dict(material.threads))


async def _gathered(state: ReadState, deps: RunContext) -> Material:
    repo, found, readings = state["spec"].name, state["found"], state["readings"]
    desk = await deps.desks.open(state["spec"])
    table, landed = [one.sha for one in found.table], [row.commit for row in found.rows]
    skimmed = {one.change.commit.sha: one async for one in deps.library.skim(desk.code, table)}
    studied = await deps.library.study_all(desk.code, readings.deep, landed=landed)
    deep = {one.change.commit.sha: one for one in studied}
    pulls = found.threads.pull_of
    # Studying some has put right what the patches alone say of others.
    read = {sha: deps.library.get(one.id) or one for sha, one in (skimmed | deep).items()}
    known = {sha: one.model_copy(update={"pull": pulls.get(sha)}) for sha, one in read.items()}
    undone = reverted_by(list(known.values()))
    reads = []
    weighed = Scales(found, state["spec"]).weigh_again(known, undone)
    for one in lifted(weighed, {use.sha for use in found.own_uses}):
        depth: Depth = "deep" if one.sha in deep else "group" if one.noise else "skim"
        reads.append(Read(evidence=known[one.sha], triage=one, depth=depth))
    earlier = deps.issues.known(repo, state["window"])
    links = tuple(carried_links(found.links, earlier.links, partners(known.values())))
    return Material(
        repo=repo,
        window=state["window"],
        reads=reads,
        links=links,
        issues=(*found.threads.issues, *known_issues(found, earlier, links)),
        pulls={pull.number: pull for pull in found.threads.pulls},
        templates=await pull_templates(desk.code, found),
        threads=await _threads_read(state.get("messages", []), desk.threads),
        reverted=undone,
        background={one.id: one async for one in deps.library.skim(desk.code, readings.background)},
    )


async def _threads_read(
    messages: Sequence[AnyMessage], threads: ThreadSource
) -> dict[EvidenceId, ThreadEvidence]:
    """Give the threads that the model looked up, with their comments: the source is asked again, and is on record."""
    calls = [call for one in messages if isinstance(one, AIMessage) for call in one.tool_calls]
    numbers = [call["args"].get("number") for call in calls if call["name"] in THREAD_TOOLS]
    found: dict[EvidenceId, ThreadEvidence] = {}
    for number in dict.fromkeys(one for one in numbers if isinstance(one, int) and one > 0):
        try:
            thread = await threads.issue(number)
            found[thread.id] = ThreadEvidence(
                thread=thread, comments=tuple(await threads.comments(number))
            )
        except NotFound:
            continue
    return found
