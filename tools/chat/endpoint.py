"""A model at an address, asked live: what its server can do, ways of asking, and retries."""

import asyncio
import json
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal

from langchain_core.messages import AIMessageChunk, HumanMessage, SystemMessage
from pydantic import BaseModel, SecretStr, ValidationError

from agent.domain.spending import Stopwatch
from agent.prompting import (
    DEFAULT_CONTEXT,
    WAYS,
    Capabilities,
    ContextExceeded,
    ModelError,
    Way,
    answer_tokens,
    json_in,
    json_request,
    schema_of,
)
from tools.chat.client import AnswerTimeout, ChatClient, Unsupported
from tools.chat.concurrency import Concurrency
from tools.chat.messages import Question, Reply, as_utf8, calls_in, spent_on, with_words

_LONGEST_PAUSE = 20.0  # Seconds between two attempts
_ANSWER_TOOL = "answer"  # By which a model answers in a shape where a server knows no schema
_SLOW_PACE = 15.0
"""Tokens a second that a service writes at least; what is slower may be a small machine."""
_FAST_READING = 200.0  # Tokens a second from which on no question takes long to read

Learn = Callable[["ChatEndpoint"], Awaitable[Capabilities]]
"""Finds out what the server of a model can do: remembered, or by asking it."""


class ChatEndpoint:
    """Answers questions, or raises ModelError."""

    def __init__(
        self,
        *,
        name: str,
        url: str | None,
        key: SecretStr | None,
        timeout: float = 300.0,
        capabilities: Capabilities | None = None,
        learn: Learn | None = None,
        tries: int = 3,
        first_pause: float = 1.0,
        admit: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Ask the model `name` at `url`; a server on this machine usually wants any key at all.

        What can get better is tried `tries` times. `learn` finds out what the server can do,
        before the first question; `admit` waits for a limit that is shared with other machines.
        """
        self.name = name
        self.client = ChatClient(name=name, url=url, key=key, timeout=timeout)
        self._capabilities = capabilities or Capabilities()
        self._tries = tries
        self._first_pause = first_pause
        self._concurrency = Concurrency(patience=timeout)
        self._learn = learn
        self._admit = admit
        self._learning = asyncio.Lock()

    @property
    def at_once(self) -> int | None:
        """How many questions the server answers at once; None while that is not known."""
        return self._concurrency.at_once

    async def learn(self) -> Capabilities:
        """Find out what the server can do, once."""
        async with self._learning:
            if self._learn is not None:
                self._capabilities = await self._learn(self)
                self._learn = None
        return self._capabilities

    async def ask(self, question: Question, watch: Stopwatch | None = None) -> Reply:
        """Ask in the best way that the server is known to have; where it refuses that, in the next.

        The watch measures the time in which the server works on the question.
        """
        capabilities = await self.learn()
        if question.tools and not capabilities.tools:
            raise ModelError(f"{self.name} cannot call tools")
        ways = capabilities.ways if question.response_format else capabilities.ways[:1]
        refused = ModelError("it has none")
        for way in ways:
            try:
                return await self.ask_by(way, question, watch)
            except Unsupported as error:
                refused = error
        raise ModelError(f"{self.name} refuses every way of asking: {refused}") from refused

    async def ask_by(self, way: Way, question: Question, watch: Stopwatch | None = None) -> Reply:
        """Ask in one way: by schema, by a tool whose arguments are the answer, or in words."""
        shape = question.response_format
        sent = replace(question, response_format=None)
        body: dict[str, Any] = {}
        if shape and way == "schema":
            form = {"name": shape.__name__, "schema": schema_of(shape), "strict": True}
            # In the body, not as an argument: the library would parse the answer, and raise
            # errors of its own.
            body = {"response_format": {"type": "json_schema", "json_schema": form}}
        elif shape and way == "tool":
            function = {
                "name": _ANSWER_TOOL,
                "description": "Give the answer.",
                "parameters": schema_of(shape),
            }
            tool = {"type": "function", "function": function}
            sent = replace(sent, tools=[tool], tool_choice="required")
        elif shape:
            sent = replace(sent, messages=with_words(sent.messages, json_request(shape)))
        answer = await self._send(sent, body, question.tokens, watch or Stopwatch())
        spent = spent_on(answer, question.tokens)
        if shape:
            data = json.dumps(self._data(answer, shape), ensure_ascii=False)
            return Reply(text=as_utf8(data), spent=spent)
        self._check_calls(answer, sent)
        return Reply(text=as_utf8(str(answer.text)), calls=tuple(calls_in(answer)), spent=spent)

    def _data(self, answer: AIMessageChunk, shape: type[BaseModel]) -> dict[str, Any]:
        """Return the data of an answer, by whichever way it was asked for."""
        try:
            calls = list(calls_in(answer))
            data = dict(calls[0].arguments) if calls else json_in(str(answer.text), shape)
            shape.model_validate(data)
        except (ValidationError, ValueError, RecursionError) as error:
            is_cut = answer.response_metadata.get("finish_reason") == "length"
            fault = "was cut off" if is_cut else "is not in the shape that was asked for"
            raise ModelError(f"{self.name} gave an answer that {fault}") from error
        return data

    def _check_calls(self, answer: AIMessageChunk, question: Question) -> None:
        """Raise ModelError if an answer calls tools, and none of the calls can be made."""
        calls = list(calls_in(answer))
        offered = {tool["function"]["name"] for tool in question.tools}
        if answer.tool_call_chunks and not calls:
            raise ModelError(f"{self.name} called a tool with arguments that cannot be read")
        if calls and not any(call.tool in offered for call in calls):
            raise ModelError(f"{self.name} called tools that do not exist: {calls[0].tool[:40]!r}")

    async def _send(
        self, question: Question, body: dict[str, Any], tokens: int, watch: Stopwatch
    ) -> AIMessageChunk:
        """Ask until there is an answer, or until it is clear that there will be none."""
        context = self._capabilities.context
        if tokens + answer_tokens(context) > context:
            raise ContextExceeded(
                f"{self.name} has room for {context} tokens; about {tokens} would be sent"
            )
        options: dict[str, Any] = {}
        if question.tools:
            options["tools"] = list(question.tools)
        if question.tool_choice:
            options["tool_choice"] = question.tool_choice
        if question.stop:
            options["stop"] = question.stop
        for attempt in range(self._tries):
            try:
                return await self._send_once(question, options, body, tokens, watch)
            except ModelError as error:
                if not error.retryable or attempt + 1 == self._tries:
                    raise
                # As long as the server asks for, or longer each time; never all at once.
                pause = error.retry_after or self._first_pause * 2**attempt
                jitter = random.uniform(0.8, 1.2)  # noqa: S311 -- nothing secret
                await asyncio.sleep(min(pause, _LONGEST_PAUSE) * jitter)
        raise AssertionError("the loop returns or raises")

    async def _send_once(
        self,
        question: Question,
        options: dict[str, Any],
        body: dict[str, Any],
        tokens: int,
        watch: Stopwatch,
    ) -> AIMessageChunk:
        """Wait for a turn, then ask; time that passes before the request is sent does not count."""
        max_tokens = answer_tokens(self._capabilities.context)
        async with self._concurrency.turn(tokens) as turn:
            if self._admit is not None:
                await self._admit()
            seconds_before = watch.seconds
            watch.start()
            try:
                answer = await self.client.send(question.messages, options, body, max_tokens)
            except AnswerTimeout:
                self._concurrency.timed_out(turn)
                raise
            except ModelError as error:
                if error.retryable:
                    self._concurrency.refused()
                raise
            finally:
                watch.stop()
            received = spent_on(answer, tokens).received
            self._concurrency.answered(turn, tokens, received, watch.seconds - seconds_before)
            return answer


_PARAMETERS = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
}
_FUNCTION = {"name": "look_up", "description": "Look up one colour.", "parameters": _PARAMETERS}
_LOOK = {"type": "function", "function": _FUNCTION}


class Colour(BaseModel):
    """The answer to the first question."""

    colour: Literal["red", "green"]


_LEAF = "Which colour is a leaf: red or green?"
_COLOUR: dict[str, Any] = {"response_format": Colour}
_FILLER = "A garden has many plants, and each of them has leaves. "
_FILLER_COUNT = 30
"""About 500 tokens: long enough to tell the time of reading from that of everything else."""


async def probe(endpoint: ChatEndpoint, context: int | None) -> Capabilities:
    """Try the ways of asking, the best first; a model that answers in no way is a ModelError."""
    look = _question("Call look_up for red, and call it for green, both at once.", tools=[_LOOK])
    reply = await _tried(endpoint, "words", look)
    call_count = len(reply.calls) if reply else 0
    tried = Capabilities(
        tools=call_count > 0,
        parallel=call_count > 1,
        context=context or DEFAULT_CONTEXT,
        told=context is not None,
    )
    for way in WAYS:
        capabilities = tried.model_copy(update={"way": way})
        if way in capabilities.ways and await _tried(endpoint, way, _question(_LEAF, **_COLOUR)):
            pace = endpoint.client.pace
            reading_pace = None
            if pace is not None and pace < _SLOW_PACE:
                reading_pace = await _reading_pace(endpoint, way)
            return capabilities.model_copy(update={"pace": pace, "reading_pace": reading_pace})
    raise ModelError(f"{endpoint.name} gave no answer in any way that was tried")


async def _reading_pace(endpoint: ChatEndpoint, way: Way) -> float | None:
    """Measure how fast a server reads, with a longer question; None where it reads fast enough.

    The pace is a power of two, so that questions made for it are the same after another measurement.
    """
    question = _question(f"{_FILLER * _FILLER_COUNT}\n{_LEAF}", **_COLOUR)
    if await _tried(endpoint, way, question) is None:
        return None
    seconds = endpoint.client.first_word_seconds
    if not seconds or question.tokens / seconds >= _FAST_READING:
        return None
    return 2.0 ** math.floor(math.log2(question.tokens / seconds))


async def _tried(endpoint: ChatEndpoint, way: Way, question: Question) -> Reply | None:
    """Ask in one way; None where that cannot be done. An outage is no answer to the question."""
    try:
        return await endpoint.ask_by(way, question)
    except ModelError as error:
        if error.retryable:
            raise
        return None


def _question(text: str, **options: Any) -> Question:
    return Question(
        messages=[SystemMessage("You answer exactly as you are asked to."), HumanMessage(text)],
        **options,
    )
