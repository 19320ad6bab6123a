"""Chat models for LangGraph whose every answer is recorded before it is used, and paid from a budget."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Protocol

from pydantic import TypeAdapter

from agent.domain.spending import Price, Purse, Spent, price_of
from agent.prompting import Capabilities, Job, ModelError
from memory.artefacts import JsonCodec
from memory.recorder import Call, CallRecorder
from tools.chat.messages import Question, RecordedChatModel, Reply, wrong_shape

_REPLY = JsonCodec("model reply", TypeAdapter(Reply))
_CAPABILITIES = JsonCodec("model capabilities", TypeAdapter(Capabilities))
_MAX_OUTAGES = 3  # After so many questions in a row that ended in an outage, a run asks no more


class Answers(Protocol):
    """Answers the questions to a model: its server, or a file of recorded answers."""

    async def learn(self) -> Capabilities:
        """Return what can be asked."""

    async def ask(self, question: Question) -> Reply:
        """Answer, or raise ModelError."""


class Models:
    """The models of one run by their jobs, with an account for each repository or question.

    What an account spent is what its recorded answers cost, whether they were given now or in an
    earlier run: a report made again says the same. The purse limits what is really sent now.
    """

    def __init__(
        self,
        recorder: CallRecorder,
        names: Mapping[Job, str],
        endpoints: Mapping[str, Answers] = MappingProxyType({}),
        origin: str = "",
        *,
        context: int | None = None,
        purse: Purse | None = None,
        prices: Mapping[str, Price] | None = None,
        answer_seconds: float = 300.0,
    ) -> None:
        """Ask the endpoints, by the names of their models, at the address `origin`.

        A replay has no endpoints. `context` is the length that the settings give, if any;
        `answer_seconds` is the time that one answer may take: it limits questions to slow servers.
        """
        self.names = names
        self.name = names["writing"]
        self._recorder = recorder
        self._endpoints = endpoints
        self._origin = origin
        self._context = context
        self._purse = purse or Purse()
        self._prices = prices or {}
        self._answer_seconds = answer_seconds
        self._accounts: dict[str, Spent] = {}
        self._outages = Counter[str]()

    def get(self, job: Job, account: str) -> RecordedChatModel:
        """Return the model for a job; what it costs is put on the account."""
        name = self.names[job]
        return RecordedChatModel(model_name=name, fetch=partial(self._fetch, name, account))

    def take(self, account: str) -> Spent:
        """Return what an account spent since the last call of this method."""
        return self._accounts.pop(account, Spent())

    async def context(self, job: Job) -> int:
        """Return the tokens of the model's context, question and answer together."""
        return (await self.capabilities(job)).context

    async def question_tokens(self, job: Job) -> int:
        """Return the tokens that a question to the model may have."""
        return (await self.capabilities(job)).question_tokens(self._answer_seconds)

    async def has_tools(self, job: Job) -> bool:
        """Return True if the model's server takes tools."""
        return (await self.capabilities(job)).tools

    async def capabilities(self, job: Job) -> Capabilities:
        """Find out what a server can do; recorded, because it shapes what is asked."""
        name = self.names[job]

        async def learn() -> Capabilities:
            capabilities = await self._endpoint(name).learn()
            return capabilities.model_copy(update={"pace": None})

        call = Call("model.capabilities", name, self._context, self._origin)
        return await self._recorder.fetch(call, _CAPABILITIES, learn)

    async def _fetch(self, name: str, account: str, question: Question) -> Reply:
        """Answer from the record of this or another run, or ask and record what came of it."""
        call = Call("model.ask", name, question.hash, self._origin, _REPLY.form, retried=True)
        live = partial(self._ask, name, account, question)
        reply = await self._recorder.fetch(call, _REPLY, live)
        if not question.accepts(reply) and not self._recorder.play_only:
            # Recorded when answers were not checked first, or the schema was checked less strictly.
            self._recorder.reject(call)
            reply = await self._recorder.fetch(call, _REPLY, live)
        spent = reply.spent.priced(price_of(name, self._prices))
        self._accounts[account] = self._accounts.get(account, Spent()) + spent
        return reply

    async def _ask(self, name: str, account: str, question: Question) -> Reply:
        """Ask within what may still be spent, of calls, tokens, money and time.

        An answer that does not match its schema is an error, and so no other run takes it over.
        """
        if self._outages[name] >= _MAX_OUTAGES:
            raise ModelError(
                f"{name} failed {_MAX_OUTAGES} times in a row and is asked no more", retryable=True
            )
        if limit := self._purse.refuse(account, question.tokens):
            raise ModelError(f"{name} is asked no more: {limit}")
        price = price_of(name, self._prices)
        try:
            async with asyncio.timeout(self._purse.left(account)):
                reply = await self._endpoint(name).ask(question)
        except TimeoutError as error:
            raise ModelError(f"{name} was still answering when the time for it was over") from error
        except ModelError as error:
            self._outages[name] += error.retryable
            # Nobody says what a call that failed took; what was sent was sent.
            self._purse.pay(account, Spent(sent=question.tokens).priced(price))
            raise
        self._outages[name] = 0
        self._purse.pay(account, reply.spent.model_copy(update={"calls": 0}).priced(price))
        if not question.accepts(reply):
            raise wrong_shape(name)
        return reply

    def _endpoint(self, name: str) -> Answers:
        if name not in self._endpoints:
            raise ModelError(f"{name} is not asked in a replay")
        return self._endpoints[name]
