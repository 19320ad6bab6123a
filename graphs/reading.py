"""The agent reads: it chooses from a closed list, then looks further with tools until it has read enough."""

from collections.abc import Sequence
from math import inf
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolInvocationError
from langgraph.runtime import Runtime

from agent.analysts.tasks import Choice, first_fact, fitting, handles_of
from agent.domain.accounts import Account, fallback
from agent.domain.commits import Coverage
from agent.models import ModelError, fenced, prompt
from agent.ports import Step
from graphs.run_context import THREAD_TOOLS, ReadState, RunContext
from tools.chat.messages import trimmed
from tools.toolset import ToolError, Toolset

_QUIET = 6
"""So many commits can be explained one by one, also where the budget would read few of them in depth."""
_PAGE = 3_000
"""Tokens of one answer of a tool: what a model writes about is shown whole later."""


def explain(error: ToolError | ToolInvocationError) -> str:
    """Say to the model what it did wrong; an outage of ours is not its mistake and ends the repository."""
    return f"Error: {error}"


async def choose(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Let the model choose what to explain from a closed list of handles; without a model nothing is chosen."""
    deps, found, repo = runtime.context, state["found"], state["spec"].name
    if deps.models is None or not found.table:
        return {"chosen": ()}
    runtime.stream_writer(Step(repo, "choosing"))
    most = max(len(state["allotment"].deep), min(_QUIET, len(found.table)))
    try:
        # Whoever is away is asked again when it writes; what the budget allows is read all the same.
        rows = await _rows(state, deps)
        handles = handles_of([one.sha for one in found.table])
        table = fitting(rows.values(), await deps.packet_room())
        values = {"table": fenced("\n".join(table), deps.mark), "most": str(most)}
        choice = await deps.ask("reading", repo, "choose", values, Choice)
        shown = dict(list(handles.items())[: len(table)])
        named = [shown[name] for one in choice.read if (name := one.strip("[]` ")) in shown]
        chosen = tuple(dict.fromkeys(named))[:most]
        account = Account() if chosen else fallback("choosing", ModelError("it chose nothing that can be read"))
    except ModelError as error:
        chosen, account = (), fallback("choosing", error)
    account += Account(spent=deps.asked.take(repo))
    return {"chosen": chosen or state["allotment"].deep, "account": account}


async def read(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask the model what it wants to look up; its own messages and the tools' answers stand before the question."""
    deps, repo = runtime.context, state["spec"].name
    messages = state.get("messages") or []
    if deps.models is None or not state["chosen"]:
        return {}
    try:
        context = await deps.models.context("reading")
        if not await deps.can_call_tools():
            return {}
        opening = [] if messages else await _opening(state, deps)
        tools = _usable((await _toolset(state, deps)).as_tools(), state)
        model = deps.models.get("reading", repo).bind_tools(tools)
        answer = await model.ainvoke(trimmed([*opening, *messages], context * 2 // 3))
        return {"messages": [*opening, answer], "account": Account(spent=deps.models.take(repo))}
    except ModelError as error:
        spent = Account(spent=deps.models.take(repo))
        # Without an answer there is nothing more to call.
        return {"messages": [AIMessage("")], "account": fallback("reading", error) + spent}


def _usable(offered: list[BaseTool], state: ReadState) -> list[BaseTool]:
    """Offer tools that read threads only where threads can be read."""
    if state["found"].threads.coverage is not Coverage.NOT_READ:
        return offered
    return [tool for tool in offered if tool.name not in THREAD_TOOLS]


async def tools(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Call what the model asked for."""
    runtime.stream_writer(Step(state["spec"].name, "looking further"))
    return await called((await _toolset(state, runtime.context)).as_tools(), state["messages"])


async def called(offered: Sequence[BaseTool], messages: Sequence[AnyMessage]) -> dict[str, Any]:
    """Call the tools that the last message asks for."""
    answers: dict[str, Any] = await ToolNode(offered, handle_tool_errors=explain).ainvoke({"messages": messages})
    return answers


def wants_tools(messages: Sequence[AnyMessage], turns: float = inf) -> bool:
    """Tell whether the model asked for tools and may still do so."""
    last = messages[-1] if messages else None
    asked = sum(isinstance(one, AIMessage) for one in messages)
    return isinstance(last, AIMessage) and bool(last.tool_calls) and asked <= turns


# ---------------------------------------------------------------- what it is shown


async def _rows(state: ReadState, deps: RunContext) -> dict[str, str]:
    """Write a line for each commit: handle, weight, title, and the first thing that code found."""
    found, code = state["found"], (await deps.desks.open(state["spec"])).code
    titles = {row.commit.sha: row.commit.title for row in found.landed}
    known = {one.change.commit.sha: one async for one in deps.library.skim(code, [one.sha for one in found.table])}
    weights = {one.sha: f"{one.tier.value} {one.score:.1f}" for one in found.table}
    return {
        sha: f"[{handle}] {weights[sha]} {titles[sha]}{first_fact(known.get(sha))}"
        for handle, sha in handles_of([one.sha for one in found.table]).items()
    }


async def _opening(state: ReadState, deps: RunContext) -> list[AnyMessage]:
    rows = await _rows(state, deps)
    table = "\n".join(rows[sha] for sha in state["chosen"] if sha in rows)
    system = prompt("system", {"repo": state["spec"].name, "mark": deps.mark})
    return [SystemMessage(system), HumanMessage(prompt("read", {"table": fenced(table, deps.mark)}))]


async def _toolset(state: ReadState, deps: RunContext) -> Toolset:
    """Make the tools of this repository and window."""
    found, desk = state["found"], await deps.desks.open(state["spec"])
    handles = handles_of([one.sha for one in found.table])
    commits = {row.commit.sha: row.commit for row in found.landed}
    notes = {one.sha: f"{one.tier.value} {one.score:.1f} {commits[one.sha].title}" for one in found.table}
    ordered = [commits[sha] for sha in handles.values()]
    return Toolset(desk.code, desk.threads, ordered, notes, deps.recall, page_tokens=_PAGE, handles=handles)
