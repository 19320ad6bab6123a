"""The graphs of a run: the day, the part of one repository, and an edition that is made of parts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from operator import add, or_
from typing import Annotated, Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from agent.analysts.tasks import Task, summary_task
from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.evidence import ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, OwnUse
from agent.domain.links import Link, Related, Story
from agent.domain.report import Drop, Failure, Report
from agent.domain.spending import Account
from agent.domain.window import Window
from agent.links.admitted import untold_relations
from agent.reports.chapter import Chapter, drop_of
from agent.reports.outcome import model_failures
from agent.settings.values import RepoSpec
from agent.triage.collected import Collected, allot
from graphs.reading import choose, collect, read, tools, wants_tools
from graphs.relating import relate
from graphs.repository import (
    NODES,
    AnalysisOutput,
    RepositoryOutput,
    RepositoryState,
    build_analysis,
)
from graphs.run_context import (
    ReadState,
    RunContext,
    failing_alone,
    has_failed,
)
from tools.history.cross_repository import Connected, Reading, connected

_TURNS = 4  # How often a model may ask for tools


class DayInput(TypedDict):
    """What to report on."""

    window: Window
    specs: tuple[RepoSpec, ...]


class Day(DayInput, AnalysisOutput, total=False):
    """The state of a run: what its steps hand on to each other."""

    collected: Annotated[dict[RepoId, Collected], or_]
    shares: dict[RepoId, tuple[str, ...]]  # What of each repository may be read in depth
    chapters: Annotated[dict[RepoId, Chapter], or_]
    failures: Annotated[list[Failure], add]
    beside: tuple[
        RepoSpec, ...
    ]  # The other repositories of the edition, where a part is made by itself
    joined: Connected
    report: Report


def build(
    checkpoints: "BaseCheckpointSaver[Any] | None" = None,
) -> CompiledStateGraph[Day, RunContext, DayInput, Day]:
    """Wire the run."""
    graph = StateGraph(Day, context_schema=RunContext, input_schema=DayInput)
    _add_reading(graph, "publish")
    _add_publishing(graph)
    graph.add_edge("repository", "connect")
    return graph.compile(checkpointer=checkpoints, name="daily")


def _add_reading(graph: StateGraph[Day, RunContext, Any, Day], without: str) -> None:
    """Add the first look at each repository, and its part; `without` any, go on to that node."""
    graph.add_node("collect", collect)
    graph.add_node("allocate", allocate)
    graph.add_node("repository", build_repository())
    graph.add_conditional_edges(START, to_collect, ["collect", "allocate"])
    graph.add_edge("collect", "allocate")
    graph.add_conditional_edges(
        "allocate", to_repositories, {"repository": "repository", "publish": without}
    )


def _add_publishing(graph: StateGraph[Day, RunContext, Any, Day]) -> None:
    """Add what comes after the repositories: what ties them together, the brief, and the publication."""
    graph.add_node("connect", failing_alone(connect, "connections"))
    graph.add_node("compose", _composing())
    graph.add_node("publish", publish)
    graph.add_edge("connect", "compose")
    graph.add_edge("compose", "publish")
    graph.add_edge("publish", END)


def to_collect(state: Day) -> list[Send] | str:
    """Send each repository to a branch of its own."""
    sends = []
    for spec in state["specs"]:
        sends.append(Send("collect", ReadState(window=state["window"], spec=spec)))
    return sends or "allocate"


async def allocate(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Share the deep reading out over all repositories, by the weight of their commits."""
    collected = state.get("collected") or {}
    tables = {}
    for spec in state["specs"]:
        if spec.name in collected:
            tables[spec.name] = collected[spec.name].table
    return {"shares": allot(tables, runtime.context.deep)}


def to_repositories(state: Day) -> list[Send] | str:
    """Send each repository that could be read to a branch of its own."""
    collected = state.get("collected") or {}
    readable = [spec for spec in state["specs"] if spec.name in collected]
    sends = []
    for spec in readable:
        others = tuple(other for other in readable if other != spec)
        reading = ReadState(
            window=state["window"],
            spec=spec,
            found=collected[spec.name],
            deep=state["shares"][spec.name],
            beside=state.get("beside") or others,
        )
        sends.append(Send("repository", reading))
    return sends or "publish"


