"""Requests to a scripted model, and its answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ModelRequest:
    """A request as it arrived."""

    number: int  # How many requests came before it
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[str]:
        """The conversation so far."""
        return [str(message.get("content") or "") for message in self.body.get("messages", [])]

    @property
    def user(self) -> str:
        """The last message."""
        return self.messages[-1] if self.messages else ""

    @property
    def has_tool_answers(self) -> bool:
        """True if the conversation has answers of tools."""
        return any(message.get("role") == "tool" for message in self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that may be called."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]

    @property
    def schema(self) -> str | None:
        """The name of the schema that the answer must follow, if the request has one."""
        response_format = self.body.get("response_format") or {}
        if response_format.get("type") != "json_schema":
            return None
        return str(response_format["json_schema"]["name"])


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool; the arguments are text, because that is what models write."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Saying:
    """The answer of a scripted model."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    refusal: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


Script = Callable[[ModelRequest], Saying]  # A scripted model
