"""Chat models for LangGraph whose every answer is recorded before it is used, and paid from a budget."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Protocol

from pydantic import TypeAdapter

from agent.analysts.tasks import Task
from agent.domain.base import RepoId
from agent.domain.spending import Price, Purse, Spent, Stopwatch, price_of
from agent.prompting import JOBS, Capabilities, Job, ModelError
from graphs.forecast import Forecast, duration
from memory.artefacts import JsonCodec
from memory.recorder import Call, CallRecorder
from tools.chat.messages import Question, RecordedChatModel, Reply, wrong_shape

_REPLY = JsonCodec("model reply", TypeAdapter(Reply))
_CAPABILITIES = JsonCodec("model capabilities", TypeAdapter(Capabilities))
_MAX_OUTAGES = 3  # After so many questions in a row that ended in an outage, a run asks no more
_TASK_COUNT = JsonCodec("tasks at once", TypeAdapter(int))
_TIME_RESERVE = 2  # A forecast may be wrong by this factor
_HAS_TIME = JsonCodec("time for a task", TypeAdapter(bool))


class Answers(Protocol):
    """Answers the questions to a model: its server, or a file of recorded answers."""

    async def learn(self) -> Capabilities:
        """Return what can be asked."""

    async def ask(self, question: Question, watch: Stopwatch) -> Reply:
        """Answer, or raise ModelError; the watch measures the time that the answer took."""

    @property
    def at_once(self) -> int | None:
        """How many questions are answered at once; None while that is not known."""


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
        self._answering: dict[str, set[str]] = {}  # The models that have answered, by account
        self._forecast = Forecast()
        self._remarked: set[str] = set()

    def get(self, job: Job, account: str) -> RecordedChatModel:
        """Return the model for a job; what it costs is put on the account."""
        name = self.names[job]
        return RecordedChatModel(model_name=name, fetch=partial(self._fetch, job, account))

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

    async def assumed_contexts(self, account: str) -> dict[str, int]:
        """Return the context of each model that answered for an account and is not known to have it."""
        assumed: dict[str, int] = {}
        for job in JOBS:
            capabilities = await self.capabilities(job)
            if not capabilities.told and self.names[job] in self._answering.get(account, ()):
                assumed[self.names[job]] = capabilities.context
        return assumed

    async def expect(self, repo: RepoId, commits: int) -> None:
        """Note how many commits of a repository are still to be explained, for the forecast."""
        self._forecast.expect(repo, commits, await self.question_tokens("writing"))

    async def remarks(self) -> list[str]:
        """Return what a person should know of the models: what is assumed, and the time it takes.

        Each remark is returned once in a run.
        """
        remarks = []
        for account in list(self._answering):
            for name, context in (await self.assumed_contexts(account)).items():
                if name in self._remarked:
                    continue
                self._remarked.add(name)
                remarks.append(
                    f"the server of {name} does not report its context length:"
                    f" {context} tokens are assumed; set model_context to the real length"
                )
        if remark := self._forecast.remark(self._at_once(), self._purse.left()):
            remarks.append(remark)
        return remarks

    async def check_time(self, account: str, subject: str, other_tasks: int = 0) -> None:
        """Raise ModelError if one more task cannot be done in the time of the run.

        `other_tasks` must be done in the same time. What is decided is recorded, so that a replay
        leaves out the same.
        """

        async def has_time() -> bool:
            at_once = self._at_once()
            available = self._purse.left()
            if at_once is None or available is None:
                return True
            needed = self._forecast.surely_needed(at_once, other_tasks)
            if needed <= available:
                return True
            raise ModelError(
                f"there is no time for it: it takes about {duration(needed)},"
                f" and the limit model_seconds leaves {duration(available)}"
            )

        await self._recorder.fetch(Call("model.time", account, subject), _HAS_TIME, has_time)

    async def check_time_for_all(self, account: str, subject: str, tasks: int) -> None:
        """Raise ModelError if there is no time for some tasks beside all commits to be explained."""
        await self.check_time(account, subject, self._forecast.commit_count + tasks)

    async def tasks_at_once(self, repo: RepoId, tasks: Sequence[Task]) -> int:
        """Return how many commits are written about at once: all of them, if time allows.

        Where it may not, few are written and judged before the next ones, so that what is judged
        when the time is over can be published. What is decided is recorded.
        """

        async def decide() -> int:
            at_once = self._at_once()
            available = self._purse.left()
            if at_once is None or available is None:
                return len(tasks)
            if _TIME_RESERVE * self._forecast.seconds_left(at_once) <= available:
                return len(tasks)
            return at_once

        call = Call("model.tasks at once", repo, [task.key for task in tasks])
        return await self._recorder.fetch(call, _TASK_COUNT, decide)

    def _at_once(self) -> int | None:
        """Return how many questions the server of the writer answers at once, if that is known."""
        endpoint = self._endpoints.get(self.name)
        return None if endpoint is None else endpoint.at_once

    async def _fetch(self, job: Job, account: str, question: Question) -> Reply:
        """Answer from the record of this or another run, or ask and record what came of it."""
        name = self.names[job]
        call = Call("model.ask", name, question.hash, self._origin, _REPLY.form, retried=True)
        live = partial(self._ask, job, account, question)
        reply = await self._recorder.fetch(call, _REPLY, live)
        if not question.accepts(reply) and not self._recorder.play_only:
            # Recorded when answers were not checked first, or the schema was checked less strictly.
            self._recorder.reject(call)
            reply = await self._recorder.fetch(call, _REPLY, live)
        self._answering.setdefault(account, set()).add(name)
        spent = reply.spent.priced(price_of(name, self._prices))
        self._accounts[account] = self._accounts.get(account, Spent()) + spent
        return reply

    async def _ask(self, job: Job, account: str, question: Question) -> Reply:
        """Ask within what may still be spent, of calls, tokens, money and time.

        An answer that does not match its schema is an error, and so no other run takes it over.
        """
        name = self.names[job]
        if self._outages[name] >= _MAX_OUTAGES:
            raise ModelError(
                f"{name} failed {_MAX_OUTAGES} times in a row and is asked no more", retryable=True
            )
        if limit := self._purse.refuse(account, question.tokens):
            raise ModelError(f"{name} is asked no more: {limit}")
        price = price_of(name, self._prices)
        watch = self._purse.watch(account)
        try:
            async with asyncio.timeout(self._purse.left()):
                reply = await self._endpoint(name).ask(question, watch)
        except TimeoutError as error:
            raise ModelError(f"{name} was still answering when the time for it was over") from error
        except ModelError as error:
            self._outages[name] += error.retryable
            # Nobody says what a call that failed took; what was sent was sent.
            self._purse.pay(account, Spent(sent=question.tokens).priced(price))
            raise
        self._outages[name] = 0
        self._forecast.answered(job, reply.spent.sent, reply.spent.received, watch.seconds)
        self._purse.pay(account, reply.spent.model_copy(update={"calls": 0}).priced(price))
        if not question.accepts(reply):
            raise wrong_shape(name)
        return reply

    def _endpoint(self, name: str) -> Answers:
        if name not in self._endpoints:
            raise ModelError(f"{name} is not asked in a replay")
        return self._endpoints[name]
