"""Requests to chat models and their replies, in the form in which they are recorded."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.utils import convert_to_openai_messages
from pydantic import BaseModel

from agent.domain.account import Spent
from agent.domain.base import Frozen
from agent.json_answers import schema_of
from agent.model_capabilities import Way
from agent.token_estimates import message_tokens, tokens_of

_MAX_CALLS = 12
"""Tool calls of one answer that are made; the model may ask for the others again."""
_BEGINNING = 400  # Characters by which it is known that two questions begin alike
_CALL_ID_LENGTH = 9  # Some servers accept only ids of nine letters and digits
_TRIMMED = "(left out for lack of room; call the tool again if you need it)"


@dataclass(frozen=True)
class ToolRequest:
    """A tool that a model wants to be called, by name, with its arguments."""

    tool: str
    arguments: Mapping[str, Any]


class Handles(NamedTuple):
    """Short names that a prompt gives to things, and where its answer repeats them."""

    field: str | tuple[str, ...]  # The fields of the answer, at any depth, that hold short names
    names: Mapping[str, str]  # A name for each that does not depend on the prompt

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that hold short names."""
        return (self.field,) if isinstance(self.field, str) else self.field


class Topic(NamedTuple):
    """The topic of a request, in words that stay the same when its wording changes."""

    name: str  # The prompt and its subject, such as `write octo/router@1a2b...`
    handles: Handles | None = None
    answers_before: int | None = None
    """How many answers the request has waited for, where others are put at the same time."""

    @property
    def prompt(self) -> str:
        """The file in agent/prompts that the request is made of."""
        return self.name.partition(" ")[0]


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """Everything that shapes an answer, beside the model's name."""

    messages: Sequence[BaseMessage]
    tools: Sequence[Mapping[str, Any]] = ()  # In the format of OpenAI's API
    tool_choice: str | None = None
    # The answer must be a JSON object that validates as this class.
    response_format: type[BaseModel] | None = None
    stop: Sequence[str] | None = None
    # To look answers up by subject. It is not sent to the model, and the hash leaves it out.
    topic: Topic | None = None

    @cached_property
    def hash(self) -> str:
        """The hash of the request, without message ids, which differ from run to run."""
        messages = convert_to_openai_messages(list(self.messages))
        content = json.dumps([messages, self.stop, *self._options], sort_keys=True)
        return hashlib.sha256(content.encode("ascii")).hexdigest()

    @cached_property
    def tokens(self) -> int:
        """An estimate of the tokens that are sent."""
        texts = []
        for message in self.messages:
            texts.append(str(message.text) + _arguments_text(message))
        for option in self._options:
            if option:
                texts.append(json.dumps(option, ensure_ascii=False))
        return message_tokens(tuple(texts))

    @cached_property
    def beginning(self) -> str:
        """The beginning of the first question: requests that share it share what follows, too."""
        for message in self.messages:
            if isinstance(message, HumanMessage):
                return str(message.text)[:_BEGINNING]
        return ""

    def accepts(self, reply: "ChatReply") -> bool:
        """Return True if a reply matches the schema that is asked for, or none is asked for."""
        if self.response_format is None:
            return True
        try:
            self.response_format.model_validate(json.loads(reply.text))
        except (ValueError, RecursionError):
            return False
        return True

    @property
    def _options(self) -> tuple[Any, ...]:
        shape = self.response_format
        schema = [shape.__name__, schema_of(shape)] if shape else None
        return (list(self.tools), self.tool_choice, schema)


