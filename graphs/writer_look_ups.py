"""Lets a model look further: it calls tools until it has seen enough, or has had its turns.

Before a commit is explained, its writer may look into the repository. Each commit has a
conversation of its own; what the tools showed is kept for writer, gate and judge.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import inf
from typing import NamedTuple

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolInvocationError
from langgraph.runtime import Runtime

from agent.domain.base import RepoId, UpstreamError
from agent.domain.claims import Claim
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.look_ups import LookUp
from agent.domain.spending import Account, Judging, Phase, fallback
from agent.editor.rows import CommitRow
from agent.ports import RepositorySources, Step
from agent.prompting import Job, ModelError, fenced, message_tokens, prompt
from agent.question_sizes import ShowEvidence
from agent.triage.first_look import Collected
from agent.writing.targets import CommitTarget, WritingTarget
from graphs.run_context import RunContext
from graphs.sentence_steps import JudgeLook, spent
from graphs.state import (
    AnalysisInput,
    AnalysisState,
    EditInput,
    LookAheadOutput,
    LookingState,
    LookInput,
    LookOutput,
    LookUpOutput,
    MaterialInput,
)
from graphs.writing_targets import commit_targets
from memory.statements import EarlierStatements
from tools.chat.messages import Topic, trimmed
from tools.chat.tool_schemas import tool_text
from tools.toolset import ToolError, Toolset
from tools.toolset.pages import clean_path, shown_lines

_MAX_TURNS = 4  # How often a writer may ask for tools before it writes about a commit
_MAX_CALLS = 4  # Tools that are called in one turn
_PAGE_TOKENS = 2_000  # Of one answer of a tool
_PACKET_SHARE = 0.6  # Of a question, for the packet; the rest is for what the tools show
_MAX_NEED = 200  # Characters of what a judge says it would have to see
_MAX_CALL_TEXT = 200  # Characters of a call that are shown above its answer
_THREAD_TOOLS = ("get_issue", "get_pull")
_OFFERED = ("get_file", "find_usages", "get_diff", *_THREAD_TOOLS, "previous_reports")
_ERROR = "Error: "
_ENOUGH = "enough"  # The tool with which a model says that it need not be asked again


def _enough() -> str:
    """Say that nothing more has to be looked up after the calls of this turn."""
    return "noted"


_ENOUGH_TOOL = StructuredTool.from_function(_enough, name=_ENOUGH)


# ---------------------------------------------------------------- conversations with tools


async def called(offered: Sequence[BaseTool], messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Call the tools that the last message asks for, and return their answers."""
    node = ToolNode(offered, handle_tool_errors=explain_mistake)
    update = await node.ainvoke({"messages": messages})
    answers: list[AnyMessage] = update["messages"]
    return answers


def explain_mistake(error: ToolError | ToolInvocationError) -> str:
    """Return what the model did wrong; an outage is not its mistake."""
    return f"{_ERROR}{error}"


def wants_tools(messages: Sequence[AnyMessage], turns: float = inf) -> bool:
    """Return True if the model asked for tools and may still do so."""
    if not messages:
        return False
    last = messages[-1]
    answers = sum(isinstance(message, AIMessage) for message in messages)
    return isinstance(last, AIMessage) and bool(last.tool_calls) and answers <= turns


def may_ask_again(messages: Sequence[AnyMessage], turns: int) -> bool:
    """Return True if a model has something new to read and may still ask for more."""
    if not messages:
        return True
    answers = [message for message in messages if isinstance(message, AIMessage)]
    if not isinstance(messages[-1], ToolMessage) or len(answers) >= turns:
        return False
    return not any(call["name"] == _ENOUGH for call in answers[-1].tool_calls)


class LookQuestion(NamedTuple):
    """A request to a model that may look further, without the conversation so far."""

    job: Job
    account: str
    prompt: str  # The file in agent/prompts
    about: str
    show: ShowEvidence
    values: Mapping[str, str] = {}  # Of the prompt, beside the evidence
    max_calls: int = _MAX_CALLS
    answers_before: int | None = None  # Where others ask for the same account at the same time


