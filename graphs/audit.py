"""An audit: read the report, look up what it names in each repository in parallel, judge every statement, sum up."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.audit.judging import Judge
from agent.audit.library import Library
from agent.audit.own import own_window
from agent.audit.page import Page, read_page
from agent.audit.statement import Finding, Statement
from agent.audit.statements import statements
from agent.audit.summary import summary
from agent.audit.wanted import Wanted, wanted
from agent.audit.zones import days_behind, zone_of
from agent.desks import Desks, Progress
from agent.errors import AppError
from agent.settings import RepoSpec
from graphs.reader import Reader
from graphs.shelves import Shelf, fill, put_together


@dataclass(frozen=True, kw_only=True)
class AuditDeps:
    """What the nodes of an audit may touch."""

    desks: Desks
    progress: Progress
    reader: Reader = field(default_factory=Reader)


class Audit(TypedDict):
    """The state of an audit."""

    text: str
    name: str
    specs: tuple[RepoSpec, ...]
    """The repositories that may be asked about."""
    page: Page
    statements: list[Statement]
    shelves: Annotated[list[Shelf], add]
    library: Library
    findings: list[Finding]
    summary: dict[str, Any]


class Search(TypedDict):
    """What is to be looked up in one repository."""

    spec: RepoSpec
    wanted: Wanted


def build() -> CompiledStateGraph[Audit, AuditDeps, Any, Any]:
    """Wire the audit."""
    graph = StateGraph(Audit, context_schema=AuditDeps)
    graph.add_node("read", read)
    graph.add_node("resolve", resolve)
    graph.add_node("judge", judge_all)
    graph.add_node("summarise", summarise)
    graph.add_edge(START, "read")
    graph.add_conditional_edges("read", assign, ["resolve", "judge"])
    graph.add_edge("resolve", "judge")
    graph.add_edge("judge", "summarise")
    graph.add_edge("summarise", END)
    return graph.compile(name="audit")


async def read(state: Audit, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Take the report apart and find what it states."""
    del runtime
    page = read_page(state["text"], state["name"], [spec.name for spec in state["specs"]])
    return {"page": page, "statements": statements(page)}


def assign(state: Audit) -> list[Send] | str:
    """Hand each repository that can be asked to a branch of its own."""
    page, found = state["page"], state["statements"]
    sends = [Send("resolve", {"spec": spec, "wanted": wanted(page, found, spec.name)}) for spec in state["specs"]]
    return sends or "judge"


async def resolve(state: Search, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Look up everything that the report names in one repository; each commit is read once."""
    spec, deps = state["spec"], runtime.context
    try:
        desk = await deps.desks.open(spec)
        shelf = await fill(desk, state["wanted"], deps.progress, deps.reader)
    except AppError as error:
        shelf = Shelf(repo=spec.name, failure=f"{spec.name} could not be read: {error}")
    return {"shelves": [shelf]}


async def judge_all(state: Audit, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Give every statement its verdict."""
    del runtime
    page, shelves = state["page"], _in_order(state)
    library = put_together(shelves)
    library.tz = zone_of(page, state["statements"], library)
    library.days = days_behind(page, library)
    library.window = own_window(page) or library.days.window(library.tz)
    if library.window is not None:
        library.landed = {
            shelf.repo: tuple(row for row in shelf.line if row.committed_at in library.window)
            for shelf in shelves
            if shelf.line_read
        }
    judge = Judge(page, library)
    return {"library": library, "findings": judge.findings(state["statements"])}


def _in_order(state: Audit) -> Sequence[Shelf]:
    order = {spec.name: place for place, spec in enumerate(state["specs"])}
    return sorted(state.get("shelves", []), key=lambda shelf: order[shelf.repo])


async def summarise(state: Audit, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Count the verdicts, and what the report leaves out."""
    del runtime
    return {"summary": summary(state["page"], state["findings"], state["library"])}
