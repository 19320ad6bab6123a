"""The daily run: a first look at every repository, a report on each, what ties them, the brief."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.placement import Importance
from agent.editor.placements import Edited, placed_by_rules
from agent.reports.commit_order import leading_rows
from agent.reports.release_sentences import claims_of_release
from agent.settings.values import RepoSpec
from agent.triage.allotment import Candidates, allot
from agent.writing.tasks import MAX_SUMMED, Task, summary_task
from graphs.collecting import collect
from graphs.failures import Node, failing_alone
from graphs.placing_commits_by_model import edit
from graphs.report_assembly import report_of
from graphs.repository import build_repository
from graphs.run_context import RunContext
from graphs.state import (
    AllocateInput,
    AllocateOutput,
    AnalysisInput,
    AnalysisOutput,
    ChaptersInput,
    CollectedInput,
    CollectInput,
    Day,
    DayInput,
    EditInput,
    PublishInput,
    PublishOutput,
    RepositoryInput,
    SharesInput,
    TiesOutput,
)
from graphs.writing import AnalysisGraph, analyse, build_analysis
from tools.history.cross_repository import Connected, RepositoryReading, connected


def build(
    checkpoints: BaseCheckpointSaver[Any] | None = None,
) -> CompiledStateGraph[Day, RunContext, DayInput, Day]:
    """Wire the run."""
    return _wired().compile(checkpointer=checkpoints, name="daily")


@cache
def _wired() -> StateGraph[Day, RunContext, DayInput, Day]:
    """Return the steps of a run, whose types LangGraph inspects once for all days of a process."""
    graph = StateGraph(Day, context_schema=RunContext, input_schema=DayInput)
    add_steps(graph, START)
    return graph


def add_steps(graph: StateGraph[Any, Any, Any, Any], start: str) -> None:
    """Add the steps of a run to a graph that knows after the node `start` what to report on."""
    add_edited_allocation(graph)
    graph.add_node("repository", build_repository())
    graph.add_node("connect", connect)
    graph.add_node("compose", composing(build_analysis()))
    graph.add_node("publish", publish)

    graph.add_conditional_edges(start, to_collect, ["collect", "allocate"])
    graph.add_conditional_edges("allocate", to_repositories, ["repository", "connect"])
    graph.add_edge("repository", "connect")
    graph.add_edge("connect", "compose")
    graph.add_edge("compose", "publish")
    graph.add_edge("publish", END)


def add_edited_allocation(graph: StateGraph[Any, Any, Any, Any]) -> None:
    """Add the steps that look at repositories, edit their commits and share the budget out."""
    graph.add_node("collect", collect)
    graph.add_node("edit", edit)
    # It waits for all repositories, also for those whose editing takes longer.
    graph.add_node("allocate", allocate, defer=True)
    graph.add_conditional_edges("collect", to_edit, ["edit", "allocate"])
    graph.add_edge("edit", "allocate")


@cache
def build_relating() -> CompiledStateGraph[Day, RunContext, DayInput, Day]:
    """Wire a run in which a model relates commits, and code places them and writes."""
    graph = StateGraph(Day, context_schema=RunContext, input_schema=DayInput)
    graph.add_node("collect", collect)
    graph.add_node("allocate", allocate, defer=True)
    graph.add_node("repository", build_repository(is_explained=False))
    graph.add_node("connect", connect)
    graph.add_node("publish", publish)

    graph.add_conditional_edges(START, to_collect, ["collect", "allocate"])
    graph.add_edge("collect", "allocate")
    graph.add_conditional_edges("allocate", to_repositories, ["repository", "connect"])
    graph.add_edge("repository", "connect")
    graph.add_edge("connect", "publish")
    graph.add_edge("publish", END)
    return graph.compile(name="relating")


def to_collect(state: DayInput) -> list[Send] | str:
    """Send each repository to a branch of its own."""
    sends = []
    for spec in state["specs"]:
        sends.append(Send("collect", CollectInput(window=state["window"], spec=spec)))
    return sends or "allocate"


def to_edit(state: CollectedInput) -> list[Send] | str:
    """Send what was collected on; each branch of `collect` sees nothing but its own repository."""
    sends = []
    for spec in state["specs"]:
        if first_look := state["collected"].get(spec.name):
            edition = EditInput(window=state["window"], spec=spec, first_look=first_look)
            sends.append(Send("edit", edition))
    return sends or "allocate"


async def allocate(state: AllocateInput, runtime: Runtime[RunContext]) -> AllocateOutput:
    """Share the budget out over all repositories, by the places of their commits."""
    candidates: dict[RepoId, Candidates] = {}
    for spec in state["specs"]:
        first_look = state["collected"].get(spec.name)
        if first_look is None:
            continue
        edited = _edited(state, spec.name)
        readable = frozenset(triaged.sha for triaged in first_look.table)
        candidates[spec.name] = Candidates(readable, edited.placements, edited.tokens)
    return {"shares": allot(candidates, runtime.context.allowance)}


def _edited(state: AllocateInput, repo: RepoId) -> Edited:
    """Return the places of a repository's commits; those of the rules if editing failed."""
    return state["edited"].get(repo) or placed_by_rules(state["collected"][repo])


def to_repositories(state: SharesInput) -> list[Send] | str:
    """Send each repository that could be read to a branch of its own."""
    readable = [spec for spec in state["specs"] if spec.name in state["collected"]]
    sends = []
    for spec in readable:
        beside = tuple(other for other in readable if other != spec)
        sends.append(send_repository(state, spec, beside))
    return sends or "connect"


