"""An audit: read the report, look up what it names in each repository in parallel, check, have the prose judged."""

from dataclasses import dataclass
from itertools import pairwise
from operator import add, or_
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from agent.audit.broken_output import check_output
from agent.audit.citations import check_citations
from agent.audit.code_blocks import check_code
from agent.audit.findings import Finding, in_order, summary
from agent.audit.lookup import Library, Repository, find_commits
from agent.audit.metadata import check_metadata
from agent.audit.names import check_names
from agent.audit.prose import sentences_of, unchecked
from agent.audit.statistics import check_statistics
from agent.audit.structure import Entry, read_page
from agent.desks import Desks, Progress
from agent.errors import AppError
from agent.settings import RepoSpec
from graphs.audit_lookup import look_up, read_fenced_files, search_trees
from graphs.desk import Deps


@dataclass(frozen=True, kw_only=True)
class AuditDeps:
    """What the nodes of an audit may touch."""

    desks: Desks
    progress: Progress
    judge: Deps | None = None


class AuditInput(TypedDict):
    """A report and the repositories that may be read."""

    text: str
    name: str
    specs: tuple[RepoSpec, ...]


class AuditState(AuditInput, total=False):
    """The state of an audit."""

    entries: list[Entry]
    found: Annotated[list[Repository], add]
    failures: Annotated[dict[str, str], or_]
    library: Library
    findings: Annotated[list[Finding], add]
    summary: dict[str, Any]


class Search(AuditState):
    """What is to be looked up in one repository."""

    spec: RepoSpec


def build() -> CompiledStateGraph[AuditState, AuditDeps, AuditInput, AuditState]:
    """Wire the audit."""
    graph = StateGraph(AuditState, context_schema=AuditDeps, input_schema=AuditInput)
    for node in (read, resolve, check, judge, summarise):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "read")
    graph.add_conditional_edges("read", assign, ["resolve", "check"])
    for edge in pairwise(("resolve", "check", "judge", "summarise", END)):
        graph.add_edge(*edge)
    return graph.compile(name="audit")


async def read(state: AuditInput) -> dict[str, Any]:
    """Take the report apart."""
    return {"entries": read_page(state["text"], state["name"], [spec.name for spec in state["specs"]])}


def assign(state: AuditState) -> list[Send] | str:
    """Hand each repository to a branch of its own."""
    return [Send("resolve", Search(**state, spec=spec)) for spec in state["specs"]] or "check"


async def resolve(state: Search, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Look up everything that the report names in one repository; each commit is read once."""
    spec, deps, alone = state["spec"], runtime.context, len(state["specs"]) == 1
    try:
        return {"found": [await look_up(await deps.desks.open(spec), state["entries"], deps.progress, alone=alone)]}
    except AppError as error:
        return {"failures": {spec.name: str(error)}}


async def check(state: AuditState, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Prove or refute what code can."""
    library, desks = Library({one.repo: one for one in state.get("found", [])}), runtime.context.desks
    entries = state["entries"]
    find_commits(entries, library)
    codes = {spec.name: (await desks.open(spec)).code for spec in state["specs"] if spec.name in library}
    await search_trees(codes, entries, library)
    findings = [
        *check_citations(entries, library),
        *check_metadata(entries, library),
        *check_statistics(entries, library),
        *check_names(entries, library),
        *check_code(entries, await read_fenced_files(codes, entries)),
        *check_output(entries, library),
    ]
    return {"library": library, "findings": findings}


async def judge(state: AuditState, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Have the sentences judged that cite a commit or stand under one; without a judge they are not checked."""
    library, deps = state["library"], runtime.context.judge
    sentences = sentences_of(state["entries"], library)
    if deps is None or deps.models is None:
        return {"findings": unchecked(sentences, 'no judge is configured: set analyst = "model" and a model')}
    # Importing what talks to models takes longer than most audits.
    from graphs.audit_judging import judge_sentences

    return {"findings": await judge_sentences(sentences, library, deps)}


async def summarise(state: AuditState) -> dict[str, Any]:
    """Count the verdicts, and say what could not be read."""
    entries = state["entries"]
    days = sorted({str(entry.days) for entry in entries if entry.days})
    cited = {name for entry in entries if entry.direct for name in entry.commits}
    about = {"days": days, "commits": len(cited), "not_read": state.get("failures", {})}
    return {"summary": summary(in_order(state["findings"]), **about)}
