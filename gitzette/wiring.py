"""The wiring of everything with a side effect, from settings and the environment."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from agent.browser_urls import Web
from agent.domain.account import price_of
from agent.domain.base import Language
from agent.domain.errors import AppError, ConfigError
from agent.model_capabilities import Capabilities, Job
from agent.ports import Progress, Publisher, Repositories, Step
from agent.prompt_templates import boundary
from agent.settings.values import Recipe, ReportShape, RepoSpec, Settings
from agent.triage.allotment import ExplainingBudget, allowance
from gitzette.file_publisher import FilePublisher
from gitzette.fleet.edition_plans import Admission, model_limit, request_limit
from gitzette.home_folder import home_of
from gitzette.sources import (
    ConfiguredRepositories,
    EarlierReport,
    RecordedRepositories,
    request_policy,
)
from graphs.run_context import RunContext
from memory.probed_model_servers import ModelServers
from memory.recorder import CallRecorder
from memory.recording_proxies import recorded
from memory.store import Memory, open_memory
from tools.chat.budget import Cap, RunBudget
from tools.evidence_cache import EvidenceCache
from tools.fact_reading_in_processes import FactReader
from tools.git.mirrors import MirrorKeeper
from tools.github.client import GitHubClient
from tools.stored_facts import StoredFacts
from tools.user_code import UserCode
from tools.worker_processes import WorkerProcesses, worker_count

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from graphs.models import Models
    from tools.chat.model import AnswerServer
    from tools.chat.openai_compatible_server import ChatServer


_COMMITS_OF_A_REPOSITORY = 3
"""Commits that a repository has on most days: those of the first one are read before others are listed."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """What a command works with."""

    context: RunContext
    memory: Memory
    client: GitHubClient
    publisher: FilePublisher


@asynccontextmanager
async def open_services(
    settings: Settings,
    environ: Mapping[str, str],
    now: datetime,
    run: str | None = None,
    specs: tuple[RepoSpec, ...] = (),
    answers: "AnswerServer | None" = None,
    *,
    background: bool = False,
) -> AsyncIterator[Services]:
    """Build everything for a run, and close it afterwards.

    With the name of a `run`, every answer that it gets is recorded. `specs` have the paths of
    repositories on this machine, because the graph knows repositories only by name. `answers`
    replace the server of a model. A run in the `background` leaves a part of the shared limits to
    people who ask, and the other processors of the machine to other runs.
    """
    home = home_of(settings, environ)
    token = settings.token.get_secret_value() if settings.token else None
    with open_memory(home, now.date(), settings.database_address) as memory:
        admit_request = None
        admit_question = None
        if settings.database:
            fleet = memory.fleet
            admit_request = request_limit(fleet, settings, background=background)
            admit_question = model_limit(fleet, settings, environ, background=background)
        recorder = memory.recorder(run) if run else None
        client = GitHubClient(
            base_url=settings.github_url,
            token=token,
            cache=memory.http_cache,
            policy=request_policy(settings, admit_request),
        )
        workers = WorkerProcesses(0 if background else worker_count())
        workers.expect(_COMMITS_OF_A_REPOSITORY * len(specs))
        async with client, workers:
            keeper = MirrorKeeper(home, settings.git_url, token, environ=environ)
            repositories: Repositories = ConfiguredRepositories(
                settings, client, keeper, environ, specs, workers
            )
            note_merge = None
            if recorder is not None:
                local = {spec.name for spec in specs if spec.path is not None}
                repositories = RecordedRepositories(recorder, settings, repositories, local)
                note_merge = EarlierReport(recorder).note
            publisher = FilePublisher(settings.out, settings, Web(settings.web), note_merge)
            writers = writers_of(
                settings,
                environ,
                recorder,
                memory.model_servers,
                admit=admit_question,
                answers=answers,
            )
            context = run_context(
                memory, recorder, settings, writers, repositories, publisher, workers
            )
            context = replace(context, questions=memory.evidence)
            yield Services(context=context, memory=memory, client=client, publisher=publisher)


def run_context(
    memory: Memory,
    recorder: CallRecorder | None,
    shape: Settings | Recipe,
    writers: "Writers",
    repositories: Repositories,
    publisher: Publisher,
    workers: WorkerProcesses | None = None,
) -> RunContext:
    """Return what the nodes may touch, with the memory behind the recorder.

    A replay, which has a recipe, does not read the user's own code again.
    """
    facts = StoredFacts(memory.http_cache, FactReader(workers))
    own_code = UserCode(shape.uses if isinstance(shape, Settings) else ())
    return RunContext(
        repositories=repositories,
        landings=recorded(memory.landings, recorder, "landings"),
        issues=recorded(memory.issues, recorder, "issues"),
        stories=recorded(memory.stories, recorder, "stories"),
        recall=recorded(memory.statements, recorder, "recall"),
        archive=recorded(memory.reports, recorder, "archive"),
        own=recorded(own_code, recorder, "own") if shape.uses else None,
        publisher=publisher,
        models=writers.models,
        languages=writers.languages,
        mark=writers.mark,
        editor_tools=shape.editor_tools,
        judge_tools=shape.judge_tools,
        evidence_cache=EvidenceCache(facts),
        allowance=_allowance(shape),
    )


def _allowance(shape: Settings | Recipe) -> ExplainingBudget:
    """Return what may be spent on explaining commits, by the prices of those who write and judge."""
    prices = [price_of(name, shape.prices) for name in _model_names(shape).values()]
    return allowance(shape.budget, [price for price in prices if price is not None])


@dataclass(frozen=True)
class Writers:
    """The models that write a report, if any, and the languages they write in."""

    models: "Models | None" = None
    languages: tuple[Language, ...] = ()
    mark: str = ""  # Fences foreign text in prompts


def writers_of(
    settings: Settings,
    environ: Mapping[str, str],
    recorder: CallRecorder | None,
    remembered: ModelServers,
    limit: Cap | None = None,
    admit: Admission | None = None,
    answers: "AnswerServer | None" = None,
) -> Writers:
    """Return the models of the settings, behind the record of the run and within its budget.

    `limit` replaces the budget's limit for all accounts together, since a conversation has no end.
    With `answers` no server is asked, and the fence around foreign text is always the same, so
    that the requests are the recorded ones.
    """
    languages: tuple[Language, ...] = ("en", "zh") if answers else _languages(settings)
    if settings.analyst == "rules" or recorder is None:
        return Writers(languages=languages)
    servers: Mapping[str, AnswerServer]
    if answers is None:
        servers = servers_of(settings, environ, remembered, admit)
    else:
        servers = dict.fromkeys(_model_names(settings).values(), answers)
    # Importing langchain takes longer than most runs of the rules.
    from graphs.models import Models
    from tools.chat.model import Retries

    models = Models(
        recorder,
        _model_names(settings),
        servers,
        settings.model_url or "",
        context=settings.model_context,
        budget=_run_budget(settings, limit),
        retries=Retries(first_pause=settings.budget.retry_seconds),
        answer_seconds=settings.budget.answer_seconds,
    )
    mark = boundary("demonstration" if answers else recorder.fence_seed())
    return Writers(models, languages, mark)


def _run_budget(settings: Settings, limit: Cap | None) -> RunBudget:
    """Return what the models of a run may spend; `limit` replaces the run's own."""
    budget = settings.budget
    run_cap = Cap(
        calls=budget.model_calls,
        tokens=budget.model_tokens,
        seconds=budget.model_seconds,
        cost=budget.model_cost,
    )
    account_cap = Cap(
        calls=budget.repo_model_calls,
        tokens=budget.repo_model_tokens,
        seconds=budget.repo_model_seconds,
    )
    return RunBudget(run=limit or run_cap, account=account_cap, prices=settings.prices)