async def next_message(
    question: LookQuestion,
    messages: Sequence[AnyMessage],
    offered: Sequence[BaseTool],
    context: RunContext,
) -> AIMessage:
    """Return the calls of tools that a model asks for, or its word that it has seen enough."""
    limit = await context.question_limit(question.job, question.account)
    tool_texts = [tool_text(tool) for tool in offered]
    frame = prompt(question.prompt, {**question.values, "evidence": ""})
    frame_tokens = message_tokens((limit.system, frame, *tool_texts))
    evidence_tokens = int((limit.tokens - frame_tokens) * _PACKET_SHARE)
    evidence = fenced(limit.fit(question.show, evidence_tokens), context.mark)
    text = prompt(question.prompt, {**question.values, "evidence": evidence})
    opening: list[AnyMessage] = [SystemMessage(limit.system), HumanMessage(text)]
    turn = 1 + sum(isinstance(message, AIMessage) for message in messages)
    topic = Topic(
        f"{question.prompt} {question.about}, turn {turn}", answers_before=question.answers_before
    )
    model = (
        context.require_models()
        .get(question.job, question.account)
        .bind_tools(offered, topic=topic)
    )
    tool_tokens = message_tokens(tuple(tool_texts))
    shown = [_fenced_answer(message, context.mark) for message in messages]
    answer = await model.ainvoke(trimmed([*opening, *shown], limit.tokens - tool_tokens))
    look_ups = [call for call in answer.tool_calls if call["name"] != _ENOUGH]
    says_enough = [call for call in answer.tool_calls if call["name"] == _ENOUGH][:1]
    few_calls = look_ups[: question.max_calls]
    if few_calls:
        few_calls += says_enough
    return AIMessage(content=answer.content, tool_calls=few_calls, id=answer.id)


def _fenced_answer(message: AnyMessage, mark: str) -> AnyMessage:
    """Return what a tool showed as text of others; what a model did wrong is said by code."""
    if not isinstance(message, ToolMessage) or message.status == "error":
        return message
    return message.model_copy(update={"content": fenced(str(message.text), mark)})


class LookLimit(NamedTuple):
    """How often a model may ask for tools, and how many it may call in all."""

    turns: int
    look_ups: int


_JUDGE_LIMIT = LookLimit(turns=2, look_ups=8)  # About a commit


class LookConversation(NamedTuple):
    """What a model and the tools said, and the error that ended it early, if there was one."""

    messages: list[AnyMessage]
    error: UpstreamError | None = None


async def conversation(
    question: LookQuestion, offered: Sequence[BaseTool], limit: LookLimit, context: RunContext
) -> LookConversation:
    """Have a model call tools until it has seen enough; an error loses nothing that was shown."""
    calls_left = limit.look_ups
    messages: list[AnyMessage] = []
    try:
        while calls_left > 0 and may_ask_again(messages, limit.turns):
            question = question._replace(max_calls=calls_left)
            answer = await next_message(question, messages, offered, context)
            messages.append(answer)
            if answer.tool_calls:
                messages += await called(offered, messages)
                calls_left -= sum(call["name"] != _ENOUGH for call in answer.tool_calls)
    except UpstreamError as error:
        return LookConversation(messages, error)
    return LookConversation(messages)


# ---------------------------------------------------------------- looking into a commit


LookingGraph = CompiledStateGraph[LookingState, RunContext, AnalysisInput, LookAheadOutput]


@cache
def build_looking() -> LookingGraph:
    """Wire the conversations of writers that look into their commits while these are related."""
    graph = StateGraph(
        LookingState,
        context_schema=RunContext,
        input_schema=AnalysisInput,
        output_schema=LookAheadOutput,
    )
    graph.add_node("look", look_ahead)
    graph.add_node("look_up", look_up)
    graph.add_edge(START, "look")
    graph.add_conditional_edges("look", after_look, {"look_up": "look_up", "write": END})
    graph.add_conditional_edges("look_up", after_look_up, {"look": "look", "write": END})
    return graph.compile(name="looking")


