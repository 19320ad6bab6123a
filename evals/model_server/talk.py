"""What passes between a client and a scripted model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ModelRequest:
    """One question as it came."""

    number: int  # How many questions came before it
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[str]:
        """What was said so far."""
        return [str(message.get("content") or "") for message in self.body.get("messages", [])]

    @property
    def user(self) -> str:
        """The last thing said."""
        return self.messages[-1] if self.messages else ""

    @property
    def has_tool_answers(self) -> bool:
        """Whether tools were called before."""
        return any(message.get("role") == "tool" for message in self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that may be called."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]

    @property
    def schema(self) -> str | None:
        """The name of the shape that is asked for, by schema or by the one tool that carries it."""
        form = self.body.get("response_format") or {}
        return str(form["json_schema"]["name"]) if form.get("type") == "json_schema" else None


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model calls; the arguments are text, because that is what models write."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Saying:
    """What a scripted model answers."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    refusal: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


Script = Callable[[ModelRequest], Saying]  # A model: what it says to a question
