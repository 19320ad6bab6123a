"""Models whose every answer is on the run's tape before it is used, and that are never asked the same thing twice."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from agent.analyst import ToolRequest, ToolSpec
from agent.model import Answered, Endpoint, Job, Message, Model, ModelError
from agent.spending import Price, Purse, Spent, price_of
from agent.tokens import message_tokens
from memory.call_recorder import Call, CallRecorder
from memory.shapes import Plain

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_REQUESTS: Plain[Answered[tuple[ToolRequest, ...]]] = Plain("requests", TypeAdapter(Answered[tuple[ToolRequest, ...]]))
_ROOM = Plain("room", TypeAdapter(int))
_OUTAGES = 3
"""After so many calls in a row that ended in an outage, a run asks no more."""


class TapedModels:
    """The models of one run, with an account for each repository or question.

    What an account spent is what its recorded answers cost, whether they were given now or in an earlier run: a report
    made again says the same. What is really sent now is what the purse limits.
    """

    def __init__(
        self,
        tape: CallRecorder,
        endpoints: Mapping[Job, Endpoint],
        origin: str,
        *,
        purse: Purse | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self.name = endpoints["writing"].name
        self._tape = tape
        self._endpoints = endpoints
        self._origin = origin
        self._purse = purse or Purse()
        self._prices = prices or {}
        self._accounts: dict[str, Spent] = {}
        self._outages = 0

    def get(self, job: Job, account: str) -> Model:
        """Give the model for a job; what it costs is put on the account."""
        return _Accounted(self, self._endpoints[job], account)

    async def room(self, job: Job) -> int:
        """Give the characters that a question may have; on the tape, because it shapes what is asked."""
        endpoint = self._endpoints[job]
        return await self._tape.fetch(Call("model.room", endpoint.name, origin=self._origin), _ROOM, endpoint.room)

    def take(self, account: str) -> Spent:
        """Tell what an account spent since this was asked last."""
        return self._accounts.pop(account, Spent())

    async def fetch(
        self,
        call: Call,
        shape: Plain[Answered[T]],
        account: str,
        tokens: int,
        live: Callable[[], Awaitable[Answered[T]]],
    ) -> T:
        """Answer from the tape, or ask and record what came of it."""

        async def limited() -> Answered[T]:
            return await self._limited(account, tokens, live, str(call.about))

        answered = await self._tape.fetch(call, shape, limited)
        spent = answered.spent.priced(price_of(str(call.about), self._prices))
        self._accounts[account] = self._accounts.get(account, Spent()) + spent
        return answered.value

    async def _limited(
        self, account: str, tokens: int, live: Callable[[], Awaitable[Answered[T]]], name: str
    ) -> Answered[T]:
        """Ask within what may still be spent, of calls, tokens, money and time."""
        if self._outages >= _OUTAGES:
            raise ModelError(f"{name} failed {_OUTAGES} times in a row and is asked no more", retryable=True)
        if why := self._purse.refuse(account, tokens):
            raise ModelError(f"{name} is asked no more: {why}")
        left, began = self._purse.left(account), self._purse.clock()
        try:
            async with asyncio.timeout(left):
                answered = await live()
        except TimeoutError as error:
            raise ModelError(f"{name} was still answering when the time for it was over") from error
        except ModelError as error:
            self._outages += error.retryable
            # Nobody says what a call that failed took; what was sent was sent.
            self._purse.pay(account, Spent(sent=tokens).priced(price_of(name, self._prices)))
            raise
        self._outages = 0
        seconds = self._purse.clock() - began
        self._purse.pay(account, answered.spent.priced(price_of(name, self._prices)), seconds)
        return answered

    def question(self, method: str, name: str, shown: Any, form: str) -> Call:
        """Name a question by the hash of what is shown: prompts are long, and hold texts of others."""
        asked = hashlib.sha256(json.dumps(shown, sort_keys=True).encode("ascii")).hexdigest()
        return Call(f"model.{method}", name, asked, self._origin, form)


class _Accounted:
    """One model on one account. Equal questions are answered alike in every run and on every account."""

    def __init__(self, models: TapedModels, endpoint: Endpoint, account: str) -> None:
        self.name = endpoint.name
        self._models = models
        self._endpoint = endpoint
        self._account = account

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Let the model choose tools to call."""
        listed = [[tool.name, tool.about, tool.schema] for tool in tools]
        call = self._models.question("call_tools", self.name, [_plain(messages), listed], _REQUESTS.form)
        size = _size(messages, json.dumps(listed))
        return await self._models.fetch(
            call, _REQUESTS, self._account, size, lambda: self._endpoint.choose(messages, tools)
        )

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Let the model answer with data of this shape."""
        answer: Plain[Answered[M]] = _answer(shape)
        shown = [_plain(messages), shape.__name__, answer.form]
        call = self._models.question("fill", self.name, shown, answer.form)
        size = _size(messages)
        return await self._models.fetch(
            call, answer, self._account, size, lambda: self._endpoint.answer(messages, shape)
        )


@cache
def _answer(shape: type[BaseModel]) -> Plain[Any]:
    """Give the way onto the tape of answers of a shape; many questions ask for the same, and it is dear to make."""
    return Plain(f"answer {shape.__name__}", TypeAdapter(Answered[shape]))  # type: ignore[valid-type]


def _size(messages: Sequence[Message], *beside: str) -> int:
    return message_tokens((*(message.text for message in messages), *beside))


def _plain(messages: Sequence[Message]) -> list[list[str]]:
    return [[message.role, message.text] for message in messages]
