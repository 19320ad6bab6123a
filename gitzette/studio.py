"""The graphs that `langgraph dev` serves: the daily run and a question, on the demonstration."""

import argparse
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from agent.reports.stored import to_json
from agent.settings.values import Settings
from agent.web import Web
from gitzette.arguments import window_of
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
_OPTIONS = ("repo", "since", "until", "tz", "layout", "source", "partial")


class Asked(TypedDict, total=False):
    """A day such as 2026-02-04, or a question about the demonstration; nothing at all will do."""

    date: str
    lang: str
    question: str


class Told(Asked, total=False):
    """What was asked; then the report as in `reports/DATE.json` and its page, or what `gitzette ask --json` gives."""

    report: dict[str, Any]
    page: str
    answer: str
    abstained: bool
    claims: list[dict[str, Any]]
    cites: list[str]


Graph = CompiledStateGraph[Told, None, Asked, Told]


def daily() -> Graph:
    """Wrap the daily graph: a node of its own opens what a run needs, and closes it."""
    graph = daily_graph.build()

    async def report(state: Told) -> Told:
        with _demonstration(state) as (args, settings, now):
            asked = daily_graph.DayInput(
                window=window_of(args, settings.tz, now), specs=settings.repos
            )
            async with open_house(settings, {}, now, secrets.token_hex(8), settings.repos) as house:
                done = await graph.ainvoke(asked, context=house.deps)
                page = house.publisher.paths(done["report"])[0].read_text("utf-8")
        return {"report": to_json(done["report"]), "page": page}

    outer = StateGraph(Told, input_schema=Asked)
    return outer.add_node("daily", report).add_edge(START, "daily").compile(name="daily")


def ask() -> Graph:
    """Wrap the graph of a question in the same way."""
    graph = ask_graph.build()

    async def answer(state: Told) -> Told:
        question = checked(state.get("question") or _QUESTION)
        with _demonstration(state) as (_, settings, now):
            async with asking_context(
                settings, {}, settings.repos, now, QuietProgress()
            ) as context:
                done = await graph.ainvoke({"question": question}, context=context.for_question())
        reply = reply_json(ReplyPage(Web(settings.web), settings.tz).written(done["reply"]))
        return cast("Told", {key: reply[key] for key in ("answer", "abstained", "claims", "cites")})

    outer = StateGraph(Told, input_schema=Asked)
    return outer.add_node("ask", answer).add_edge(START, "ask").compile(name="ask")


@contextmanager
def _demonstration(state: Told) -> Iterator[tuple[argparse.Namespace, Settings, datetime]]:
    """Give the arguments, settings and present time of `run --demo --analyst rules`."""
    asked = {"date": state.get("date"), "lang": state.get("lang"), "analyst": "rules"}
    with tempfile.TemporaryDirectory(prefix="gitzette-dev-") as folder:
        args = argparse.Namespace(**dict.fromkeys(_OPTIONS), **asked, out=Path(folder))
        with demo_world(args, {}) as (settings, now):
            yield args, settings, now
