"""Models behind any OpenAI-compatible endpoint: the one place that knows langchain-openai."""

import asyncio
import copy
import json
import random
import time
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeVar, cast

import httpx2
import openai
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessageChunk, AnyMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr, ValidationError

from agent.analyst import ToolRequest, ToolSpec
from agent.capabilities import Capabilities, Way
from agent.model import Answered, Message, ModelError
from agent.rambling import rambles
from agent.spending import Spent
from agent.structure import asking_for_json, json_in, schema_of
from agent.tokens import message_tokens, room_in, tokens_of
from graphs.lanes import Lanes
from graphs.model_messages import as_chat, as_chunk, as_tool, calls_of, seconds_in, spent_on
from tools.trust import trust

M = TypeVar("M", bound=BaseModel)
_LONGEST_PAUSE = 20.0
_STORM = 40
"""After so many tool calls in one answer nobody listens any more."""
_SOME = 6
"""Tokens from which on it can be told how fast they come."""
_ANSWER = "answer"
"""The tool by which a model answers in a shape where a server knows no schema."""


Learn = Callable[["ChatModel"], Awaitable[Capabilities]]
"""Finds out what the server of a model can do: remembered, or by asking it."""


@cache
def _clients(url: str | None) -> dict[str, Any]:
    """Make what speaks to a server without TLS, once for a process; anything else is left to the library.

    It would do the same, but load everybody's certificates first, and twice.
    """
    if url is None or not url.lower().startswith("http:"):
        return {}
    return {
        "http_client": openai.DefaultHttpxClient(verify=trust(url)),
        "http_async_client": openai.DefaultAsyncHttpxClient(verify=trust(url)),
    }


