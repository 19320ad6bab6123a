"""What a language model must be able to do for us, whoever serves it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from agent.analyst import ToolRequest, ToolSpec
from agent.errors import UpstreamError

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Message:
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    text: str


class ModelError(UpstreamError):
    """The model gave nothing that can be used; whoever asked goes on without it."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message, retryable=retryable)


class Model(Protocol):
    """Answers in tool calls or in data of a given shape; anything else is a ModelError."""

    name: str

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Let the model choose tools to call; none means that it has enough."""
        ...

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Let the model answer with data of this shape."""
        ...