async def connect(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Find what ties the repositories to one another."""
    context = runtime.context
    chapters = state.get("chapters") or {}
    specs = [spec for spec in state["specs"] if spec.name in chapters]
    readings: dict[RepoId, Reading] = {}
    if len(specs) > 1:
        for spec in specs:
            reading = await _reading(spec, state, context)
            if reading.tip:
                readings[spec.name] = reading
    ties = await connected(readings, state["window"], context.library, context.stories)
    return {"joined": ties}


def _composing() -> Any:
    """Make the node that has the brief written, checked and judged; without it the rest is published."""
    analysis = build_analysis()

    async def compose(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
        tasks = _brief(state) if runtime.context.models else []
        if not tasks:
            return {}
        subject = ReadState(window=state["window"], tasks=tasks)
        return await analysis.ainvoke(subject, context=runtime.context)

    return failing_alone(compose, "brief")


async def _reading(spec: RepoSpec, state: Day, context: RunContext) -> Reading:
    """Gather what was read of a repository as far as it may lead to others."""
    collected = state["collected"][spec.name]
    chapter = state["chapters"][spec.name]
    threads = {pull.number: ThreadEvidence(thread=pull) for pull in collected.threads.pulls}
    pulls: dict[EvidenceId, ThreadEvidence] = {}
    for sha, number in collected.threads.pull_of.items():
        if number in threads:
            pulls[EvidenceId.commit(spec.name, sha)] = threads[number]
    desk = await context.desks.open(spec)
    return Reading(
        code=desk.code,
        threads=desk.threads,
        tip=collected.landing.tip or "",
        taken=chapter.taken,
        references=collected.references,
        related=chapter.related,
        pulls=pulls,
    )


def _brief(state: Day) -> list[Task]:
    """Return the task to write the brief from what is said of the heaviest commits of all."""
    chapters = state.get("chapters") or {}
    rows: dict[EvidenceId, LedgerRow] = {}
    claims: list[Claim] = []
    for spec in state["specs"]:
        if spec.name in chapters:
            rows.update((row.id, row) for row in chapters[spec.name].ledger)
            claims += chapters[spec.name].claims
    about_commits = [claim for claim in claims if claim.about and claim.about[0] in rows]
    about_commits.sort(key=lambda claim: -rows[claim.about[0]].weight)
    titles = {name: row.title for name, row in rows.items()}
    task = summary_task(None, about_commits, titles)
    return [task] if task else []


async def publish(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Publish the report, then remember what is said in it."""
    context = runtime.context
    report = report_of(state, context.analyst)
    # Of a long window, what the parts were made of takes more memory than its pages.
    context.library.clear()
    context.gathered.clear()
    published = context.publisher.publish(report)
    # With what an earlier run wrote and this one kept, but only of what this run has read.
    covered = {section.repo for section in report.sections}
    sections = tuple(section for section in published.sections if section.repo in covered)
    context.archive.remember(published.model_copy(update={"sections": sections}))
    return {"report": published}


def report_of(state: Day, analyst: str) -> Report:
    """Put the chapters together in the order of the repositories asked for."""
    repos = [spec.name for spec in state["specs"]]
    by_repo = state.get("chapters") or {}
    chapters = [by_repo[repo] for repo in repos if repo in by_repo]
    joined = state.get("joined") or Connected()
    claims: list[Claim] = []
    links: list[Link] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    related: list[Related] = []
    for chapter in chapters:
        claims += chapter.claims
        links += chapter.links
        stories += chapter.stories
        drops += chapter.drops
        related += chapter.related
    # What speaks of several repositories comes last, as in a report that is merged.
    claims += state.get("analysis") or []
    claims += joined.claims
    stories += joined.stories
    drops += joined.drops
    drops += untold_relations(related, links, stories)
    for refusal in state.get("refused") or []:
        if refusal.claim.repo is None and not refusal.repaired:
            drops.append(drop_of(refusal.claim, refusal.reasons[0]))
    report = Report(
        window=state["window"],
        repos=tuple(repos),
        sections=tuple(chapter.section for chapter in chapters),
        ledger=tuple(row for chapter in chapters for row in chapter.ledger),
        claims=tuple(claims),
        links=tuple(links),
        stories=tuple(stories),
        drops=tuple(drops),
        uses=tuple(_own_uses(state, repos)),
        analyst=analyst,
        account=state.get("account") or Account(),
    )
    failures = _in_order([*_failures(state, chapters), *model_failures(report)], repos)
    return report.model_copy(update={"failures": failures})


def _own_uses(state: Day, repos: Sequence[RepoId]) -> Iterator[OwnUse]:
    chapters = state.get("chapters") or {}
    for repo in repos:
        if repo in chapters:
            yield from state["collected"][repo].own_uses


def _failures(state: Day, chapters: Iterable[Chapter]) -> Iterator[Failure]:
    """Yield each failure once: tasks that are written one by one may fail one by one."""
    yield from dict.fromkeys(state.get("failures") or ())
    for chapter in chapters:
        yield from chapter.failures


def _in_order(failures: Iterable[Failure], repos: Sequence[RepoId]) -> tuple[Failure, ...]:
    """Sort failures by repository and stage; what is over all repositories comes last."""
    order: dict[RepoId | None, int] = {repo: number for number, repo in enumerate(repos)}
    last = len(order)
    return tuple(sorted(failures, key=lambda one: (order.get(one.repo, last), one.stage)))


@cache
def build_repository() -> CompiledStateGraph[
    RepositoryState, RunContext, ReadState, RepositoryOutput
]:
    """Wire the part of one repository; a failure ends it, and nothing else."""
    graph = StateGraph(
        RepositoryState, RunContext, input_schema=ReadState, output_schema=RepositoryOutput
    )
    for node in (choose, read, tools, relate, *NODES):
        graph.add_node(node.__name__, failing_alone(node))
    graph.add_node("explain", _explaining())
    graph.add_edge(START, "choose")
    graph.add_edge("choose", "read")
    graph.add_edge("tools", "read")
    graph.add_conditional_edges("read", _after_reading, ["tools", "study"])
    for step in pairwise(("study", "connect", "relate", "write_facts", "next_tasks")):
        graph.add_edge(*step)
    graph.add_conditional_edges("next_tasks", _after_tasks, ["explain", "file"])
    graph.add_edge("explain", "next_tasks")
    graph.add_edge("file", END)
    return graph.compile(name="repository")


def _explaining() -> Any:
    """Make the node that has tasks written, checked and judged; without it the facts are published."""
    analysis = build_analysis()

    async def explain(state: RepositoryState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        return await analysis.ainvoke(state, context=runtime.context)

    return failing_alone(explain, "analysis")


def _after_reading(state: RepositoryState) -> str:
    if has_failed(state):
        return "study"  # Nodes of a repository that failed do nothing, so they must not loop
    return "tools" if wants_tools(state.get("messages"), _TURNS) else "study"


def _after_tasks(state: RepositoryState) -> str:
    if has_failed(state):
        return "file"
    return "explain" if state.get("tasks") else "file"


# ---------------------------------------------------------------- a day in parts, on any machine


class Part(Frozen):
    """What was read of one repository; without a chapter it could not be read."""

    collected: Collected | None = None
    chapter: Chapter | None = None
    failures: tuple[Failure, ...] = ()
    refused: tuple[Refused, ...] = ()


def build_part(
    checkpoints: "BaseCheckpointSaver[Any]",
) -> CompiledStateGraph[Day, RunContext, Day, Day]:
    """Wire the part of one repository: the first look, and everything up to its chapter."""
    graph = StateGraph(Day, context_schema=RunContext)
    _add_reading(graph, END)
    graph.add_edge("repository", END)
    return graph.compile(checkpointer=checkpoints, name="part")


def build_edition(
    checkpoints: "BaseCheckpointSaver[Any]",
) -> CompiledStateGraph[Day, RunContext, Day, Day]:
    """Wire an edition: what ties its repositories together, the brief, and the publication."""
    graph = StateGraph(Day, context_schema=RunContext)
    _add_publishing(graph)
    graph.add_edge(START, "connect")
    return graph.compile(checkpointer=checkpoints, name="edition")


def part_of(state: Day, repo: RepoId) -> Part:
    """Take out of the state of a part what an edition needs."""
    return Part(
        collected=(state.get("collected") or {}).get(repo),
        chapter=(state.get("chapters") or {}).get(repo),
        failures=tuple(state.get("failures") or ()),
        refused=tuple(state.get("refused") or ()),
    )
