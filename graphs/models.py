"""The models of a run by their jobs, behind its record, and the time that they may take."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from pydantic import TypeAdapter

from agent.domain.account import Chain, Phase, Spent
from agent.domain.base import RepoId
from agent.model_capabilities import JOBS, Capabilities, Job
from agent.model_errors import ModelError
from agent.writing.tasks import Task
from graphs.remaining_time_forecast import Forecast, duration
from memory.recorded_answers import JsonCodec
from memory.recorder import Call, CallRecorder
from tools.chat.budget import RunBudget
from tools.chat.model import AnswerServer, RecordedChatModel, Retries
from tools.chat.requests_and_replies import ChatReply, ChatRequest

REPLY_FORM = "6498547326df3638"
"""How recorded replies are written. Change it when the fields of ChatReply change: then no run takes
over a reply that was written before."""
_REPLY = JsonCodec("model reply", TypeAdapter(ChatReply))
_CAPABILITIES = JsonCodec("model capabilities", TypeAdapter(Capabilities))
_TASK_COUNT = JsonCodec("tasks at once", TypeAdapter(int))
_HAS_TIME = JsonCodec("time for a task", TypeAdapter(bool))
_TIME_RESERVE = 2  # A forecast may be wrong by this factor


class RecordedReplies:
    """The replies of one model in the record of a run; replies of other runs serve as well."""

    def __init__(self, recorder: CallRecorder, model: str, origin: str) -> None:
        self._recorder = recorder
        self._model = model
        self._origin = origin

    async def fetch(
        self, request: ChatRequest, ask: Callable[[], Awaitable[ChatReply]]
    ) -> ChatReply:
        """Return the recorded reply, or call `ask` and record its reply or its error."""
        call = Call("model.ask", self._model, request.hash, self._origin, REPLY_FORM, retried=True)
        reply = await self._recorder.fetch(call, _REPLY, ask)
        if request.accepts(reply) or self._recorder.play_only:
            return reply
        # An earlier version may have recorded what this one cannot use.
        self._recorder.reject(call)
        return await self._recorder.fetch(call, _REPLY, ask)


class Models:
    """The models of one run by their jobs, with an account for each repository or question."""

    def __init__(
        self,
        recorder: CallRecorder,
        names: Mapping[Job, str],
        servers: Mapping[str, AnswerServer] = MappingProxyType({}),
        origin: str = "",
        *,
        context: int | None = None,
        budget: RunBudget | None = None,
        retries: Retries | None = None,
        answer_seconds: float = 300.0,
    ) -> None:
        """Ask the servers, by the names of their models, at the address `origin`.

        A replay has no servers. `context` is the length that the settings give, if any;
        `answer_seconds` is the time that one answer may take: it limits requests to slow servers.
        """
        self.names = names
        self.name = names["writing"]
        self._recorder = recorder
        self._servers = servers
        self._origin = origin
        self._context = context
        self._budget = budget or RunBudget()
        self._retries = retries or Retries()
        self._answer_seconds = answer_seconds
        self._forecast = Forecast()
        self._remarked: set[str] = set()  # The models whose assumed context was mentioned

    def get(self, job: Job, account: str) -> RecordedChatModel:
        """Return the model for a job; its answers are charged to the account."""
        name = self.names[job]
        return RecordedChatModel(
            model_name=name,
            account=account,
            server=self._servers.get(name),
            record=RecordedReplies(self._recorder, name, self._origin),
            budget=self._budget,
            retries=self._retries,
            on_answer=partial(self._forecast.answered, job),
        )

    def take(self, account: str) -> Spent:
        """Return what an account was charged since the last call of this method."""
        return self._budget.take_charges(account)

    def take_by_job(self, account: str) -> dict[str, Spent]:
        """Return the same by what it was spent on, since the last call of this method."""
        return self._budget.take_charges_by_job(account)

    def answers_before(self, account: str, subject: str) -> int:
        """Return how many answers a new question about a subject has waited for."""
        return self._budget.answers_before(account, subject)

    def take_chain(self, account: str, phase: Phase) -> Chain:
        """Return how many answers of a phase followed each other since this was asked last."""
        return self._budget.take_chain(account, phase)

    # ------------------------------------------------------------ what the servers can do

    async def context(self, job: Job) -> int:
        """Return the tokens of the model's context, request and answer together."""
        return (await self.capabilities(job)).context

    async def question_tokens(self, job: Job) -> int:
        """Return the tokens that a request to the model may have."""
        return (await self.capabilities(job)).question_tokens(self._answer_seconds)

    async def has_tools(self, job: Job) -> bool:
        """Return True if the model's server takes tools."""
        return (await self.capabilities(job)).tools

    async def capabilities(self, job: Job) -> Capabilities:
        """Return what a server can do; recorded, because it shapes what is asked."""

        async def learn() -> Capabilities:
            capabilities = await self.get(job, account="").capabilities()
            return capabilities.model_copy(update={"pace": None})

        call = Call("model.capabilities", self.names[job], self._context, self._origin)
        return await self._recorder.fetch(call, _CAPABILITIES, learn)

    async def assumed_contexts(self, account: str) -> dict[str, int]:
        """Return the context of each model that answered for an account, where it is assumed."""
        assumed: dict[str, int] = {}
        for job in JOBS:
            capabilities = await self.capabilities(job)
            name = self.names[job]
            if not capabilities.told and name in self._budget.models_of(account):
                assumed[name] = capabilities.context
        return assumed

    # ------------------------------------------------------------ time

    async def expect(self, repo: RepoId, commits: int) -> None:
        """Note how many commits of a repository are still to be explained, for the forecast."""
        self._forecast.expect(repo, commits, await self.question_tokens("writing"))

    async def remarks(self) -> list[str]:
        """Return what a person should know of the models: what is assumed, and the time it takes.

        Each remark is returned once in a run.
        """
        remarks = []
        for account in self._budget.accounts:
            for name, context in (await self.assumed_contexts(account)).items():
                if name in self._remarked:
                    continue
                self._remarked.add(name)
                remarks.append(
                    f"the server of {name} does not report its context length:"
                    f" {context} tokens are assumed; set model_context to the real length"
                )
        if remark := self._forecast.remark(self._at_once(), self._budget.seconds_left()):
            remarks.append(remark)
        return remarks

    async def check_time(self, account: str, subject: str, other_tasks: int = 0) -> None:
        """Raise ModelError if one more task cannot be done in the time of the run.

        `other_tasks` must be done in the same time. What is decided is recorded, so that a replay
        leaves out the same.
        """

        async def has_time() -> bool:
            at_once = self._at_once()
            available = self._budget.seconds_left()
            if at_once is None or available is None:
                return True
            needed = self._forecast.surely_needed(at_once, other_tasks)
            if needed <= available:
                return True
            raise ModelError(
                f"there is no time for it: it takes about {duration(needed)},"
                f" and the limit model_seconds leaves {duration(available)}",
                limit="seconds",
            )

        await self._recorder.fetch(Call("model.time", account, subject), _HAS_TIME, has_time)

    async def check_time_for_all(self, account: str, subject: str, tasks: int) -> None:
        """Raise ModelError if there is no time for some tasks beside all commits to be explained."""
        await self.check_time(account, subject, self._forecast.commit_count + tasks)

    async def tasks_at_once(self, repo: RepoId, tasks: Sequence[Task]) -> int:
        """Return how many commits are written about at once: all of them, if time allows.

        If it may not, few are written and judged before the next ones, so that what is judged when
        the time is over can be published. What is decided is recorded.
        """

        async def decide() -> int:
            at_once = self._at_once()
            available = self._budget.seconds_left()
            if at_once is None or available is None:
                return len(tasks)
            if _TIME_RESERVE * self._forecast.seconds_left(at_once) <= available:
                return len(tasks)
            return at_once

        call = Call("model.tasks at once", repo, [task.key for task in tasks])
        return await self._recorder.fetch(call, _TASK_COUNT, decide)

    def _at_once(self) -> int | None:
        """Return how many requests the server of the writer answers at once, if that is known."""
        server = self._servers.get(self.name)
        return None if server is None else server.at_once