class ChatReply(Frozen):
    """The recorded answer of a model, with its cost."""

    text: str = ""
    calls: tuple[ToolRequest, ...] = ()
    spent: Spent

    def message(self, request_id: str) -> AIMessage:
        """Return the reply as a message of LangChain's.

        Its ids depend on the request alone, so that a run made again sends the same messages.
        """
        return AIMessage(
            content=self.text,
            id=answer_id(request_id),
            tool_calls=self._tool_calls(request_id),
            usage_metadata=self._usage(),
        )

    def closing_chunk(self, request_id: str, streamed: str) -> AIMessageChunk:
        """Return what is left of the message when some of its text was streamed already."""
        chunks = []
        for index, call in enumerate(self._tool_calls(request_id)):
            arguments = json.dumps(call["args"], ensure_ascii=False)
            chunks.append(
                {"name": call["name"], "args": arguments, "id": call["id"], "index": index}
            )
        return AIMessageChunk(
            content=self.text.removeprefix(streamed),
            id=answer_id(request_id),
            tool_call_chunks=chunks,
            usage_metadata=self._usage(),
            chunk_position="last",
        )

    def _tool_calls(self, request_id: str) -> list[ToolCall]:
        calls = []
        for index, call in enumerate(self.calls):
            call_id = _hash(f"{request_id} {index}")[:_CALL_ID_LENGTH]
            arguments = dict(call.arguments)
            calls.append(ToolCall(name=call.tool, args=arguments, id=call_id, type="tool_call"))
        return calls

    def _usage(self) -> UsageMetadata:
        sent = self.spent.sent
        received = self.spent.received
        return UsageMetadata(
            input_tokens=sent, output_tokens=received, total_tokens=sent + received
        )


class AskServer(Protocol):
    """Asks a server in one way, with retries; `RecordedChatModel.ask_in_way` is one."""

    async def __call__(self, request: ChatRequest, way: Way) -> ChatReply:
        """Return the reply, or raise ModelError."""


OnPiece = Callable[[str], Awaitable[None]]
"""Called with each piece of an answer as it is streamed."""


def answer_id(request_id: str) -> str:
    """Return the id of the message that answers a request."""
    return f"answer-{_hash(request_id)[:24]}"


def with_words(messages: Sequence[BaseMessage], words: str) -> list[BaseMessage]:
    """Append words to the last message of the user; some servers refuse two of them in a row."""
    *before, last = messages
    if isinstance(last, HumanMessage) and isinstance(last.content, str):
        return [*before, HumanMessage(f"{last.content}\n\n{words}")]
    return [*messages, HumanMessage(words)]


def as_utf8(text: str) -> str:
    """Replace halves of surrogate pairs.

    A checkpoint would replace them too, and a resumed run would then send another request.
    """
    return text.encode("utf-8", "replace").decode()


def calls_in(answer: AIMessageChunk) -> Iterator[ToolRequest]:
    """Yield the tool calls whose arguments are whole: LangChain would complete those cut off."""
    for call in answer.tool_call_chunks[:_MAX_CALLS]:
        try:
            arguments = json.loads(call["args"] or "{}")
            arguments = json.loads(as_utf8(json.dumps(arguments, ensure_ascii=False)))
        except (ValueError, RecursionError):
            continue
        if isinstance(arguments, dict) and call["name"]:
            yield ToolRequest(call["name"], arguments)


def spent_on(answer: AIMessageChunk, sent: int) -> Spent:
    """Return the token counts of the server; estimate them if it reports none."""
    usage = answer.usage_metadata
    if usage and usage["input_tokens"]:
        return Spent(calls=1, sent=usage["input_tokens"], received=usage["output_tokens"])
    received = tokens_of(str(answer.text) + _arguments_text(answer))
    return Spent(calls=1, sent=sent, received=received)


def trimmed(messages: Sequence[AnyMessage], max_tokens: int) -> list[AnyMessage]:
    """Replace the oldest tool results by a note until the conversation has at most `max_tokens`."""
    kept = list(messages)
    sizes = [tokens_of(str(message.content)) for message in kept]
    for index, message in enumerate(kept):
        if sum(sizes) <= max_tokens:
            break
        if isinstance(message, ToolMessage):
            kept[index] = message.model_copy(update={"content": _TRIMMED})
            sizes[index] = tokens_of(_TRIMMED)
    return kept


def _arguments_text(message: BaseMessage) -> str:
    if not isinstance(message, AIMessage) or not message.tool_calls:
        return ""
    calls = [[call["name"], call["args"]] for call in message.tool_calls]
    return json.dumps(calls, ensure_ascii=False)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
