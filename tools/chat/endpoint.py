"""A model at an address, asked live: what its server can do, ways of asking, retries, and limits of concurrency."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

from langchain_core.messages import AIMessageChunk, HumanMessage, SystemMessage
from pydantic import BaseModel, SecretStr, ValidationError

from agent.prompting import (
    DEFAULT_CONTEXT,
    WAYS,
    Capabilities,
    ModelError,
    Way,
    answer_tokens,
    json_in,
    json_request,
    schema_of,
    tokens_of,
)
from tools.chat.client import ChatClient, Unsupported
from tools.chat.messages import Question, Reply, as_utf8, calls_in, spent_on, with_words

_LONGEST_PAUSE = 20.0
_ANSWER = "answer"  # The tool by which a model answers in a shape where a server knows no schema

_FIRST, _MOST = 16, 64
_WIDER = 2  # Questions more for each answer that came as fast as ever
_SLOW = 3.0  # So many times as long as the fastest answer is slow: then questions wait for one another at the other end
_BRISK = 15.0
"""Tokens a second that a service writes at least; what is slower is a small machine that does one thing at a time."""
_EQUAL = 1.25  # On such a machine more are allowed only after an answer that took no longer than this times the fastest


class Concurrency:
    """Lets questions through in their order, as many at once as the server bears.

    More while it answers as fast as ever, fewer when it does not.
    """

    def __init__(
        self, *, first: int = _FIRST, most: int = _MOST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.open = first  # How many may be under way
        self._most, self._clock = most, clock
        self._busy = 0
        self._fastest: float | None = None
        self._small = False
        self._turn = asyncio.Condition()

    def paced(self, tokens_a_second: float | None) -> None:
        """Learn how fast a server writes, where that is known; to ask a slow one much at once makes everything late."""
        if tokens_a_second is not None and tokens_a_second < _BRISK and not self._small:
            self._small, self.open = True, 1

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Wait for a turn, and learn from how the question fares."""
        async with self._turn:
            await self._turn.wait_for(lambda: self._busy < self.open)
            self._busy += 1
        began = self._clock()
        try:
            yield
            self._answered(self._clock() - began)
        except ModelError as error:
            if error.retryable:
                self.open = max(1, self.open // 2)
            raise
        finally:
            self._busy -= 1
            async with self._turn:
                self._turn.notify_all()

    def _answered(self, seconds: float) -> None:
        self._fastest = seconds if self._fastest is None else min(self._fastest, seconds)
        if seconds > _SLOW * self._fastest:
            self.open = max(1, self.open - 1)
        elif not self._small:
            self.open = min(self._most, self.open + _WIDER)
        elif seconds <= _EQUAL * self._fastest:
            self.open = min(self._most, self.open + 1)


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

        What can get better is tried `tries` times. `learn` finds out what the server can do, before the first question;
        `admit` waits for a limit that is shared with other machines.
        """
        self.name = name
        self.client = ChatClient(name=name, url=url, key=key, timeout=timeout)
        self._capabilities = capabilities or Capabilities()
        self._tries = tries
        self._first_pause = first_pause
        self._concurrency = Concurrency()
        self._learn, self._admit = learn, admit
        self._learning = asyncio.Lock()

    async def learn(self) -> Capabilities:
        """Find out what the server can do, once."""
        async with self._learning:
            if self._learn is not None:
                self._capabilities = await self._learn(self)
                self._learn = None
                self._concurrency.paced(self._capabilities.pace)
        return self._capabilities

    async def ask(self, question: Question) -> Reply:
        """Ask in the best way that the server is known to have; where it refuses that, in the next."""
        known = await self.learn()
        if question.tools and not known.tools:
            raise ModelError(f"{self.name} cannot call tools")
        refused = ModelError("it has none")
        for way in known.ways if question.response_format else known.ways[:1]:
            try:
                return await self.ask_by(way, question)
            except Unsupported as error:
                refused = error
        raise ModelError(f"{self.name} refuses every way of asking: {refused}") from refused

    async def ask_by(self, way: Way, question: Question) -> Reply:
        """Ask in one way: by schema, by a tool whose arguments are the answer, or in words."""
        shape = question.response_format
        sent, body = replace(question, response_format=None), dict[str, Any]()
        if shape and way == "schema":
            form = {"name": shape.__name__, "schema": schema_of(shape), "strict": True}
            # In the body, not as an argument: the library would parse the answer, and raise errors of its own.
            body = {"response_format": {"type": "json_schema", "json_schema": form}}
        elif shape and way == "tool":
            function = {
                "name": _ANSWER,
                "description": "Give the answer.",
                "parameters": schema_of(shape),
            }
            sent = replace(
                sent, tools=[{"type": "function", "function": function}], tool_choice="required"
            )
        elif shape:
            sent = replace(sent, messages=with_words(sent.messages, json_request(shape)))
        answer = await self._send(sent, body)
        spent = spent_on(answer, question.tokens)
        if shape:
            data = json.dumps(self._data(answer, shape), ensure_ascii=False)
            return Reply(text=as_utf8(data), spent=spent)
        self._check_calls(answer, sent)
        return Reply(text=as_utf8(str(answer.text)), calls=tuple(calls_in(answer)), spent=spent)

    def _data(self, answer: AIMessageChunk, shape: type[BaseModel]) -> dict[str, Any]:
        try:
            calls = list(calls_in(answer))
            data = dict(calls[0].arguments) if calls else json_in(str(answer.text), shape)
            shape.model_validate(data)
        except (ValidationError, ValueError, RecursionError) as error:
            cut = answer.response_metadata.get("finish_reason") == "length"
            what = "was cut off" if cut else "is not in the shape that was asked for"
            raise ModelError(f"{self.name} gave an answer that {what}") from error
        return data

    def _check_calls(self, answer: AIMessageChunk, question: Question) -> None:
        calls, known = list(calls_in(answer)), {tool["function"]["name"] for tool in question.tools}
        if answer.tool_call_chunks and not calls:
            raise ModelError(f"{self.name} called a tool with arguments that cannot be read")
        if calls and not any(call.tool in known for call in calls):
            raise ModelError(f"{self.name} called tools that do not exist: {calls[0].tool[:40]!r}")

    async def _send(self, question: Question, body: dict[str, Any]) -> AIMessageChunk:
        """Ask until there is an answer, or until it is clear that there will be none."""
        context = self._capabilities.context
        coming, most = (
            question.tokens + tokens_of(json.dumps(body, ensure_ascii=False)),
            answer_tokens(context),
        )
        if coming + most > context:
            raise ModelError(
                f"{self.name} has room for {context} tokens; about {coming} would be sent"
            )
        given = {
            "tools": list(question.tools),
            "tool_choice": question.tool_choice,
            "stop": question.stop,
        }
        options = {name: value for name, value in given.items() if value}
        for again in range(self._tries):
            try:
                async with self._concurrency.enter():
                    if self._admit is not None:
                        await self._admit()
                    answer = await self.client.send(question.messages, options, body, most)
                    self._concurrency.paced(self.client.pace)
                    return answer
            except ModelError as error:
                if not error.retryable or again + 1 == self._tries:
                    raise
                # As long as the server asks for, or longer each time; never all at the same moment.
                wished = error.retry_after or self._first_pause * 2**again
                jitter = random.uniform(0.8, 1.2)  # noqa: S311 -- nothing secret
                await asyncio.sleep(min(wished, _LONGEST_PAUSE) * jitter)
        raise AssertionError("the loop returns or raises")


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


async def probe(endpoint: ChatEndpoint, context: int | None) -> Capabilities:
    """Try the ways of asking, the best first; a model that answers in no way is a ModelError."""
    look = _question("Call look_up for red, and call it for green, both at once.", tools=[_LOOK])
    leaf = _question("Which colour is a leaf: red or green?", response_format=Colour)
    called = await _tried(endpoint, "words", look)
    calls = len(called.calls) if called else 0
    length = {"context": context or DEFAULT_CONTEXT, "told": context is not None}
    found = Capabilities(tools=calls > 0, parallel=calls > 1).model_copy(update=length)
    for way in WAYS:
        known = found.model_copy(update={"way": way})
        if way in known.ways and await _tried(endpoint, way, leaf):
            return known.model_copy(update={"pace": endpoint.client.pace})
    raise ModelError(f"{endpoint.name} gave no answer in any way that was tried")


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