def writers_again(recipe: Recipe, recorder: CallRecorder) -> Writers:
    """Return the writers of a replayed run, whose models answer from the record alone."""
    if recipe.analyst == "rules" or recipe.model is None:
        return Writers(languages=_languages(recipe))
    from graphs.models import Models

    models = Models(
        recorder,
        _model_names(recipe),
        context=recipe.model_context,
        budget=RunBudget(prices=recipe.prices),
        answer_seconds=recipe.budget.answer_seconds,
    )
    return Writers(models, _languages(recipe), boundary(recorder.fence_seed()))


def servers_of(
    settings: Settings,
    environ: Mapping[str, str],
    remembered: ModelServers,
    admit: Admission | None = None,
) -> "dict[str, ChatServer]":
    """Return a server for each model, by name; jobs of the same model share one."""
    if settings.model is None:
        raise ConfigError(
            "--analyst model needs a model: set GITZETTE_MODEL,"
            " and GITZETTE_MODEL_URL for its server"
        )
    from tools.chat.openai_compatible_server import ChatServer, context_of, probe
    from tools.chat.requests_and_replies import AskServer

    key = environ.get("OPENAI_API_KEY", "").strip()
    url = settings.model_url

    async def learn(server: ChatServer, ask: AskServer) -> Capabilities:
        """Return what a server can do; it is probed once for each `model_context`."""
        context = settings.model_context
        capabilities = remembered.get(url or "", server.name, context)
        if capabilities:
            return capabilities
        try:
            reported = await context_of(url, key or None, server.name) if url else None
            capabilities = await probe(server, ask, context or reported or server.usual_context)
        except AppError:
            # The next request will fail with the reason.
            return Capabilities()
        remembered.put(url or "", server.name, context, capabilities)
        return capabilities

    servers = {}
    for name in _model_names(settings).values():
        servers[name] = ChatServer(
            name=name,
            url=url,
            key=SecretStr(key) if key else None,
            timeout=settings.budget.answer_seconds,
            learn=learn,
            admit=admit,
        )
    return servers


