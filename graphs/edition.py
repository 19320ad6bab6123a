"""A day in parts: one repository at a time, on any machine, and the edition that is made of them."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Refused
from agent.domain.report import Failure
from agent.reports.chapter import Chapter
from agent.settings.values import RepoSpec
from agent.triage.collected import Collected
from graphs import analysis, collect, daily, repository
from graphs.daily import Day, DayInput
from graphs.run_context import RunContext


class PartInput(DayInput):
    """One repository, and those that an edition has beside it."""

    beside: tuple[RepoSpec, ...]


class PartState(Day, total=False):
    """A part on its way."""

    beside: tuple[RepoSpec, ...]


class EditionInput(DayInput):
    """The repositories of an edition, and what was read of them."""

    collected: dict[RepoId, Collected]
    chapters: dict[RepoId, Chapter]
    failures: list[Failure]
    refused: list[Refused]


class Part(Frozen):
    """What was read of one repository; without a chapter it could not be read."""

    collected: Collected | None = None
    chapter: Chapter | None = None
    failures: tuple[Failure, ...] = ()
    refused: tuple[Refused, ...] = ()


def build_part(
    checkpoints: "BaseCheckpointSaver[Any]",
) -> CompiledStateGraph[PartState, RunContext, PartInput, PartState]:
    """Wire the part of one repository: the first look, and everything up to its chapter."""
    graph = StateGraph(PartState, context_schema=RunContext, input_schema=PartInput)
    graph.add_node("collect", collect.build())
    graph.add_node("allocate", daily.allocate)
    graph.add_node("repository", repository.build())
    graph.add_conditional_edges(START, daily.to_collect, ["collect"])
    graph.add_edge("collect", "allocate")
    graph.add_conditional_edges("allocate", _to_repository, ["repository", END])
    graph.add_edge("repository", END)
    return graph.compile(checkpointer=checkpoints, name="part")


def build_edition(checkpoints: "BaseCheckpointSaver[Any]") -> CompiledStateGraph[Day, RunContext, EditionInput, Day]:
    """Wire an edition: what ties its repositories together, the brief, and the publication."""
    graph = StateGraph(Day, context_schema=RunContext, input_schema=EditionInput)
    graph.add_node("connect", daily.connect)
    graph.add_node("compose", analysis.build())
    graph.add_node("publish", daily.publish)
    graph.add_edge(START, "connect")
    graph.add_conditional_edges(
        "connect", lambda state: "compose" if state["tasks"] else "publish", ["compose", "publish"]
    )
    graph.add_edge("compose", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=checkpoints, name="edition")


def part_of(state: PartState, repo: RepoId) -> Part:
    """Take out of the state of a part what an edition needs."""
    return Part(
        collected=(state.get("collected") or {}).get(repo),
        chapter=(state.get("chapters") or {}).get(repo),
        failures=tuple(state.get("failures") or ()),
        refused=tuple(state.get("refused") or ()),
    )


def _to_repository(state: PartState) -> list[Send] | str:
    sends = daily.to_repositories(state)
    if isinstance(sends, str):
        return END
    return [Send(send.node, {**send.arg, "beside": state["beside"]}) for send in sends]
