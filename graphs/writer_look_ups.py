"""Look-ups of writers: before a commit is explained, its writer may look into the repository.

Each commit has a conversation of its own; what the tools showed is kept for writer, gate and judge.
"""

import asyncio
from functools import cache
from typing import NamedTuple

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.domain.account import Account, Phase, fallback
from agent.domain.errors import UpstreamError
from agent.domain.look_ups import LookUp
from agent.model_errors import ModelError
from agent.ports import Step
from agent.writing.targets import CommitTarget
from graphs.look_up_tools import look_ups_of, offered_tools
from graphs.material_rebuilding import repository_of
from graphs.run_context import RunContext
from graphs.sentence_steps import spent
from graphs.state import (
    AnalysisInput,
    LookAheadOutput,
    LookingState,
    LookInput,
    LookOutput,
    LookUpOutput,
)
from graphs.tool_conversation import (
    LookQuestion,
    call_tools,
    may_ask_again,
    next_message,
    wants_tools,
)
from graphs.writing_targets import commit_targets

_MAX_TURNS = 4  # How often a writer may ask for tools before it writes about a commit
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
        offered = await offered_tools(target, repository_of(state), context)
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
    repository = repository_of(state)
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
        offered = await offered_tools(target, repository_of(state), context)
        return _Step(await call_tools(offered, state["conversations"][target.task.key]))
    except UpstreamError as error:
        return _Step([AIMessage("")], fallback("reading", error, target.about))
