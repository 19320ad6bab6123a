"""A model whose every answer is on the run's tape before it is used, and that is never asked the same thing twice."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from agent.analyst import ToolRequest, ToolSpec
from agent.model import Message, Model
from memory.shapes import Plain
from memory.tape import Call, Tape

M = TypeVar("M", bound=BaseModel)

_REQUESTS: Plain[tuple[ToolRequest, ...]] = Plain("requests", TypeAdapter(tuple[ToolRequest, ...]))


class TapedModel:
    """A `Model` that answers from the tape, and asks the real one for what nobody asked it before.

    The question is everything that the model is shown and its name: equal questions are answered alike in every run.
    """

    def __init__(self, tape: Tape, model: Model, origin: str) -> None:
        self.name = model.name
        self._tape = tape
        self._model = model
        self._origin = origin

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Let the model choose tools to call."""

        async def live() -> tuple[ToolRequest, ...]:
            return tuple(await self._model.call_tools(messages, tools))

        shown = [_plain(messages), [[tool.name, tool.about, tool.schema] for tool in tools]]
        return await self._tape.fetch(self._call("call_tools", shown, _REQUESTS), _REQUESTS, live)

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Let the model answer with data of this shape."""

        async def live() -> M:
            return await self._model.fill(messages, shape)

        answer: Plain[M] = Plain(f"answer {shape.__name__}", TypeAdapter(shape))
        call = self._call("fill", [_plain(messages), shape.__name__, answer.form], answer)
        return await self._tape.fetch(call, answer, live)

    def _call(self, method: str, shown: Any, answer: Plain[Any]) -> Call:
        """Name the question by the hash of what is shown: prompts are long, and hold texts of others."""
        asked = hashlib.sha256(json.dumps(shown, sort_keys=True).encode("ascii")).hexdigest()
        return Call(f"model.{method}", self.name, asked, self._origin, answer.form)


def _plain(messages: Sequence[Message]) -> list[list[str]]:
    return [[message.role, message.text] for message in messages]
