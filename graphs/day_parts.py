"""A day in parts: each repository read by itself, on any machine, and an edition made of the parts."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Refused
from agent.domain.report import Failure, Report
from agent.reports.chapter import Chapter
from agent.triage.collected_commits import Collected
from graphs.daily import (
    add_edited_allocation,
    composing,
    connect,
    publish,
    send_repository,
    to_collect,
)
from graphs.report_assembly import report_of
from graphs.repository import build_repository
from graphs.run_context import RunContext
from graphs.state import Day, EditionInput, PartInput, PartShares, PartState, PublishInput
from graphs.writing import build_analysis
from tools.history.cross_repository import Connected


class Part(Frozen):
    """The report on one repository; without a chapter the repository could not be read."""

    collected: Collected | None = None
    chapter: Chapter | None = None
    failures: tuple[Failure, ...] = ()
    refused: tuple[Refused, ...] = ()


def build_part(
    checkpoints: BaseCheckpointSaver[Any] | None = None,
) -> CompiledStateGraph[PartState, RunContext, PartInput, PartState]:
    """Wire the part of one repository: the first look, and everything up to its chapter."""
    graph = StateGraph(PartState, context_schema=RunContext, input_schema=PartInput)
    add_edited_allocation(graph)
    graph.add_node("repository", build_repository())

    graph.add_conditional_edges(START, to_collect, ["collect"])
    graph.add_conditional_edges("allocate", _to_repository, ["repository", END])
    graph.add_edge("repository", END)
    return graph.compile(checkpointer=checkpoints, name="part")


def _to_repository(state: PartShares) -> list[Send] | str:
    """Send the repository on if it could be read; the others of its edition are read elsewhere."""
    sends = []
    for spec in state["specs"]:
        if spec.name in state["collected"]:
            sends.append(send_repository(state, spec, state["beside"]))
    return sends or END


def build_edition(
    checkpoints: BaseCheckpointSaver[Any] | None = None,
) -> CompiledStateGraph[Day, RunContext, EditionInput, Day]:
    """Wire an edition: what ties its repositories together, the brief, and the publication."""
    graph = StateGraph(Day, context_schema=RunContext, input_schema=EditionInput)
    graph.add_node("connect", connect)
    graph.add_node("compose", composing(build_analysis()))
    graph.add_node("publish", publish)

    graph.add_edge(START, "connect")
    graph.add_edge("connect", "compose")
    graph.add_edge("compose", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=checkpoints, name="edition")


def part_of(state: PartState, repo: RepoId) -> Part:
    """Return what an edition needs of the state of a part."""
    return Part(
        collected=state["collected"].get(repo),
        chapter=state["chapters"].get(repo),
        failures=tuple(state["failures"]),
        refused=tuple(state["refused"]),
    )


def report_of_part(state: PartState, analyst: str) -> Report:
    """Return the report on a repository by itself."""
    complete = PublishInput(
        window=state["window"],
        specs=state["specs"],
        collected=state["collected"],
        chapters=state["chapters"],
        ties=Connected(),
        analysis=state["analysis"],
        refused=state["refused"],
        account=state["account"],
        failures=state["failures"],
    )
    return report_of(complete, analyst)
