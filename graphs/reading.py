"""How a model looks further: it calls tools until it has read enough, or has had its turns."""

from collections.abc import Sequence
from math import inf

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolInvocationError
from langgraph.runtime import Runtime

from agent.analysts.tasks import commit_handles
from agent.domain.spending import Account, fallback
from agent.ports import Step
from agent.prompting import ModelError, fenced, prompt
from agent.reports.titles import shown_title
from graphs.choosing import commit_rows
from graphs.material import THREAD_TOOLS
from graphs.run_context import RunContext
from graphs.state import ReadInput, ReadOutput, ToolsOutput
from memory.statements import EarlierStatements
from tools.chat.messages import Handles, Topic, trimmed
from tools.toolset import ToolError, Toolset

MAX_TURNS = 4  # How often a model may ask for tools
_PAGE_TOKENS = 3_000  # Of one answer of a tool: what a model writes about is shown whole later


async def read(state: ReadInput, runtime: Runtime[RunContext]) -> ReadOutput:
    """Ask the model what it wants to look up; the conversation so far stands before the question."""
    context = runtime.context
    repo = state["spec"].name
    messages = state["messages"]
    if context.models is None or not state["chosen"]:
        return {"messages": [], "account": Account()}
    try:
        context_tokens = await context.models.context("reading")
        if not await context.can_call_tools():
            return {"messages": [], "account": Account()}
        opening = [] if messages else await _opening(state, context)
        offered = await _offered(state, context)
        model = context.models.get("reading", repo).bind_tools(offered, topic=_topic(state))
        answer = await model.ainvoke(trimmed([*opening, *messages], context_tokens * 2 // 3))
    except ModelError as error:
        spent = Account(spent=context.models.take(repo))
        # Without an answer there is nothing more to call.
        return {"messages": [AIMessage("")], "account": fallback("reading", error) + spent}
    spent = Account(spent=context.models.take(repo))
    return {"messages": [*opening, answer], "account": spent}


async def tools(state: ReadInput, runtime: Runtime[RunContext]) -> ToolsOutput:
    """Call what the model asked for."""
    runtime.stream_writer(Step(state["spec"].name, "looking further"))
    offered = await _offered(state, runtime.context)
    return {"messages": await called(offered, state["messages"])}


async def called(offered: Sequence[BaseTool], messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Call the tools that the last message asks for, and return their answers."""
    node = ToolNode(offered, handle_tool_errors=explain_mistake)
    update = await node.ainvoke({"messages": messages})
    answers: list[AnyMessage] = update["messages"]
    return answers


def explain_mistake(error: ToolError | ToolInvocationError) -> str:
    """Return what the model did wrong; an outage is not its mistake and ends the repository."""
    return f"Error: {error}"


def wants_tools(messages: Sequence[AnyMessage], turns: float = inf) -> bool:
    """Return True if the model asked for tools and may still do so."""
    if not messages:
        return False
    last = messages[-1]
    answers = sum(isinstance(message, AIMessage) for message in messages)
    return isinstance(last, AIMessage) and bool(last.tool_calls) and answers <= turns


async def _opening(state: ReadInput, context: RunContext) -> list[AnyMessage]:
    """Return the messages that begin the reading: the rules, and the commits that were chosen."""
    lines = {row.sha: row.line for row in await commit_rows(state, context)}
    table = "\n".join(lines[sha] for sha in state["chosen"] if sha in lines)
    system = prompt("system", {"repo": state["spec"].name, "mark": context.mark})
    question = prompt("read", {"table": fenced(table, context.mark)})
    return [SystemMessage(system), HumanMessage(question)]


def _topic(state: ReadInput) -> Topic:
    """Name the turn of a conversation with tools, in which commits go by their handles."""
    answers = [message for message in state["messages"] if isinstance(message, AIMessage)]
    handles = Handles("sha", commit_handles([triaged.sha for triaged in state["first_look"].table]))
    return Topic(f"read {state['spec'].name}, turn {len(answers) + 1}", handles)


async def _offered(state: ReadInput, context: RunContext) -> list[BaseTool]:
    """Return the tools of this repository and window, without those that read what is not there."""
    first_look = state["first_look"]
    desk = await context.desks.open(state["spec"])
    handles = commit_handles([triaged.sha for triaged in first_look.table])
    commits = {row.commit.sha: row.commit for row in first_look.landed}
    notes: dict[str, str] = {}
    for triaged in first_look.table:
        title = shown_title(commits[triaged.sha].title)
        notes[triaged.sha] = f"{triaged.tier.value} {triaged.score:.1f} {title}"
    toolset = Toolset(
        desk.code,
        desk.threads,
        [commits[sha] for sha in handles.values()],
        notes,
        EarlierStatements(context.recall, state["window"].start),
        page_tokens=_PAGE_TOKENS,
        handles=handles,
    )
    offered = toolset.as_tools()
    if first_look.threads.coverage == "not read":
        offered = [tool for tool in offered if tool.name not in THREAD_TOOLS]
    return offered