async def look_ahead(state: LookInput, runtime: Runtime[RunContext]) -> LookOutput:
    """Ask the writer of each commit what it wants to look up, while other steps go on."""
    return await _asked(state, runtime.context, "looking")


async def look(state: LookInput, runtime: Runtime[RunContext]) -> LookOutput:
    """Ask each writer that has not looked further yet what it wants to look up before it writes."""
    return await _asked(state, runtime.context, "explaining")


async def _asked(state: LookInput, context: RunContext, phase: Phase) -> LookOutput:
    if not await _can_look(state, context):
        return {"conversations": {}, "account": Account()}
    conversations = state["conversations"]
    open_targets: list[CommitTarget] = []
    for target in (await commit_targets(state, context)).values():
        key = target.task.key
        has_looked_ahead = key in state["looked_up"] and key not in conversations
        if not has_looked_ahead and may_ask_again(conversations.get(key, []), _MAX_TURNS):
            open_targets.append(target)
    steps = await asyncio.gather(*(_look(target, state, context) for target in open_targets))
    account = spent(open_targets, context, phase)
    answers: dict[str, list[AnyMessage]] = {}
    for target, step in zip(open_targets, steps, strict=True):
        key = target.task.key
        answers[key] = [*conversations.get(key, []), *step.messages]
        account += step.account
    return {"conversations": answers, "account": account}


async def _can_look(state: LookInput, context: RunContext) -> bool:
    if context.models is None or not any(task.about for task in state["tasks"]):
        return False
    try:
        return await context.can_call_tools()
    except ModelError:
        return False  # Writing asks the model again, and says why it does not answer


class _Step(NamedTuple):
    """The next messages of a conversation, and what went wrong, if anything."""

    messages: list[AnyMessage]
    account: Account = Account()


async def _look(target: CommitTarget, state: LookInput, context: RunContext) -> _Step:
    """Ask the writer of one commit; without an answer the commit is written about as it is."""
    before = target.before_looking()
    question = LookQuestion(
        job="reading",
        account=target.account,
        prompt="look",
        about=target.task.key,
        show=lambda budget: before.evidence((), budget),
        answers_before=0,
    )
    messages = state["conversations"].get(target.task.key, [])
    try:
        offered = await offered_tools(target, _repository(state), context)
        answer = await next_message(question, messages, offered, context)
    except ModelError as error:
        return _Step([AIMessage("")], fallback("reading", error, target.about))
    return _Step([answer])


def after_look(state: LookInput) -> str:
    """Go on to the tools that writers ask for; if none is asked for, to the writing."""
    conversations = state["conversations"].values()
    return "look_up" if any(wants_tools(messages) for messages in conversations) else "write"


def after_look_up(state: LookInput) -> str:
    """Go on to the writers who may ask for more; if there is none, to the writing."""
    conversations = state["conversations"].values()
    may_look = any(messages and may_ask_again(messages, _MAX_TURNS) for messages in conversations)
    return "look" if may_look else "write"


async def look_up(state: LookInput, runtime: Runtime[RunContext]) -> LookUpOutput:
    """Call what the writers asked for, and keep what the tools showed."""
    context = runtime.context
    repository = _repository(state)
    runtime.stream_writer(Step(repository["spec"].name, "looking further"))
    asking: list[CommitTarget] = []
    for target in (await commit_targets(state, context)).values():
        if wants_tools(state["conversations"].get(target.task.key, [])):
            asking.append(target)
    steps = await asyncio.gather(*(_call(target, state, context) for target in asking))
    conversations: dict[str, list[AnyMessage]] = {}
    looked_up: dict[str, tuple[LookUp, ...]] = {}
    account = Account()
    for target, step in zip(asking, steps, strict=True):
        key = target.task.key
        conversations[key] = [*state["conversations"][key], *step.messages]
        looked_up[key] = tuple(look_ups_of(conversations[key], target))
        account += step.account
    return {"conversations": conversations, "looked_up": looked_up, "account": account}