def send_repository(state: SharesInput, spec: RepoSpec, beside: tuple[RepoSpec, ...]) -> Send:
    """Send a repository on, with its share of the budget and those it is reported beside."""
    repository = RepositoryInput(
        window=state["window"],
        spec=spec,
        first_look=state["collected"][spec.name],
        edited=_edited(state, spec.name),
        share=state["shares"][spec.name],
        beside=beside,
    )
    return Send("repository", repository)


@failing_alone("connections", otherwise=TiesOutput(ties=Connected()))
async def connect(state: ChaptersInput, runtime: Runtime[RunContext]) -> TiesOutput:
    """Find what ties the repositories to one another."""
    context = runtime.context
    specs = [spec for spec in state["specs"] if spec.name in state["chapters"]]
    readings: dict[RepoId, RepositoryReading] = {}
    if len(specs) > 1:
        for spec in specs:
            reading = await _reading(spec, state, context)
            if reading.tip:
                readings[spec.name] = reading
    ties = await connected(readings, state["window"], context.evidence_cache, context.stories)
    return {"ties": ties}


async def _reading(spec: RepoSpec, state: ChaptersInput, context: RunContext) -> RepositoryReading:
    """Gather what was read of a repository as far as it may lead to others."""
    collected = state["collected"][spec.name]
    chapter = state["chapters"][spec.name]
    threads = {pull.number: ThreadEvidence(thread=pull) for pull in collected.threads.pulls}
    pulls: dict[EvidenceId, ThreadEvidence] = {}
    for sha, number in collected.threads.pull_of.items():
        if number in threads:
            pulls[EvidenceId.commit(spec.name, sha)] = threads[number]
    sources = await context.repositories.open(spec)
    return RepositoryReading(
        code=sources.code,
        threads=sources.threads,
        tip=collected.landing.tip or "",
        dependency_moves=chapter.dependency_moves,
        references=collected.references,
        related=chapter.related,
        links=chapter.links,
        pulls=pulls,
    )


def composing(analysis: AnalysisGraph) -> Node[ChaptersInput, AnalysisOutput | None]:
    """Make the node that has days and brief summed up; if it fails, the rest is published.

    The day of each repository and the brief of all rest on the same sentences about commits, so
    they are written and judged at the same time.
    """

    @failing_alone("brief")
    async def compose(state: ChaptersInput, runtime: Runtime[RunContext]) -> AnalysisOutput | None:
        tasks = [*_summary_tasks(state), *_brief_tasks(state)]
        if runtime.context.models is None or not tasks:
            return None
        summaries = AnalysisInput(tasks=tasks, repository=None, looked_up={})
        return await analyse(analysis, summaries, runtime.context)

    return compose


def _summary_tasks(state: ChaptersInput) -> Iterator[Task]:
    """Yield a task to sum up the day of each repository, if there are several.

    A commit that gets one sentence is short enough, and is left out.
    """
    chapters = state["chapters"]
    if len(chapters) < 2:
        return
    for spec in state["specs"]:
        chapter = chapters.get(spec.name)
        if chapter is None:
            continue
        titles = {row.id: row.title for row in chapter.ledger}
        explained = {row.id for row in chapter.ledger if row.depth == "deep"}
        claims: list[Claim] = []
        for claim in chapter.claims:
            if not claim.free or (claim.about and claim.about[0] in explained):
                claims.append(claim)
        if task := summary_task(spec.name, claims, titles):
            yield task


def _brief_tasks(state: ChaptersInput) -> Iterator[Task]:
    """Yield the task to write the brief from what is said of the commits that matter most.

    Every repository with a commit worth knowing is among them, and every release.
    """
    rows: dict[EvidenceId, LedgerRow] = {}
    claims: list[Claim] = []
    release_claims: list[Claim] = []
    for spec in state["specs"]:
        chapter = state["chapters"].get(spec.name)
        if chapter is None:
            continue
        for row in chapter.ledger:
            rows[row.id] = row
        claims += chapter.claims
        for release in chapter.section.releases:
            release_claims += claims_of_release(spec.name, release)
    about_commits = [claim for claim in claims if claim.about and claim.about[0] in rows]
    written = {claim.about[0] for claim in about_commits if claim.free}
    written_rows = [row for name, row in rows.items() if name in written]
    leading = leading_rows(_worth_the_brief(written_rows), MAX_SUMMED)
    numbers = {row.id: number for number, row in enumerate(leading)}
    summed_claims: list[Claim] = []
    for claim in about_commits:
        if claim.about[0] in numbers or not claim.free:
            summed_claims.append(claim)

    def place_in_brief(claim: Claim) -> tuple[int, float]:
        name = claim.about[0]
        return numbers.get(name, len(numbers)), -rows[name].weight

    summed_claims.sort(key=place_in_brief)
    titles = {name: row.title for name, row in rows.items()}
    task = summary_task(None, summed_claims, titles, release_claims)
    if task is not None:
        yield task


def _worth_the_brief(rows: Sequence[LedgerRow]) -> Sequence[LedgerRow]:
    """Return the rows worth knowing, or all of them where fewer than two are: it sums up several."""
    worth_knowing = [row for row in rows if row.importance >= Importance.WORTH_KNOWING]
    return worth_knowing if len(worth_knowing) > 1 else rows


async def publish(state: PublishInput, runtime: Runtime[RunContext]) -> PublishOutput:
    """Publish the report, then remember what is said in it."""
    context = runtime.context
    report = report_of(state, context.analyst)
    # Of a long window, the evidence takes more memory than the pages.
    context.evidence_cache.clear()
    published = context.publisher.publish(report)
    # With what an earlier run wrote and this one kept, but only of what this run has read.
    covered = {section.repo for section in report.sections}
    sections = tuple(section for section in published.sections if section.repo in covered)
    context.archive.remember(published.model_copy(update={"sections": sections}))
    return {"report": published}
