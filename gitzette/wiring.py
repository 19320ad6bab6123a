"""Where everything with a side effect is built, from settings and the environment, and nowhere else."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from agent.domain.base import AppError, ConfigError, Language
from agent.domain.spending import price_of
from agent.ports import Desks, Progress, Publisher, Step
from agent.prompting import Capabilities, Job, boundary
from agent.settings.values import Recipe, ReportShape, RepoSpec, Settings
from agent.triage.allotment import Allowance, allowance
from agent.web import Web
from gitzette.fleet.editions import Admission, model_limit, request_limit
from gitzette.publish import FilePublisher
from gitzette.sources import EarlierReport, RecordedDesks, SourceDesks
from graphs.run_context import RunContext
from memory.http_cache import ModelServers
from memory.recorder import CallRecorder
from memory.recording_proxies import recorded
from memory.store import Memory, open_memory
from tools.chat.budget import Cap, RunBudget
from tools.evidence_cache import EvidenceCache
from tools.git.mirrors import MirrorKeeper
from tools.github.client import GitHubClient
from tools.github.wire import RequestPolicy
from tools.own_code import OwnCode

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from graphs.models import Models
    from tools.chat.model import AnswerServer
    from tools.chat.server import ChatServer


@dataclass(frozen=True, kw_only=True)
class House:
    """What a command works with."""

    deps: RunContext
    memory: Memory
    client: GitHubClient
    publisher: FilePublisher


def home_of(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Find the folder that outlives a run: mirrors and memory."""
    if settings.home is not None:
        return settings.home.expanduser()
    data = environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "gitzette"


def memory_of(settings: Settings, environ: Mapping[str, str]) -> AbstractContextManager[Memory]:
    """Open the memory that the settings name."""
    return open_memory(
        home_of(settings, environ), datetime.now(UTC).date(), settings.database_address
    )


@asynccontextmanager
async def open_house(
    settings: Settings,
    environ: Mapping[str, str],
    now: datetime,
    run: str | None = None,
    specs: tuple[RepoSpec, ...] = (),
    answers: "AnswerServer | None" = None,
    *,
    background: bool = False,
) -> AsyncIterator[House]:
    """Build everything for a run, and close it afterwards; what a run with a name is told is recorded.

    `specs` say where repositories lie on this machine: the graph knows them only by name. `answers` stand in for the
    server of a model. What runs in the `background` leaves a part of shared limits to people who ask.
    """
    home, waits, pause = (
        home_of(settings, environ),
        settings.budget.wait_seconds,
        settings.budget.retry_seconds,
    )
    token = settings.token.get_secret_value() if settings.token else None
    with open_memory(home, now.date(), settings.database_address) as memory:
        admit = (
            request_limit(memory.fleet, settings, background=background)
            if settings.database
            else None
        )
        policy = RequestPolicy(
            max_wait=waits, run_seconds=2 * waits + 900, first_pause=pause, admit=admit
        )
        cache, recorder = memory.http_cache, memory.recorder(run) if run else None
        async with GitHubClient(
            base_url=settings.github_url, token=token, cache=cache, policy=policy
        ) as client:
            keeper = MirrorKeeper(home, settings.git_url, token, environ=environ)
            desks: Desks = SourceDesks(settings, client, keeper, environ, specs)
            if recorder:
                local = {spec.name for spec in specs if spec.path is not None}
                desks = RecordedDesks(recorder, settings, desks, local)
            note = EarlierReport(recorder).note if recorder else None
            publisher = FilePublisher(settings.out, settings, Web(settings.web), note)
            admit = (
                model_limit(memory.fleet, settings, environ, background=background)
                if settings.database
                else None
            )
            writers = writers_of(
                settings, environ, recorder, memory.model_servers, admit=admit, answers=answers
            )
            deps = run_context(memory, recorder, settings, writers, desks, publisher)
            deps = replace(deps, questions=memory.evidence)
            yield House(deps=deps, memory=memory, client=client, publisher=publisher)


