"""Questions to chat models and their answers, as they are recorded, and the model of LangChain that asks them."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
)
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from agent.domain.base import Frozen
from agent.domain.spending import Spent
from agent.prompting import ModelError, message_tokens, schema_of, tokens_of

_MOST_CALLS = 12
"""So many calls of one answer are made, in the daily run and for questions; a model may ask for the rest again."""


@dataclass(frozen=True)
class ToolRequest:
    """A tool that the analyst wants to be called, by name, with its arguments."""

    tool: str
    arguments: Mapping[str, Any]


class Handles(NamedTuple):
    """Short names that a question gives to things, and where its answer repeats them."""

    field: str  # The field of the answer, at any depth, that holds short names
    names: Mapping[str, str]  # A name for each that does not depend on the question


class Topic(NamedTuple):
    """What a question is about, in words that stay the same when its wording changes."""

    name: str  # The prompt and its subject, such as `write octo/router@1a2b...`
    handles: Handles | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """Everything that shapes an answer, beside the model's name."""

    messages: Sequence[BaseMessage]
    tools: Sequence[Mapping[str, Any]] = ()  # As OpenAI's protocol describes them
    tool_choice: str | None = None
    # The answer is one JSON object that validates as this model.
    response_format: type[BaseModel] | None = None
    stop: Sequence[str] | None = None
    # For whoever looks answers up by subject; the model is not told, and the hash leaves it out.
    topic: Topic | None = None

    @cached_property
    def hash(self) -> str:
        """The hash of what is asked, without the ids of messages, which differ from run to run."""
        messages = convert_to_openai_messages(list(self.messages))
        content = json.dumps([messages, self.stop, *self._options], sort_keys=True)
        return hashlib.sha256(content.encode("ascii")).hexdigest()

    def accepts(self, reply: "Reply") -> bool:
        """Return True if an answer has the shape that is asked for, or none is asked for."""
        if self.response_format is None:
            return True
        try:
            self.response_format.model_validate(json.loads(reply.text))
        except (ValueError, RecursionError):
            return False
        return True

    @cached_property
    def tokens(self) -> int:
        """An estimate of the tokens that are sent."""
        texts = [str(message.text) + _arguments(message) for message in self.messages]
        for option in self._options:
            if option:
                texts.append(json.dumps(option, ensure_ascii=False))
        return message_tokens(tuple(texts))

    @property
    def _options(self) -> tuple[Any, ...]:
        shape = self.response_format
        schema = [shape.__name__, schema_of(shape)] if shape else None
        return (list(self.tools), self.tool_choice, schema)


class Reply(Frozen):
    """What a model answered and what that took, as it is recorded."""

    text: str = ""
    calls: tuple[ToolRequest, ...] = ()
    spent: Spent

    def message(self, asked: str) -> AIMessage:
        """Give the message; its ids depend on the question alone, so that a run made again asks the same."""
        calls = [
            # Nine letters and digits: some servers take no other ids.
            {
                "name": call.tool,
                "args": dict(call.arguments),
                "id": _hash(f"{asked} {place}")[:9],
                "type": "tool_call",
            }
            for place, call in enumerate(self.calls)
        ]
        sent, received = self.spent.sent, self.spent.received
        usage = {"input_tokens": sent, "output_tokens": received, "total_tokens": sent + received}
        return AIMessage(
            content=self.text,
            id=f"answer-{_hash(asked)[:24]}",
            tool_calls=calls,
            usage_metadata=usage,
        )


def wrong_shape(model: str) -> ModelError:
    """Return the error that an answer does not match its schema."""
    return ModelError(f"{model} returned an answer that does not match the schema")


def with_words(messages: Sequence[BaseMessage], words: str) -> list[BaseMessage]:
    """Append words to what the user said last."""
    *before, last = messages
    if isinstance(last, HumanMessage) and isinstance(last.content, str):
        return [*before, HumanMessage(f"{last.content}\n\n{words}")]
    return [*messages, HumanMessage(words)]


def as_utf8(text: str) -> str:
    """Replace halves of surrogate pairs: a checkpoint would, and a run taken up again would ask something else."""
    return text.encode("utf-8", "replace").decode()


def calls_in(answer: AIMessageChunk) -> Iterator[ToolRequest]:
    """Read the calls strictly: the library would complete arguments that were cut off."""
    for call in answer.tool_call_chunks[:_MOST_CALLS]:
        try:
            arguments = json.loads(
                as_utf8(json.dumps(json.loads(call["args"] or "{}"), ensure_ascii=False))
            )
        except (ValueError, RecursionError):
            continue
        if isinstance(arguments, dict) and call["name"]:
            yield ToolRequest(call["name"], arguments)


def spent_on(answer: AIMessageChunk, coming: int) -> Spent:
    """Take the token counts of the server; where it sends none, estimate them."""
    usage = answer.usage_metadata
    if usage and usage["input_tokens"]:
        return Spent(calls=1, sent=usage["input_tokens"], received=usage["output_tokens"])
    return Spent(calls=1, sent=coming, received=tokens_of(str(answer.text) + _arguments(answer)))


def _arguments(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return (
        json.dumps([[call["name"], call["args"]] for call in calls], ensure_ascii=False)
        if calls
        else ""
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_LEFT_OUT = "(left out for lack of room; call the tool again if you need it)"


def trimmed(messages: Sequence[AnyMessage], room: int) -> list[AnyMessage]:
    """Leave out the oldest answers of tools where the conversation grows beyond the model's window, and say so."""
    kept = list(messages)
    sizes = [tokens_of(str(one.content)) for one in kept]
    for place, one in enumerate(kept):
        if sum(sizes) <= room:
            break
        if isinstance(one, ToolMessage):
            kept[place] = one.model_copy(update={"content": _LEFT_OUT})
            sizes[place] = tokens_of(_LEFT_OUT)
    return kept


M = TypeVar("M", bound=BaseModel)
Tool = dict[str, Any] | type | Callable[..., Any] | BaseTool


class RecordedChatModel(BaseChatModel):
    """A chat model of a run: equal questions have equal answers, ids included; failures are ModelError.

    Use `ainvoke`, `bind_tools` and `with_structured_output` as with any other chat model.
    """

    model_name: str
    fetch: Callable[[Question], Awaitable[Reply]] = Field(exclude=True, repr=False)
    """Answers a question from the record or live."""
    cache: bool = False  # The record is the cache

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
            except (ValueError, RecursionError) as error:
                raise wrong_shape(self.model_name) from error

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
        return ChatResult(
            generations=[
                ChatGeneration(message=reply.message(f"{self.model_name} {question.hash}"))
            ]
        )

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("use ainvoke: the record of a run belongs to its event loop")
