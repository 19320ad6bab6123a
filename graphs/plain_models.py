"""The models of a run behind the protocols of `agent.model`, without LangChain's types."""

from collections.abc import Sequence
from typing import TypeVar

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from agent.analyst import ToolRequest, ToolSpec
from agent.model import Job, Message
from agent.spending import Spent
from agent.tokens import room_in
from graphs.models import Models
from tools.chat.model import RecordedChatModel

M = TypeVar("M", bound=BaseModel)
_KINDS = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


class PlainModel:
    """One chat model behind `agent.model.Model`."""

    def __init__(self, chat: RecordedChatModel) -> None:
        self.name = chat.model_name
        self._chat = chat

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Let the model choose tools to call."""
        offered = [{"name": tool.name, "description": tool.about, "parameters": dict(tool.schema)} for tool in tools]
        answer = await self._chat.bind_tools(offered).ainvoke(_chat(messages))
        return tuple(ToolRequest(call["name"], call["args"]) for call in answer.tool_calls)

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Let the model answer with data of this shape."""
        return await self._chat.with_structured_output(shape).ainvoke(_chat(messages))


class PlainModels:
    """All of them behind `agent.model.Models`."""

    def __init__(self, models: Models) -> None:
        self.name = models.name
        self._models = models

    def get(self, job: Job, account: str) -> PlainModel:
        """Give the model for a job."""
        return PlainModel(self._models.get(job, account))

    def take(self, account: str) -> Spent:
        """Tell what an account spent since this was asked last."""
        return self._models.take(account)

    async def room(self, job: Job) -> int:
        """Give the characters that a question may have."""
        return room_in(await self._models.context(job))


def _chat(messages: Sequence[Message]) -> list[AnyMessage]:
    return [_KINDS[message.role](content=message.text) for message in messages]