def _model_names(shape: ReportShape) -> dict[Job, str]:
    """Return the name of the model for each job."""
    default = shape.model or ""
    return {
        "reading": shape.model_reading or default,
        "writing": shape.model_writing or default,
        "judging": shape.model_judging or default,
    }


def _languages(shape: ReportShape) -> tuple[Language, ...]:
    return tuple(dict.fromkeys((shape.lang, *shape.languages)))


async def run_graph(
    build: Callable[[Any], Any],
    services: Services,
    run: str,
    graph_input: object,
    display: Progress,
    max_concurrency: int = 4,
) -> Mapping[str, Any]:
    """Run a graph from the start, or from the step at which the run died; return its last state.

    Checkpoints alone say how far a run is. They are useless without the record of the answers that
    its steps were given, so they are deleted where that is blank.
    """
    from graphs.checkpoints import open_checkpoints
    from graphs.state import STATE_VERSION

    memory = services.memory
    if memory.recorder(run).blank:
        memory.run_locks.forget_checkpoints(run)
    async with open_checkpoints(memory.run_locks.checkpoints(run)) as checkpoints:
        graph = build(checkpoints)
        config: RunnableConfig = {
            "max_concurrency": max_concurrency,
            "configurable": {"thread_id": run},
            "metadata": {"state_version": STATE_VERSION},
        }
        snapshot = await graph.aget_state(config)
        is_started = snapshot.created_at is not None
        if is_started and snapshot.metadata.get("state_version") != STATE_VERSION:
            # Another version of Gitzette started it: all steps run again, on recorded answers.
            await checkpoints.adelete_thread(run)
            is_started = False
        # A step that was done when the run died, and is not followed by a checkpoint yet, is among
        # the tasks, and no longer in `next`.
        if is_started and not snapshot.tasks:
            return dict(snapshot.values)
        state: Mapping[str, Any] = {}
        stream = graph.astream(
            None if is_started else graph_input,
            config,
            context=services.context,
            stream_mode=["custom", "values"],
            subgraphs=True,
            durability="sync",
        )
        # If the display fails, closing the stream cancels the running nodes.
        async with aclosing(stream) as parts:
            async for subgraph, mode, value in parts:
                if isinstance(value, Step):
                    display.step(value.repo, value.what, value.done, value.total)
                elif mode == "values" and not subgraph:
                    state = value
        return state
