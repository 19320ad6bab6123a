"""The loop of a question: a model asks for tools, they are called, and it sees the answers until it has read enough."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from functools import cache
from types import FunctionType, MethodType
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolInvocationError
from pydantic import BaseModel

from agent.analyst import ToolAnswer, ToolRequest, ToolSpec
from tools.toolset import ToolError


def explain(error: ToolError | ToolInvocationError) -> str:
    """Say to the analyst what it did wrong; an outage of ours is not its mistake and ends the repository."""
    return f"Error: {error}"


Decide = Callable[[Sequence[ToolAnswer]], Awaitable[Sequence[ToolRequest]]]
"""Says what to call next, given what was answered so far."""


class HasTools(Protocol):
    """Something whose methods can be called as tools."""

    @property
    def tools(self) -> Sequence[Callable[..., Awaitable[str]]]:
        """Everything that can be called, by the names of the functions."""
        ...


async def look_around(decide: Decide, toolset: HasTools, turns: int) -> None:
    """Call tools until nobody asks for more, or the turns are used up."""
    loop = _build(decide, toolset, turns)
    # Each turn is two steps, and the last word of the analyst is one more.
    talk = loop.ainvoke({"messages": []}, {"recursion_limit": 2 * turns + 3})
    # In a context of its own it has no checkpoints: its messages hold texts, and what they show is recorded already.
    await asyncio.create_task(talk, context=Context())


def tool_specs(toolset: HasTools) -> list[ToolSpec]:
    """Describe the tools as a model sees them."""
    return [ToolSpec(tool.name, tool.description, tool.get_input_jsonschema()) for tool in _tools(toolset)]


def _tools(toolset: HasTools) -> list[StructuredTool]:
    return [
        StructuredTool.from_function(coroutine=tool, name=tool.__name__, args_schema=_arguments(tool.__func__))
        for tool in toolset.tools
        if isinstance(tool, MethodType) and isinstance(tool.__func__, FunctionType)
    ]


@cache
def _arguments(function: FunctionType) -> type[BaseModel]:
    """Describe what a tool takes, once for all repositories: it takes longer than most calls of the tool."""
    form = StructuredTool.from_function(coroutine=MethodType(function, object()), name=function.__name__).args_schema
    assert isinstance(form, type)
    assert issubclass(form, BaseModel)
    return form


def _build(asked: Decide, toolset: HasTools, turns: int) -> CompiledStateGraph[Any, Any, Any, Any]:

    async def decide(state: MessagesState) -> dict[str, Any]:
        """Ask what to read next."""
        turn = sum(isinstance(message, AIMessage) for message in state["messages"])
        requests = await asked(_answers(state["messages"])) if turn < turns else ()
        calls = [
            {"name": request.tool, "args": dict(request.arguments), "id": f"{turn}.{number}", "type": "tool_call"}
            for number, request in enumerate(requests)
        ]
        return {"messages": [AIMessage(content="", tool_calls=calls)]}

    graph = StateGraph(MessagesState)
    graph.add_node("decide", decide)
    graph.add_node("tools", ToolNode(_tools(toolset), handle_tool_errors=explain))
    graph.add_edge(START, "decide")
    graph.add_conditional_edges("decide", _wants_more, {True: "tools", False: END})
    graph.add_edge("tools", "decide")
    return graph.compile(name="investigation")


def _wants_more(state: MessagesState) -> bool:
    last = state["messages"][-1]
    return isinstance(last, AIMessage) and bool(last.tool_calls)


def _answers(messages: Sequence[AnyMessage]) -> list[ToolAnswer]:
    """Pair every call with its answer, in the order of the calls."""
    said = {message.tool_call_id: str(message.content) for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return [
        ToolAnswer(ToolRequest(call["name"], json.loads(json.dumps(call["args"]))), said[call["id"] or ""])
        for call in calls
        if call["id"] in said
    ]
