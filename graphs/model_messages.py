"""What passes between us and a model's server, in the words of both."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage

from agent.analyst import ToolRequest, ToolSpec
from agent.model import Message
from agent.spending import Spent
from agent.tokens import tokens_of

_KINDS = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


def seconds_in(text: str | None) -> float | None:
    """Read a number of seconds from a header; None where it is none."""
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def as_chunk(answer: AIMessage) -> AIMessageChunk:
    """Take an answer that came whole for one that came in one piece."""
    return AIMessageChunk(
        content=answer.content,
        additional_kwargs=answer.additional_kwargs,
        response_metadata=answer.response_metadata,
        tool_calls=answer.tool_calls,
        invalid_tool_calls=answer.invalid_tool_calls,
        usage_metadata=answer.usage_metadata,
    )


def calls_of(answer: AIMessageChunk) -> Iterator[ToolRequest]:
    """Read the calls strictly: the library would make something whole of arguments that were cut off."""
    for call in answer.tool_call_chunks:
        try:
            arguments = json.loads(call["args"] or "{}")
        except (ValueError, RecursionError):
            continue
        if isinstance(arguments, dict) and call["name"]:
            yield ToolRequest(call["name"], arguments)


def spent_on(answer: AIMessageChunk, coming: int) -> Spent:
    """Take the bill of the server; where it sends none, count characters."""
    usage = answer.usage_metadata
    if usage and usage["input_tokens"]:
        return Spent(calls=1, sent=usage["input_tokens"], received=usage["output_tokens"])
    written = str(answer.text) + json.dumps([call["args"] for call in answer.tool_calls])
    return Spent(calls=1, sent=coming, received=tokens_of(written))


def as_chat(messages: Sequence[Message]) -> list[AnyMessage]:
    """Give a conversation as the library has it."""
    return [_KINDS[message.role](content=message.text) for message in messages]


def as_tool(tool: ToolSpec) -> dict[str, Any]:
    """Describe a tool as the protocol has it, without what says the same again: it is sent with every question."""
    fields = {name: _bare(field) for name, field in tool.schema.get("properties", {}).items()}
    schema = _bare(tool.schema) | {"properties": fields}
    return {"type": "function", "function": {"name": tool.name, "description": tool.about, "parameters": schema}}


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out titles and defaults, and of the whole what the tool is described by already."""
    surplus = ("title", "default", *(["description"] if "properties" in schema else []))
    return {name: value for name, value in schema.items() if name not in surplus}
