"""What a language model must be able to do for us, whoever serves it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from agent.analyst import ToolRequest, ToolSpec
from agent.errors import UpstreamError
from agent.spending import Spent

M = TypeVar("M", bound=BaseModel)
Job = Literal["reading", "writing", "judging"]
"""What a model is asked for: what to read next, what to say, whether something said is true."""
JOBS: tuple[Job, ...] = ("reading", "writing", "judging")


DEFAULT_ROOM = 19_000
"""The characters that fit into the context of nearly every model, beside its answer."""
AMPLE_ROOM = 32_000
"""From here on a model is shown and offered everything; little room is the mark of a small one."""


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


@runtime_checkable
class Models(Protocol):
    """The models of a run: which one does a job, and on whose account."""

    name: str

    def get(self, job: Job, account: str) -> Model:
        """Give the model for a job; what it costs is put on the account, which is a repository's or a question's."""
        ...

    def take(self, account: str) -> Spent:
        """Tell what an account spent since this was asked last."""
        ...

    async def room(self, job: Job) -> int:
        """Give the characters that a question to the model for a job may have."""
        ...


class OneModel:
    """One model for every job, without accounts."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model

    def get(self, job: Job, account: str) -> Model:
        """Give the one model."""
        del job, account
        return self._model

    def take(self, account: str) -> Spent:
        """Tell that nothing is counted."""
        del account
        return Spent()

    async def room(self, job: Job) -> int:
        """Give what nearly every model has room for."""
        del job
        return DEFAULT_ROOM
