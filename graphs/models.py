"""Models behind any OpenAI-compatible endpoint: the one place that knows langchain-openai."""

from collections.abc import Sequence
from typing import Any, TypeVar

import openai
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr, ValidationError

from agent.analyst import ToolRequest, ToolSpec
from agent.model import Message, ModelError

M = TypeVar("M", bound=BaseModel)
_KINDS = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


class ChatModel:
    """A chat model that is asked with schemas and tools."""

    def __init__(self, *, name: str, url: str | None, key: SecretStr | None, timeout: float = 120.0) -> None:
        """Ask the model `name` at `url`; a server on this machine usually wants any key at all."""
        self.name = name
        self._chat = ChatOpenAI(
            model=name,
            base_url=url,
            api_key=key or SecretStr("none"),
            temperature=0,
            timeout=timeout,
            max_retries=2,
        )

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Let the model choose tools to call."""
        bound = self._chat.bind_tools([_as_tool(tool) for tool in tools])
        answer = await self._told(bound.ainvoke(_as_chat(messages)))
        calls = answer.tool_calls if isinstance(answer, AIMessage) else []
        return [ToolRequest(call["name"], call["args"]) for call in calls]

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Let the model answer with data of this shape."""
        asked = self._chat.with_structured_output(shape, method="json_schema")
        answer = await self._told(asked.ainvoke(_as_chat(messages)))
        if not isinstance(answer, shape):
            raise ModelError(f"{self.name} gave no answer in the shape that was asked for")
        return answer

    async def _told(self, call: Any) -> Any:
        """Wait for an answer; whatever goes wrong at the other end is told in our own words, once."""
        try:
            return await call
        except openai.APITimeoutError as error:
            raise ModelError(f"{self.name} did not answer in time", retryable=True) from error
        except openai.APIConnectionError as error:
            raise ModelError(f"{self.name} cannot be reached", retryable=True) from error
        except openai.APIStatusError as error:
            raise ModelError(f"{self.name} answered HTTP {error.status_code}", retryable=True) from error
        except (openai.OpenAIError, OutputParserException, ValidationError, ValueError, TypeError) as error:
            raise ModelError(f"{self.name} gave an answer that cannot be read: {type(error).__name__}") from error


def _as_chat(messages: Sequence[Message]) -> list[AnyMessage]:
    return [_KINDS[message.role](content=message.text) for message in messages]


def _as_tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.about, "parameters": tool.schema}
    return {"type": "function", "function": function}
