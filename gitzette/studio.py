"""The graphs that `langgraph dev` serves: the daily run and a question, on the demonstration where nothing is named."""

import argparse
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.ids import RepoId
from agent.record import to_json
from agent.settings import AnalystChoice, Language, Settings
from agent.web import Web
from gitzette.arguments import bound_of, settings_for, specs_of, window_of
from gitzette.asking import asking_context, checked
from gitzette.demo import demo_world
from gitzette.progress import shown
from gitzette.replies import ReplyPage, as_json
from gitzette.wiring import open_house
from graphs import ask as asking
from graphs import daily as running

# Our memory is SQLite, and its calls block for microseconds. The server refuses such calls unless it is started with
# --allow-blocking; this is the same switch, read after graphs are loaded. langgraph.json gives runs their own loop.
os.environ["LANGGRAPH_ALLOW_BLOCKING"] = "true"

QUESTION = "is:breaking"
"""Asked where the input has no question."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How to work, as the server's context."""

    lang: Language = "en"
    analyst: AnalystChoice = "rules"
    """With "model", the one that the environment names."""


class DailyInput(TypedDict, total=False):
    """What to report on; nothing at all is the demonstration."""

    repos: list[str]
    """Repositories as on the command line: owner/name or owner/name=PATH."""
    date: str
    """The day, as in 2026-02-04; yesterday where it is missing."""


class DailyOutput(TypedDict, total=False):
    """The report as in `reports/DATE.json`, and its page."""

    report: dict[str, Any]
    page: str


class DailyState(DailyInput, DailyOutput, total=False):
    """A report on its way."""


class AskInput(TypedDict, total=False):
    """What to answer; nothing at all is a question about the demonstration."""

    question: str
    repos: list[str]
    since: str
    until: str


class AskOutput(TypedDict, total=False):
    """The answer as `gitzette ask --json` gives it."""

    answer: str
    abstained: bool
    claims: list[dict[str, Any]]
    cites: list[str]
    searched: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    dropped: int


class AskState(AskInput, AskOutput, total=False):
    """An answer on its way."""


def daily() -> CompiledStateGraph[DailyState, Choices, DailyInput, DailyOutput]:
    """Wrap the daily graph: a node of its own opens what a run needs, and closes it."""
    graph = running.build()

    async def report(state: DailyState, runtime: Runtime[Choices]) -> DailyOutput:
        """Report on the day, in a home of its own: the user's memory and published reports stay as they are."""
        with _place(state, runtime) as (args, settings, now):
            window, specs = window_of(args, settings.tz, now), specs_of(settings)
            run = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
            async with open_house(settings, os.environ, _Told(runtime), now, run, specs) as house:
                stream = graph.astream(
                    {"window": window, "specs": specs},
                    context=house.deps,
                    stream_mode=["custom", "values"],
                    subgraphs=True,
                )
                done = await shown(stream, house.progress)
                page = house.publisher.paths(done["report"])[0].read_text("utf-8")
        return {"report": to_json(done["report"]), "page": page}

    outer = StateGraph(DailyState, context_schema=Choices, input_schema=DailyInput, output_schema=DailyOutput)
    outer.add_node("daily", report)
    outer.add_edge(START, "daily")
    outer.add_edge("daily", END)
    return outer.compile(name="daily")


def ask() -> CompiledStateGraph[AskState, Choices, AskInput, AskOutput]:
    """Wrap the graph of a question in the same way."""
    graph = asking.build()

    async def answer(state: AskState, runtime: Runtime[Choices]) -> AskOutput:
        """Answer one question."""
        question = checked(state.get("question") or QUESTION)
        with _place(state, runtime) as (args, settings, now):
            bound = bound_of(args.since, args.until, settings.tz, now)
            async with asking_context(settings, os.environ, specs_of(settings), now, _Told(runtime)) as context:
                done = await graph.ainvoke({"question": question}, context=context.for_question(bound=bound))
                reply = ReplyPage(Web(settings.web), settings.tz).written(done["reply"])
        return cast("AskOutput", as_json(reply))

    outer = StateGraph(AskState, context_schema=Choices, input_schema=AskInput, output_schema=AskOutput)
    outer.add_node("ask", answer)
    outer.add_edge(START, "ask")
    outer.add_edge("ask", END)
    return outer.compile(name="ask")


@contextmanager
def _place(
    state: Mapping[str, Any], runtime: Runtime[Choices]
) -> Iterator[tuple[argparse.Namespace, Settings, datetime]]:
    """Give the arguments, settings and present time of a command that does what the input asks for."""
    # A server that is sent no context gives none.
    choices = runtime.context or Choices()
    wanted = {key: state.get(key) for key in ("date", "since", "until")}
    with tempfile.TemporaryDirectory(prefix="gitzette-dev-") as folder:
        args = argparse.Namespace(
            repo=state.get("repos"),
            **wanted,
            tz=None,
            lang=choices.lang,
            layout=None,
            analyst=choices.analyst,
            source=None,
            out=Path(folder, "out"),
            partial=False,
        )
        if args.repo:
            settings = settings_for(args, os.environ).model_copy(update={"home": Path(folder, "home")})
            yield args, settings, datetime.now(UTC)
        else:
            with demo_world(args, os.environ) as (settings, now):
                yield args, settings, now


@dataclass(frozen=True)
class _Told:
    """Sends the steps of a run to whoever streams it."""

    runtime: Runtime[Choices]

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Send one step."""
        self.runtime.stream_writer({"repo": repo, "step": what, "done": done, "total": total})