@asynccontextmanager
async def open_sources(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[Desks]:
    """Yield what opens repositories, for a command that only reads them."""
    async with open_house(settings, environ, datetime.now(UTC)) as house:
        yield house.deps.desks


def run_context(
    memory: Memory,
    recorder: CallRecorder | None,
    shape: Settings | Recipe,
    writers: "Writers",
    desks: Desks,
    publisher: Publisher,
) -> RunContext:
    """Put together what the nodes may touch, the memory behind the recorder; a replay needs no code of the user."""
    own = OwnCode(shape.uses if isinstance(shape, Settings) else ())
    return RunContext(
        desks=desks,
        landings=recorded(memory.landings, recorder, "landings"),
        issues=recorded(memory.issues, recorder, "issues"),
        stories=recorded(memory.stories, recorder, "stories"),
        recall=recorded(memory.statements, recorder, "recall"),
        archive=recorded(memory.reports, recorder, "archive"),
        own=recorded(own, recorder, "own") if shape.uses else None,
        publisher=publisher,
        models=writers.models,
        languages=writers.languages,
        mark=writers.mark,
        judge_tools=shape.judge_tools,
        library=EvidenceCache(),
        allowance=_allowance(shape),
    )


def _allowance(shape: Settings | Recipe) -> Allowance:
    """Return what may be spent on explaining commits, by the prices of those who write and judge."""
    prices = [price_of(name, shape.prices) for name in _names(shape).values()]
    return allowance(shape.budget, [price for price in prices if price is not None])


@dataclass(frozen=True)
class Writers:
    """Who writes a report: models, or nobody but code; in which languages, and how texts of others are fenced."""

    models: "Models | None" = None
    languages: tuple[Language, ...] = ()
    mark: str = ""


def writers_of(
    settings: Settings,
    environ: Mapping[str, str],
    recorder: CallRecorder | None,
    remembered: ModelServers,
    limit: Cap | None = None,
    admit: Admission | None = None,
    answers: "AnswerServer | None" = None,
) -> Writers:
    """Open the models that the settings ask for, behind the record of the run and within the budget.

    `limit` holds for all accounts together in place of the budget's: a conversation has no end. Given `answers`, no
    server is asked: those of the demonstration are kept by the hash of the question, so that nothing in it is secret.
    """
    languages: tuple[Language, ...] = ("en", "zh") if answers else _languages(settings)
    if settings.analyst == "rules" or recorder is None:
        return Writers(languages=languages)
    servers: Mapping[str, AnswerServer]
    if answers is None:
        servers = servers_of(settings, environ, remembered, admit)
    else:
        servers = dict.fromkeys(_names(settings).values(), answers)
    # Importing langchain takes longer than most runs of the rules.
    from graphs.models import Models
    from tools.chat.model import Retries

    models = Models(
        recorder,
        _names(settings),
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
    """Return what the models of a run may spend; `limit` takes the place of the run's own."""
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
    """Return the writers of a run that is replayed: a model is not asked, its answers are on record."""
    if recipe.analyst == "rules" or recipe.model is None:
        return Writers(languages=_languages(recipe))
    from graphs.models import Models

    models = Models(
        recorder,
        _names(recipe),
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
            "--analyst model needs a model: set GITZETTE_MODEL, and GITZETTE_MODEL_URL for its server"
        )
    from tools.chat.messages import AskServer
    from tools.chat.server import ChatServer, context_of, probe

    key = environ.get("OPENAI_API_KEY", "").strip()
    url = settings.model_url

    async def learn(server: ChatServer, ask: AskServer) -> Capabilities:
        """Return what a server can do, found out once for each `model_context`."""
        context = settings.model_context
        if capabilities := remembered.get(url or "", server.name, context):
            return capabilities
        try:
            reported = await context_of(url, key or None, server.name) if url else None
            capabilities = await probe(server, ask, context or reported or server.usual_context)
        except AppError:
            # The request that is made next will say what is wrong.
            return Capabilities()
        remembered.put(url or "", server.name, context, capabilities)
        return capabilities

    servers = {}
    for name in _names(settings).values():
        servers[name] = ChatServer(
            name=name,
            url=url,
            key=SecretStr(key) if key else None,
            timeout=settings.budget.answer_seconds,
            learn=learn,
            admit=admit,
        )
    return servers


def _names(shape: ReportShape) -> dict[Job, str]:
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
    house: House,
    run: str,
    begun: object,
    display: Progress,
    at_once: int = 4,
) -> Mapping[str, Any]:
    """Run a graph from the beginning, or from the step at which the run died; return its last state.

    Only checkpoints say where a run stands. What steps are told is recorded by itself, and without
    the record the checkpoints mean nothing.
    """
    from graphs.checkpoints import open_checkpoints
    from graphs.state import STATE_VERSION

    memory = house.memory
    if memory.recorder(run).blank:
        memory.run_locks.forget_checkpoints(run)
    async with open_checkpoints(memory.run_locks.checkpoints(run)) as checkpoints:
        graph = build(checkpoints)
        config: RunnableConfig = {
            "max_concurrency": at_once,
            "configurable": {"thread_id": run},
            "metadata": {"state_version": STATE_VERSION},
        }
        stood = await graph.aget_state(config)
        is_begun = stood.created_at is not None
        if is_begun and stood.metadata.get("state_version") != STATE_VERSION:
            # Another version of Gitzette began it: the record spares the questions, not the steps.
            await checkpoints.adelete_thread(run)
            is_begun = False
        if is_begun and not stood.next:
            return dict(stood.values)
        state: Mapping[str, Any] = {}
        stream = graph.astream(
            None if is_begun else begun,
            config,
            context=house.deps,
            stream_mode=["custom", "values"],
            subgraphs=True,
            durability="sync",
        )
        # Whatever ends the display ends the nodes that are under way.
        async with aclosing(stream) as parts:
            async for subgraph, mode, value in parts:
                if isinstance(value, Step):
                    display.step(value.repo, value.what, value.done, value.total)
                elif mode == "values" and not subgraph:
                    state = value
        return state
