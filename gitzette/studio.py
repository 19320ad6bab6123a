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

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.domain.base import Language
from agent.reports.stored import to_json
from agent.settings.values import AnalystChoice, Settings
from agent.web import Web
from gitzette.arguments import settings_for, specs_of, window_of
from gitzette.commands.ask import asking_context, checked
from gitzette.demo import demo_world
from gitzette.progress import QuietProgress
from gitzette.replies import ReplyPage, reply_json
from gitzette.wiring import open_house
from graphs import ask as ask_graph
from graphs import daily as daily_graph

# Our memory is SQLite, and its calls block for microseconds. The server refuses such calls unless it is started with
# --allow-blocking; this is the same switch, read after graphs are loaded. langgraph.json gives runs their own loop.
os.environ["LANGGRAPH_ALLOW_BLOCKING"] = "true"

_QUESTION = "is:breaking"  # Asked where the input has no question
_OPTIONS = ("date", "since", "until", "tz", "layout", "source", "partial")


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How to work, as the server's context; with "model", the one that the environment names."""

    lang: Language = "en"
    analyst: AnalystChoice = "rules"


class DailyInput(TypedDict, total=False):
    """Repositories as owner/name or owner/name=PATH and a day as 2026-02-04; nothing at all is the demonstration."""

    repos: list[str]
    date: str


class DailyState(DailyInput, total=False):
    """The input; then the report as in `reports/DATE.json`, and its page."""

    report: dict[str, Any]
    page: str


class AskInput(TypedDict, total=False):
    """What to answer; nothing at all is a question about the demonstration."""

    question: str
    repos: list[str]


class AskState(AskInput, total=False):
    """The input; then the answer as `gitzette ask --json` gives it."""

    answer: str
    abstained: bool
    claims: list[dict[str, Any]]
    cites: list[str]


def daily() -> CompiledStateGraph[DailyState, Choices, DailyInput, DailyState]:
    """Wrap the daily graph: a node of its own opens what a run needs, and closes it."""
    graph = daily_graph.build()

    async def report(state: DailyState, runtime: Runtime[Choices]) -> DailyState:
        """Report on the day, in a home of its own: the user's memory and published reports stay as they are."""
        with _place(state, runtime) as (args, settings, now):
            asked = daily_graph.DayInput(window=window_of(args, settings.tz, now), specs=specs_of(settings))
            run = secrets.token_hex(8)
            async with open_house(settings, os.environ, now, run, specs_of(settings)) as house:
                done = await graph.ainvoke(asked, context=house.deps)
                page = house.publisher.paths(done["report"])[0].read_text("utf-8")
        return {"report": to_json(done["report"]), "page": page}

    outer = StateGraph(DailyState, context_schema=Choices, input_schema=DailyInput)
    return outer.add_node("daily", report).add_edge(START, "daily").compile(name="daily")


def ask() -> CompiledStateGraph[AskState, Choices, AskInput, AskState]:
    """Wrap the graph of a question in the same way."""
    graph = ask_graph.build()

    async def answer(state: AskState, runtime: Runtime[Choices]) -> AskState:
        """Answer one question."""
        question = checked(state.get("question") or _QUESTION)
        with _place(state, runtime) as (_, settings, now):
            async with asking_context(settings, os.environ, specs_of(settings), now, QuietProgress()) as context:
                done = await graph.ainvoke({"question": question}, context=context.for_question())
        reply = reply_json(ReplyPage(Web(settings.web), settings.tz).written(done["reply"]))
        return cast("AskState", {key: reply[key] for key in ("answer", "abstained", "claims", "cites")})

    outer = StateGraph(AskState, context_schema=Choices, input_schema=AskInput)
    return outer.add_node("ask", answer).add_edge(START, "ask").compile(name="ask")


@contextmanager
def _place(
    state: Mapping[str, Any], runtime: Runtime[Choices]
) -> Iterator[tuple[argparse.Namespace, Settings, datetime]]:
    """Give the arguments, settings and present time of a command that does what the input asks for."""
    # A server that is sent no context gives none.
    choices = runtime.context or Choices()
    with tempfile.TemporaryDirectory(prefix="gitzette-dev-") as folder:
        given = {key: state.get(key) for key in _OPTIONS} | {"repo": state.get("repos")}
        args = argparse.Namespace(**given, lang=choices.lang, analyst=choices.analyst, out=Path(folder, "out"))
        if args.repo:
            settings = settings_for(args, os.environ).model_copy(update={"home": Path(folder, "home")})
            yield args, settings, datetime.now(UTC)
        else:
            with demo_world(args, os.environ) as (settings, now):
                yield args, settings, now