class ChatModel:
    """A chat model that is asked with schemas and tools, over a stream that is ended as soon as it leads nowhere."""

    def __init__(
        self,
        *,
        name: str,
        url: str | None,
        key: SecretStr | None,
        timeout: float = 120.0,
        capabilities: Capabilities | None = None,
        learn: Learn | None = None,
        tries: int = 3,
        first_pause: float = 1.0,
        most_tokens: int = 2_000,
    ) -> None:
        """Ask the model `name` at `url`; a server on this machine usually wants any key at all.

        `timeout` is for one answer from its first to its last word. What can get better is tried `tries` times.
        `learn` finds out what the server can do, when it is asked for the first time.
        """
        self.name = name
        self.pace: float | None = None
        """Tokens a second of the last answer, once it had begun."""
        self.capabilities = capabilities or Capabilities()
        self._timeout = timeout
        self._tries = tries
        self._first_pause = first_pause
        self._most_tokens = most_tokens
        self._lanes = Lanes()
        self._streams = True
        self._learn = learn
        self._learning = asyncio.Lock()
        self._chat = ChatOpenAI(
            model=name,
            base_url=url,
            api_key=key or SecretStr("none"),
            temperature=0,
            timeout=timeout,
            stream_usage=True,
            # Repeating is our business: here what is sent is counted, and time is limited.
            max_retries=0,
            **_clients(url),
            **({"max_tokens": most_tokens} if url is None else {"extra_body": {"max_tokens": most_tokens}}),
        )
        self._extra = {} if url is None else {"max_tokens": most_tokens}

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Let the model choose tools to call."""
        return (await self.choose(messages, tools)).value

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Let the model answer with data of this shape."""
        return (await self.answer(messages, shape)).value

    async def room(self) -> int:
        """Give the characters that a question may have beside the answer."""
        return room_in((await self.learn()).context, self._most_tokens)

    async def choose(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Answered[tuple[ToolRequest, ...]]:
        """Let the model choose tools to call; arguments that are no JSON are as good as no call."""
        await self.learn()
        if not self.capabilities.tools:
            raise ModelError(f"{self.name} cannot call tools")
        try:
            answer, spent = await self._ask(messages, {"tools": [as_tool(tool) for tool in tools]})
        except _Unsupported as error:
            raise ModelError(f"{self.name} takes no tools: {error}") from error
        made, calls = len(answer.tool_call_chunks), list(calls_of(answer))
        if made and not calls:
            raise ModelError(f"{self.name} called a tool with arguments that cannot be read")
        if calls and not any(call.tool in {tool.name for tool in tools} for call in calls):
            raise ModelError(f"{self.name} called tools that there are not: {calls[0].tool[:40]!r}")
        return Answered(value=tuple(calls), spent=spent)

    async def answer(self, messages: Sequence[Message], shape: type[M]) -> Answered[M]:
        """Let the model answer with data of this shape, in the best way that its server is known to have."""
        await self.learn()
        refused = ModelError("it has none")
        for way in self.capabilities.ways:
            try:
                return await self.answer_by(way, messages, shape)
            except _Unsupported as error:
                refused = error
        raise ModelError(f"{self.name} refuses every way of asking: {refused}") from refused

    async def answer_by(self, way: Way, messages: Sequence[Message], shape: type[M]) -> Answered[M]:
        """Let the model answer in one way."""
        answer, spent = await self._ask(*self._asking(way, messages, shape))
        return Answered(value=self._read(answer, way, shape), spent=spent)

    async def learn(self) -> Capabilities:
        """Find out what the server can do, once."""
        async with self._learning:
            if self._learn is not None:
                # Whoever probes asks a twin: this one waits.
                twin = copy.copy(self)
                twin._learn, twin._learning = None, asyncio.Lock()
                self.capabilities = await self._learn(twin)
                self._learn = None
                if self.capabilities.pace is not None:
                    self._lanes.paced(self.capabilities.pace)
        return self.capabilities

    def _asking(
        self, way: Way, messages: Sequence[Message], shape: type[BaseModel]
    ) -> tuple[Sequence[Message], dict[str, Any]]:
        """Ask by schema, by a tool whose arguments are the answer, or in words."""
        if way == "schema":
            form = {"name": shape.__name__, "schema": schema_of(shape), "strict": True}
            # In the body, not as an argument: the library would parse on its own, and raise what nobody can name.
            body = self._extra | {"response_format": {"type": "json_schema", "json_schema": form}}
            return messages, {"extra_body": body}
        if way == "tool":
            tool = as_tool(ToolSpec(_ANSWER, "Give the answer.", schema_of(shape)))
            return messages, {"tools": [tool], "tool_choice": "required"}
        return [*messages[:-1], asking_for_json(messages[-1], shape)], {}

    def _read(self, answer: AIMessageChunk, way: Way, shape: type[M]) -> M:
        try:
            if way == "tool" and (calls := list(calls_of(answer))):
                return shape.model_validate(calls[0].arguments)
            return shape.model_validate(json_in(str(answer.text), shape))
        except (ValidationError, ValueError, RecursionError) as error:
            cut = answer.response_metadata.get("finish_reason") == "length"
            what = "was cut off" if cut else "is not in the shape that was asked for"
            raise ModelError(f"{self.name} gave an answer that {what}") from error

    async def _ask(self, messages: Sequence[Message], how: dict[str, Any]) -> tuple[AIMessageChunk, Spent]:
        """Ask until there is an answer, or until it is clear that there will be none."""
        texts = (*(message.text for message in messages), json.dumps(how))
        coming = message_tokens(texts)
        if coming + self._most_tokens > self.capabilities.context:
            raise ModelError(
                f"{self.name} has room for {self.capabilities.context} tokens; about {coming} would be sent"
            )
        for again in range(self._tries):
            try:
                async with self._lanes.enter(), self._told():
                    answer = await self._whole(as_chat(messages), how)
                return answer, spent_on(answer, coming)
            except ModelError as error:
                if not error.retryable or again + 1 == self._tries:
                    raise
                await asyncio.sleep(self._pause(again, error))
        raise AssertionError("the loop returns or raises")

    def _pause(self, again: int, error: ModelError) -> float:
        """Wait as long as the server asks for, or longer each time; never all at the same moment."""
        wished = error.retry_after or self._first_pause * 2**again
        jitter = random.uniform(0.8, 1.2)  # noqa: S311 -- nothing secret
        return min(wished, _LONGEST_PAUSE) * jitter

    async def _whole(self, messages: list[AnyMessage], how: dict[str, Any]) -> AIMessageChunk:
        """Take in a stream; end it where it repeats itself or grows without end."""
        whole = await self._streamed(messages, how) if self._streams else None
        if whole is None:
            whole = as_chunk(await self._chat.ainvoke(messages, **how))
            # It answers, only not piece by piece; nothing is lost but the chance to end an answer early.
            self._streams = False
        # Asked what to read next, silence is an answer: nothing.
        return self._complete(whole, silent="tools" in how and "tool_choice" not in how)

    async def _streamed(self, messages: list[AnyMessage], how: dict[str, Any]) -> AIMessageChunk | None:
        """Give what came, piece by piece; None where the server sent no pieces."""
        whole: AIMessageChunk | None = None
        text, began = "", time.monotonic()
        try:
            stream = cast("AsyncGenerator[AIMessageChunk]", self._chat.astream(messages, **how))
            async for chunk in stream:
                began = began if text else time.monotonic()
                whole = chunk if whole is None else whole + chunk
                if len(whole.tool_call_chunks) > _STORM:
                    await stream.aclose()
                    break
                text += str(chunk.text) + "".join(call["args"] or "" for call in chunk.tool_call_chunks)
                if rambles(text) or tokens_of(text) > 2 * self._most_tokens:
                    raise ModelError(f"{self.name} repeats itself without end")
        except ValueError:
            if whole is not None:
                raise
        self._timed(tokens_of(text), time.monotonic() - began)
        return whole

    def _timed(self, tokens: int, seconds: float) -> None:
        """Remember how fast it writes; a word or two say nothing."""
        if tokens >= _SOME and seconds > 0:
            self.pace = tokens / seconds
            self._lanes.paced(self.pace)

    def _complete(self, answer: AIMessageChunk, *, silent: bool) -> AIMessageChunk:
        if refusal := answer.additional_kwargs.get("refusal"):
            raise ModelError(f"{self.name} refuses: {str(refusal)[:120]!r}")
        if answer.response_metadata.get("finish_reason") == "content_filter":
            raise ModelError(f"{self.name} refuses: its provider filtered the answer")
        if "finish_reason" not in answer.response_metadata and not answer.tool_calls:
            raise ModelError(f"{self.name} broke off in the middle of an answer", retryable=True)
        if not silent and not answer.text and not answer.tool_calls and not answer.invalid_tool_calls:
            raise ModelError(f"{self.name} gave an empty answer, or refuses one", retryable=True)
        return answer

    @asynccontextmanager
    async def _told(self) -> AsyncIterator[None]:
        """Wait no longer than is allowed; whatever goes wrong at the other end is told in our own words, once."""
        try:
            with warnings.catch_warnings():
                # The library warns of what it then raises.
                warnings.simplefilter("ignore")
                async with asyncio.timeout(self._timeout):
                    yield
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelError(f"{self.name} did not answer in {self._timeout:g} s", retryable=True) from error
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            raise ModelError(f"{self.name} cannot be reached, or broke off", retryable=True) from error
        except openai.APIStatusError as error:
            raise self._status(error) from error
        except (
            openai.OpenAIError,
            OutputParserException,
            ValidationError,
            ValueError,
            TypeError,
            LookupError,
        ) as error:
            raise ModelError(f"{self.name} gave an answer that cannot be read: {type(error).__name__}") from error

    def _status(self, error: openai.APIStatusError) -> ModelError:
        """Tell what can get better from what cannot, and what the server merely does not know."""
        status = error.status_code
        if status in (401, 403):
            return ModelError(f"{self.name} refuses the key (HTTP {status})")
        if status in (400, 404, 415, 422, 501):
            return _Unsupported(f"{self.name} answered HTTP {status}")
        told = ModelError(f"{self.name} answered HTTP {status}", retryable=status in (408, 409, 429) or status >= 500)
        told.retry_after = seconds_in(error.response.headers.get("retry-after"))
        return told


class _Unsupported(ModelError):
    """The server does not take a question that is put like this; put otherwise it may."""