async def _call(target: CommitTarget, state: LookInput, context: RunContext) -> _Step:
    """Call the tools for one commit; if a source is down, its writer goes on with what it has."""
    try:
        offered = await offered_tools(target, _repository(state), context)
        return _Step(await called(offered, state["conversations"][target.task.key]))
    except UpstreamError as error:
        return _Step([AIMessage("")], fallback("reading", error, target.about))


def _repository(state: AnalysisInput) -> MaterialInput:
    repository = state["repository"]
    assert repository is not None, "tasks about commits come with their repository"
    return repository


async def offered_tools(
    target: CommitTarget, repository: MaterialInput, context: RunContext
) -> list[BaseTool]:
    """Return the tools that read the repository as it is after a commit; none of them writes."""
    sources = await context.repositories.open(repository["spec"])
    commits = _commits_by_handle(target)
    toolset = Toolset(
        sources.code,
        sources.threads,
        [evidence.change.commit for evidence in commits.values()],
        {},
        EarlierStatements(context.recall, repository["window"].start),
        page_tokens=_PAGE_TOKENS,
        handles={handle: evidence.id for handle, evidence in commits.items()},
        default_sha=target.read.evidence.change.commit.sha,
        offered=_offered_names(repository["first_look"]),
        tags_until=repository["window"].end,
    )
    return [*toolset.as_tools(), _ENOUGH_TOOL]


def row_tools(
    rows: Sequence[CommitRow], state: EditInput, sources: RepositorySources, context: RunContext
) -> list[BaseTool]:
    """Return the tools that read the repository as it is after the commits of some rows."""
    landed = {row.commit.sha: row.commit for row in state["first_look"].landed}
    toolset = Toolset(
        sources.code,
        sources.threads,
        [landed[row.sha] for row in rows],
        {},
        EarlierStatements(context.recall, state["window"].start),
        page_tokens=_PAGE_TOKENS,
        handles={row.handle: row.commit for row in rows},
        offered=_offered_names(state["first_look"]),
        tags_until=state["window"].end,
    )
    return [*toolset.as_tools(), _ENOUGH_TOOL]


def _offered_names(collected: Collected) -> list[str]:
    """Return the names of the tools that have something to show."""
    has_threads = collected.threads.coverage != "not read"
    return [name for name in _OFFERED if has_threads or name not in _THREAD_TOOLS]


def _commits_by_handle(target: CommitTarget) -> dict[str, CommitEvidence]:
    return {"c": target.read.evidence, **target.context.earlier}


# ---------------------------------------------------------------- how a judge looks further


async def judge_look(
    state: AnalysisState,
    target: WritingTarget,
    claims: Sequence[Claim],
    needs: Mapping[str, str],
    context: RunContext,
) -> JudgeLook:
    """Have the judge of a commit look further before it rules on some sentences.

    `needs` is what it would have to see, by the ids of claims. If it cannot be asked, or a source
    is down, it rules on what it was shown.
    """
    if not isinstance(target, CommitTarget):
        return JudgeLook(target)  # What sums up commits is judged by what was published of them
    earlier = target.context.look_ups
    if any(look_up.by_judge for look_up in earlier):
        return JudgeLook(target)  # One conversation about a commit is enough
    question = _judge_question(target, claims, needs, context.mark)
    try:
        offered = await offered_tools(target, _repository(state), context)
    except UpstreamError as error:
        return JudgeLook(target, account=fallback("reading", error, target.about))
    look = await conversation(question, offered, _JUDGE_LIMIT, context)
    account = Account()
    if look.error is not None:
        account += fallback("reading", look.error, target.about)
    new: list[LookUp] = []
    for look_up in look_ups_of(look.messages, target):
        new.append(look_up.model_copy(update={"by_judge": True}))
    account += Account(judging=Judging(look_ups=len(new)))
    if not new:
        return JudgeLook(target, account=account)
    return await _with_look_ups(state, target, (*earlier, *new), account, context)


