"""A chat model as LangChain knows it, whose every answer comes from one function: the record's, or an endpoint's."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from agent.models import ModelError
from tools.chat.messages import Question, Reply

M = TypeVar("M", bound=BaseModel)
Tool = dict[str, Any] | type | Callable[..., Any] | BaseTool


class RecordedChatModel(BaseChatModel):
    """A chat model of a run: equal questions have equal answers, ids included; failures are ModelError.

    Use `ainvoke`, `bind_tools` and `with_structured_output` as with any other chat model.
    """

    model_name: str
    fetch: Callable[[Question], Awaitable[Reply]] = Field(exclude=True, repr=False)
    """Answers a question from the record or live."""
    cache: bool = False
    """The record is the cache."""

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def bind_tools(
        self, tools: Sequence[Tool], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer tools; `tool_choice` is None, "any", or the name of the one tool that must be called."""
        offered = [convert_to_openai_tool(tool) for tool in tools]
        if tool_choice not in (None, "auto", "any", "required"):
            # Some servers ignore the name of a tool; none can miss the only one.
            offered = [tool for tool in offered if tool["function"]["name"] == tool_choice]
            if not offered:
                raise ValueError(f"there is no tool {tool_choice!r} to choose")
        forced = {} if tool_choice in (None, "auto") else {"tool_choice": "required"}
        return self.bind(tools=offered, **forced, **kwargs)

    def with_structured_output(  # type: ignore[override]
        self, schema: type[M], **kwargs: Any
    ) -> Runnable[LanguageModelInput, M]:
        """Give answers as validated objects of `schema`, in whatever way the server can be asked for them."""

        async def read(message: AIMessage) -> M:
            try:
                return schema.model_validate(json.loads(str(message.text)))
            except ValueError as error:
                raise ModelError(f"{self.model_name} gave an answer of another shape") from error

        return self.bind(response_format=schema, **kwargs) | RunnableLambda(read)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Answer from the record, or ask; options other than a `Question` has would not be recorded: a TypeError."""
        question = Question(messages=messages, stop=stop, **kwargs)
        reply = await self.fetch(question)
        return ChatResult(generations=[ChatGeneration(message=reply.message(f"{self.model_name} {question.hash}"))])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("use ainvoke: the record of a run belongs to its event loop")
