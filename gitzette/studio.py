"""The graphs for LangGraph Studio (`langgraph dev`): the daily run and a question, step by step.

They are the graphs that the commands run. What is added is a first step that reads the input of
the development server, and a context that is opened for as long as the server runs the graph.
"""

import argparse
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph, add_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.domain.report import Report, cited_by
from agent.domain.window import Window
from agent.ports import Publisher
from agent.questions_and_replies import Query, Reply
from agent.settings.values import Recipe, RepoSpec, Settings
from gitzette.commands.ask import asking_context, checked
from gitzette.demo import DemoWorld, demo_world
from gitzette.settings_from_arguments import bound_of, settings_for, specs_of, window_of
from gitzette.terminal_output import QuietProgress
from gitzette.wiring import open_services
from graphs import ask as ask_graph
from graphs import daily as daily_graph
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput, AskState
from graphs.run_context import RunContext
from graphs.state import Day, DayInput
from memory.recorder import Retention

if TYPE_CHECKING:
    from gitzette.demo_answers import RecordedAnswers

# SQLite blocks for microseconds, which the server refuses unless it is started with
# --allow-blocking. This is the same switch, read after the graphs are loaded.
os.environ["LANGGRAPH_ALLOW_BLOCKING"] = "true"

_QUESTION = "is:breaking"  # Asked where the input has no question
_OPTIONS = ("date", "since", "until", "tz", "lang", "layout", "source", "analyst", "uses", "out")


class Request(TypedDict, total=False):
    """What to work on; without repositories it is the demonstration."""

    repos: list[str]  # owner/name, or owner/name=PATH for a clone on this machine
    since: str
    until: str
    lang: str
    analyst: str
    """`rules` or `model`; left out, the configured one or the answers of the demonstration."""


class DayRequest(Request, total=False):
    """What to report on; left out, it is yesterday."""

    date: str  # Such as 2026-02-04


class QuestionRequest(Request, total=False):
    """What to answer."""

    question: str


class PlanOutput(DayInput):
    """What to report on, and the name under which the run records the answers that it gets."""

    run: str


class StudioDay(DayRequest, Day):
    """The state of a run, after what was asked for."""

    run: str


class QuestionOutput(AskInput):
    """A question with the conversation before it, and no message of an earlier question."""

    messages: Annotated[list[AnyMessage | RemoveMessage], add_messages]


class BeginInput(QuestionRequest, total=False):
    """What to answer, and what the thread has answered before."""

    history: list[AnyMessage]
    turn: int
    query: Query
    reply: Reply


class StudioQuestion(Request, AskState):
    """The state of a question, after what was asked for."""


def daily() -> "ServedGraph":
    """Build the daily graph for the server."""
    graph = StateGraph(StudioDay, context_schema=DayContext, input_schema=DayRequest)
    graph.add_node("plan", plan)
    graph.add_edge(START, "plan")
    daily_graph.add_steps(graph, "plan")
    return ServedGraph.over(graph.compile(name="daily"), open_day)


def ask() -> "ServedGraph":
    """Build the graph of a question for the server."""
    graph = StateGraph(StudioQuestion, context_schema=AskContext, input_schema=QuestionRequest)
    graph.add_node("begin", begin)
    graph.add_edge(START, "begin")
    ask_graph.add_steps(graph, "begin")
    return ServedGraph.over(graph.compile(name="ask"), open_question)


async def plan(state: DayRequest, runtime: Runtime["DayContext"]) -> PlanOutput:
    """Name the window and the repositories that the input means."""
    del state
    context = runtime.context
    return {"window": context.window, "specs": context.specs, "run": context.run}


async def begin(state: BeginInput, runtime: Runtime[AskContext]) -> QuestionOutput:
    """Return the question, with the earlier ones of the same thread as its history."""
    del runtime
    history: list[AnyMessage] = []
    earlier_cites = []
    turn = 0
    if "reply" in state:
        question = HumanMessage(state["query"].text)
        history = [*state["history"], question, AIMessage(state["reply"].said)]
        earlier_cites = list(state["reply"].cites)
        turn = state["turn"] + 1
    return {
        "question": checked(state.get("question") or _QUESTION),
        "history": history,
        "earlier_cites": earlier_cites,
        "recent_cites": earlier_cites,
        "turn": turn,
        "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
    }


# ---------------------------------------------------------------- what the nodes may touch


@dataclass(frozen=True, kw_only=True)
class DayContext(RunContext):
    """What the nodes of a run may touch, and what the run is to report on."""

    window: Window
    specs: tuple[RepoSpec, ...]
    run: str


@dataclass(frozen=True)
class CitingPublisher:
    """Publishes a report, and keeps the evidence that it cites."""

    publisher: Publisher
    retention: Retention
    run: str

    def publish(self, report: Report) -> Report:
        """Publish a report."""
        published = self.publisher.publish(report)
        self.retention.cite(self.run, report.window.key, cited_by(published))
        return published


OpenContext = Callable[[Mapping[str, Any]], AbstractAsyncContextManager[RunContext]]


class ServedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A graph that opens what its nodes may touch whenever the server runs it, and closes it."""

    def __init__(self, *, open_context: OpenContext, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.open_context = open_context

    @classmethod
    def over(
        cls, graph: CompiledStateGraph[Any, Any, Any, Any], open_context: OpenContext
    ) -> "ServedGraph":
        """Return a copy of a compiled graph that opens its context itself."""
        attributes = dict(vars(graph))
        attributes.pop("__orig_class__", None)  # As in the graph's own `copy`
        return cls(open_context=open_context, **attributes)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Run the graph on the input, or go on with a thread that was interrupted."""
        request = await self._request(input, config)
        async with self.open_context(request) as context:
            options["context"] = context
            async for part in super().astream(input, config, **options):
                yield part

    def get_context_jsonschema(self) -> dict[str, Any] | None:
        """Return nothing: what the nodes may touch follows from the input, and is no JSON."""
        return None

    async def _request(self, given: Any, config: RunnableConfig | None) -> dict[str, Any]:
        """Return the request that is stored on the thread, overridden by the given one."""
        stored: dict[str, Any] = {}
        if config is not None and isinstance(self.checkpointer, BaseCheckpointSaver):
            stored = dict((await self.aget_state(config)).values)
        if not isinstance(given, Mapping):
            return stored
        stored.pop("run", None)  # A new run has a record of its own
        return stored | dict(given)


class Workspace(NamedTuple):
    """The arguments of a command, its settings, and the present time."""

    args: argparse.Namespace
    settings: Settings
    environ: Mapping[str, str]
    now: datetime
    demo: DemoWorld | None = None


@contextmanager
def _open_workspace(request: Mapping[str, Any]) -> Iterator[Workspace]:
    """Read the settings for the repositories of a request, or serve the demonstration."""
    options = {name: request.get(name) for name in _OPTIONS}
    args = argparse.Namespace(**options, repo=request.get("repos") or [], partial=False)
    if args.repo:
        settings = settings_for(args, os.environ)
        yield Workspace(args, settings, os.environ, datetime.now(UTC))
        return
    with tempfile.TemporaryDirectory(prefix="gitzette-dev-") as folder:
        args.out = Path(folder)
        with demo_world(args, os.environ) as demo:
            environ = os.environ if args.analyst == "model" else {}
            yield Workspace(args, demo.settings, environ, demo.now, demo)


@asynccontextmanager
async def open_day(request: Mapping[str, Any]) -> AsyncIterator[DayContext]:
    """Open everything that a run needs, record its answers, and close it afterwards."""
    run = request.get("run") or f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    with _open_workspace(request) as workspace:
        now = workspace.now
        window = window_of(workspace.args, workspace.settings.tz, now)
        specs = specs_of(workspace.settings)
        if workspace.demo is not None:
            await workspace.demo.report_earlier_days(window, QuietProgress())
        settings, answers = _writing_settings(workspace, window)
        async with open_services(settings, workspace.environ, now, run, specs, answers) as services:
            memory = services.memory
            recipe = Recipe.of(settings, window, specs)
            memory.runs.begin(run, window.key, now, recipe)
            status = "failed"
            try:
                publisher = CitingPublisher(services.publisher, memory.retention, run)
                context = replace(services.context, publisher=publisher)
                yield DayContext(
                    **{field.name: getattr(context, field.name) for field in fields(context)},
                    window=window,
                    specs=recipe.repos,
                    run=run,
                )
                status = "done"
            finally:
                memory.runs.end(run, status, datetime.now(UTC), {})


class WritingSettings(NamedTuple):
    """The settings of a run, and the recorded answers that replace its model, if any."""

    settings: Settings
    answers: "RecordedAnswers | None" = None


def _writing_settings(workspace: Workspace, window: Window) -> WritingSettings:
    """Use the answers that ship with the demonstration, or the rules where they do not fit."""
    settings = workspace.settings
    if workspace.args.repo or workspace.args.analyst is not None:
        return WritingSettings(settings)
    from gitzette.demo_answers import RecordedAnswers, Recording

    recording = Recording.load()
    if recording.covers(window, settings.source):
        return WritingSettings(settings, RecordedAnswers(recording))
    by_rules = settings.model_copy(update={"analyst": "rules", "model": None})
    return WritingSettings(by_rules)


@asynccontextmanager
async def open_question(request: Mapping[str, Any]) -> AsyncIterator[AskContext]:
    """Open everything that a question needs, and close it afterwards."""
    if not request.get("repos") and request.get("analyst") is None:
        request = {**request, "analyst": "rules"}  # No answers about the demonstration are recorded
    with _open_workspace(request) as workspace:
        args = workspace.args
        settings = workspace.settings
        now = workspace.now
        bound = bound_of(args.since, args.until, settings.tz, now)
        specs = specs_of(settings)
        display = QuietProgress()
        async with asking_context(settings, workspace.environ, specs, now, display) as context:
            yield replace(context.for_question(bound=bound), lang=args.lang)