def _judge_question(
    target: CommitTarget,
    claims: Sequence[Claim],
    needs: Mapping[str, str],
    mark: str,
) -> LookQuestion:
    """Return the question about some sentences, with what the judge needs for each."""
    lines: list[str] = []
    for number, claim in enumerate(claims, start=1):
        lines.append(f"[s{number}] {' / '.join(claim.text.values())}")
        if claim.id in needs:
            lines.append(f"   needed: {needs[claim.id][:_MAX_NEED]}")
    with_room = target.with_room()
    return LookQuestion(
        job="judging",
        account=target.account,
        prompt="judge_look",
        about=target.task.key,
        show=lambda budget: with_room.evidence(claims, budget),
        values={"sentences": fenced("\n".join(lines), mark), "most": str(_JUDGE_LIMIT.look_ups)},
    )


async def _with_look_ups(
    state: AnalysisState,
    target: CommitTarget,
    look_ups: tuple[LookUp, ...],
    account: Account,
    context: RunContext,
) -> JudgeLook:
    """Return the target with what was looked up about it as evidence."""
    key = target.task.key
    looked_into = AnalysisInput(
        tasks=[target.task], repository=state["repository"], looked_up={key: look_ups}
    )
    targets = await commit_targets(looked_into, context)
    return JudgeLook(targets[key], look_ups, account)


# ---------------------------------------------------------------- what the tools showed


class ToolAnswer(NamedTuple):
    """What a tool showed, and the call that asked for it."""

    call: ToolCall
    text: str

    @property
    def call_text(self) -> str:
        """The tool and its arguments, in one line."""
        arguments = ", ".join(f"{name}={value}" for name, value in self.call["args"].items())
        return " ".join(f"{self.call['name']} {arguments}".split())[:_MAX_CALL_TEXT]


def tool_answers(messages: Sequence[AnyMessage]) -> Iterator[ToolAnswer]:
    """Yield what the tools showed in a conversation, without mistakes."""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if isinstance(message, AIMessage):
            calls |= {str(call["id"]): call for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and message.status != "error":
            text = str(message.text)
            call = calls[message.tool_call_id]
            if call["name"] != _ENOUGH and not text.startswith(_ERROR):
                yield ToolAnswer(call, text)


def look_ups_of(messages: Sequence[AnyMessage], target: CommitTarget) -> Iterator[LookUp]:
    """Yield what the tools showed in a conversation about a commit, each thing once."""
    look_ups: dict[LookUp, None] = {}
    for answer in tool_answers(messages):
        look_ups[_look_up(answer, target)] = None
    yield from look_ups


def _look_up(answer: ToolAnswer, target: CommitTarget) -> LookUp:
    call = answer.call
    call_text = answer.call_text
    text = answer.text
    repo = target.read.evidence.repo
    if call["name"] == "get_file":
        lines = _lines_id(call["args"], text, target)
        return LookUp(kind="file", call=call_text, text=text, lines=lines)
    if call["name"] == "find_usages":
        return LookUp(kind="uses", call=call_text, text=text)
    if call["name"] in _THREAD_TOOLS:
        thread = EvidenceId.thread(repo, int(call["args"]["number"]))
        return LookUp(kind="thread", call=call_text, text=text, thread=thread)
    return LookUp(kind="other", call=call_text, text=text)


def _lines_id(
    arguments: Mapping[str, object], text: str, target: CommitTarget
) -> EvidenceId | None:
    """Return the id of the lines that get_file has shown; None where it showed an empty file."""
    path = str(arguments.get("path", ""))
    shown = shown_lines(text, path)
    clean = clean_path(path)
    if shown is None or clean is None:
        return None
    repo = target.read.evidence.repo
    if is_full_hash(shown.sha):  # The commit of a tag
        return _valid_lines(repo, shown.sha, clean, shown.numbers)
    for evidence in _commits_by_handle(target).values():
        sha = evidence.change.commit.sha
        if sha.startswith(shown.sha):
            return _valid_lines(evidence.repo, sha, clean, shown.numbers)
    return None


def _valid_lines(repo: RepoId, sha: str, path: str, numbers: range) -> EvidenceId | None:
    """Return the id of lines of a file; None for a path that no id can hold."""
    try:
        return EvidenceId.lines(repo, sha, path, numbers.start, numbers.stop - 1)
    except ValueError:
        return None
