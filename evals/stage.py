"""The stage for a daily graph over a world: a new database for each report, and scripted models."""

import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from langchain_core.messages import convert_to_openai_messages

from agent.domain.account import Chain, Phase, Spent
from agent.domain.base import Language, RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.model_capabilities import JOBS, Capabilities, Job, Way
from agent.ports import RepositorySources
from agent.settings.values import Budget, RepoSpec
from agent.token_estimates import tokens_of
from agent.triage.allotment import allowance
from agent.writing.tasks import Task
from evals.harness import TOKEN, serving, specs_of
from evals.model_server.requests_and_answers import ModelRequest, Script
from evals.worlds.data_model import World
from graphs import daily
from graphs.models import Models
from graphs.run_context import RunContext
from memory.landing_owners import Landings
from memory.open_issues import OpenIssues
from memory.published_report_index import Reports
from memory.published_statements import Statements
from memory.store import database_in_memory
from memory.stories import Stories
from tools.chat.budget import Stopwatch
from tools.chat.model import RecordedChatModel, Retries
from tools.chat.requests_and_replies import AskServer, ChatReply, ChatRequest, OnPiece, ToolRequest
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

Answer = Callable[[ChatRequest], Awaitable[ChatReply]]
_CAPABILITIES = Capabilities(context=65_536, told=True)
_ANSWER_SECONDS = 300.0


class Stage:
    """One world, on which any number of models report."""

    def __init__(self, world: World, client: GitHubClient) -> None:
        self._world = world
        self._client = client

    async def open(self, spec: RepoSpec) -> RepositorySources:
        """Open the sources of a repository."""
        code = GitSource(spec.name, self._world.repo(spec.name).git_dir)
        return RepositorySources(
            code=code, threads=GitHubThreads(self._client, spec.name), diffs=None
        )

    async def report(
        self, models: Models | None, window: Window, languages: tuple[Language, ...] = ("en", "zh")
    ) -> Report:
        """Report on a window with models or by rules, as if it were the first ever."""
        publisher = _KeptReports()
        db = database_in_memory()
        context = RunContext(
            repositories=self,
            landings=Landings(db),
            issues=OpenIssues(db),
            stories=Stories(db),
            archive=Reports(db),
            publisher=publisher,
            models=models,
            languages=languages,
            mark="stage",
            evidence_cache=EvidenceCache(),
            recall=Statements(db),
            allowance=allowance(Budget()),
        )
        # A failing branch of the graph leaves a failure in the report; anything else is a crash.
        specs = specs_of(self._world)
        await daily.build().ainvoke({"window": window, "specs": specs}, context=context)
        return publisher.reports[-1]


class _KeptReports:
    """Keeps reports instead of writing them."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def publish(self, report: Report) -> Report:
        """Keep a report."""
        self.reports.append(report)
        return report


class ScriptedServer:
    """Answers requests inside the process."""

    at_once = None  # Nothing has to wait

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def learn(self, ask: AskServer) -> Capabilities:
        """Return the capabilities of all scripted models."""
        del ask
        return _CAPABILITIES

    async def attempt(
        self,
        request: ChatRequest,
        way: Way,
        watch: Stopwatch,
        on_piece: OnPiece | None = None,
    ) -> ChatReply:
        """Answer a request."""
        del way, watch, on_piece
        return await self._answer(request)


class ScriptedModels(Models):
    """The models of a run: one reads and writes, another judges; nothing is recorded or charged."""

    def __init__(self, name: str, writer: Answer, judge: Answer) -> None:
        self.name = name
        self.names = dict.fromkeys(JOBS, name) | {"judging": f"judge of the {name}"}
        self._answers: dict[Job, Answer] = {"reading": writer, "writing": writer, "judging": judge}

    def get(self, job: Job, account: str) -> RecordedChatModel:
        """Return the model for a job."""
        server = ScriptedServer(self._answers[job])
        return RecordedChatModel(
            model_name=self.names[job],
            account=account,
            server=server,
            # A script would repeat itself, and a live model behind it retries by itself.
            retries=Retries(tries=1),
        )

    def take(self, account: str) -> Spent:
        """Count nothing."""
        return Spent()

    def take_by_job(self, account: str) -> dict[str, Spent]:
        """Count nothing."""
        return {}

    def answers_before(self, account: str, subject: str) -> int:
        """Count nothing."""
        return 0

    def take_chain(self, account: str, phase: Phase) -> Chain:
        """Count nothing."""
        return Chain()

    async def capabilities(self, job: Job) -> Capabilities:
        """Return the capabilities of all scripted models."""
        return _CAPABILITIES

    async def question_tokens(self, job: Job) -> int:
        """Return how many tokens a question may have."""
        return _CAPABILITIES.question_tokens(_ANSWER_SECONDS)

    async def assumed_contexts(self, account: str) -> dict[str, int]:
        """Assume nothing: the context is known."""
        return {}

    async def expect(self, repo: RepoId, commits: int) -> None:
        """Forecast nothing: scripts answer at once."""

    async def remarks(self) -> list[str]:
        """Return no remarks."""
        return []

    async def check_time(self, account: str, subject: str, other_tasks: int = 0) -> None:
        """Do nothing: there is time for everything."""

    async def check_time_for_all(self, account: str, subject: str, tasks: int) -> None:
        """Do nothing: there is time for everything."""

    async def tasks_at_once(self, repo: RepoId, tasks: Sequence[Task]) -> int:
        """Write about all commits at once."""
        return len(tasks)


def by_script(script: Script) -> Answer:
    """Return a function that answers requests by a script."""
    numbers = itertools.count()

    async def answer(request: ChatRequest) -> ChatReply:
        messages = convert_to_openai_messages(list(request.messages))
        body = {"messages": messages, "tools": list(request.tools)}
        saying = script(ModelRequest(next(numbers), body))
        calls = [ToolRequest(call.name, json.loads(call.arguments)) for call in saying.calls]
        spent = Spent(calls=1, received=tokens_of(saying.text))
        return ChatReply(text=saying.text, calls=tuple(calls), spent=spent)

    return answer


@asynccontextmanager
async def staged(world: World) -> AsyncIterator[Stage]:
    """Serve a world and yield its stage."""
    with serving(world.repos, world.now) as server:
        async with GitHubClient(base_url=server.url, token=TOKEN) as client:
            yield Stage(world, client)
