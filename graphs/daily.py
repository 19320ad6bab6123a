"""A daily run: collect → list for each repository in parallel, then publish the whole report."""

from collections.abc import Sequence
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.domain import Change, Coverage, Landed, Landing, Notice, NoticeKind, Threads
from agent.errors import AppError
from agent.ledger import Unread, ledger_row, share
from agent.report import Depth, Failure, LedgerRow, Report, RepoSection
from agent.settings import RepoSpec
from agent.threads import issue_news, release_news
from agent.window import Window
from graphs.desk import Deps, Desk


class Day(TypedDict):
    """The state of a whole run."""

    window: Window
    specs: tuple[RepoSpec, ...]
    sections: Annotated[list[RepoSection], add]
    ledger: Annotated[list[LedgerRow], add]
    failures: Annotated[list[Failure], add]
    report: Report


class Beat(TypedDict):
    """The state of one repository within a run."""

    window: Window
    spec: RepoSpec
    landing: Landing
    rows: tuple[Landed, ...]
    late: tuple[Landed, ...]
    threads: Threads
    sections: Annotated[list[RepoSection], add]
    ledger: Annotated[list[LedgerRow], add]
    failures: Annotated[list[Failure], add]


def build() -> CompiledStateGraph[Day, Deps, Any, Any]:
    """Wire the run."""
    repository = _repository()

    async def cover(state: Beat, runtime: Runtime[Deps]) -> dict[str, Any]:
        """Run one repository; what goes wrong in it must not stop the others."""
        try:
            result = await repository.ainvoke(state, context=runtime.context)
        except AppError as error:
            failure = Failure(repo=state["spec"].name, stage="code", message=str(error))
            return {"failures": [failure]}
        return {key: result.get(key, []) for key in ("sections", "ledger", "failures")}

    graph = StateGraph(Day, context_schema=Deps)
    graph.add_node("cover", cover)
    graph.add_node("publish", publish)
    graph.add_conditional_edges(START, assign, ["cover", "publish"])
    graph.add_edge("cover", "publish")
    graph.add_edge("publish", END)
    return graph.compile(name="daily")


def _repository() -> CompiledStateGraph[Beat, Deps, Any, Any]:
    graph = StateGraph(Beat, context_schema=Deps)
    graph.add_node("collect", collect)
    graph.add_node("list", list_commits)
    graph.add_edge(START, "collect")
    graph.add_edge("collect", "list")
    graph.add_edge("list", END)
    return graph.compile(name="repository")


def assign(state: Day) -> list[Send] | str:
    """Hand each repository to a branch of its own."""
    return [Send("cover", {"window": state["window"], "spec": spec}) for spec in state["specs"]] or "publish"


async def collect(state: Beat, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Find what landed and what the window's threads say."""
    deps, spec, window = runtime.context, state["spec"], state["window"]
    deps.progress.step(spec.name, "opening")
    desk = await deps.desks.open(spec)
    deps.progress.step(spec.name, "listing commits")
    landing = await desk.code.landed(window, known_tip=deps.landings.known_tip(spec.name, window))
    shas = [row.commit.sha for row in (*landing.rows, *landing.late)]
    mine = share(landing, deps.landings.elsewhere(spec.name, window, shas))
    threads, failures = await _threads(desk, state, deps, (*mine.rows, *mine.late))
    told = tuple(
        Notice(kind=NoticeKind.TOLD_BEFORE, about=(row.commit.sha[:12], owner.window))
        for row, owner in mine.told_before
    )
    return {
        "landing": landing.model_copy(update={"notices": (*landing.notices, *told)}),
        "rows": mine.rows,
        "late": mine.late,
        "threads": threads,
        "failures": failures,
    }


async def _threads(desk: Desk, state: Beat, deps: Deps, landed: Sequence[Landed]) -> tuple[Threads, list[Failure]]:
    """Read the threads; a report without them is still a report, and says so."""
    repo = state["spec"].name
    deps.progress.step(repo, "reading issues and pull requests")
    known = deps.issues.known_open(repo)
    try:
        commits = [row.commit for row in landed]
        threads = await desk.threads.threads(state["window"], commits, known_open=known)
        if known and (cut := deps.issues.cut_short(repo)):
            # Only the first run lists what is open; every later report rests on that list.
            threads = threads.model_copy(update={"coverage": Coverage.PARTIAL, "notices": (*threads.notices, cut)})
    except AppError as error:
        threads = Threads(coverage=Coverage.NOT_READ, missing=(str(error),))
    return threads, [Failure(repo=repo, stage="threads", message=message) for message in threads.missing]


async def list_commits(state: Beat, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Give every landed commit its row in the ledger, with line counts from its diff."""
    deps, repo, landing, threads = runtime.context, state["spec"].name, state["landing"], state["threads"]
    desk = await deps.desks.open(state["spec"])
    landed = [*((row, False) for row in state["rows"]), *((row, True) for row in state["late"])]
    rows, failures = await _read(desk, [row for row, _ in landed], deps)
    deps.issues.remember(repo, threads)
    section = RepoSection(
        repo=repo,
        branch=landing.branch,
        tip=landing.tip,
        coverage=threads.coverage,
        coverage_notices=threads.notices,
        issues=issue_news(threads, state["window"]),
        releases=release_news(threads.releases, state["window"]),
        notices=landing.notices,
    )
    ledger = [
        ledger_row(row, rows[row.commit.sha], late=late, pull=threads.pull_of.get(row.commit.sha))
        for row, late in landed
    ]
    return {"sections": [section], "ledger": ledger, "failures": failures}


async def _read(desk: Desk, landed: list[Landed], deps: Deps) -> tuple[dict[str, Change | Unread], list[Failure]]:
    """Read the diffs within the budget; what stays unread says why."""
    repo = desk.code.repo
    wanted = [row.commit.sha for row in landed][: desk.diffs]
    found: dict[str, Change | Unread] = {
        row.commit.sha: Unread(Depth.LIST, f"subject only: the budget of {desk.diffs} diffs is spent")
        for row in landed[len(wanted) :]
    }
    problem = "the diff could not be read"
    try:
        async for change in desk.code.changes(wanted):
            # Only counts are kept: a patch leaves memory before the next one arrives.
            found[change.commit.sha] = _without_patches(change)
            deps.progress.step(repo, "reading diffs", len(found), len(landed))
    except AppError as error:
        problem = str(error)
    missing = [sha for sha in wanted if sha not in found]
    found |= {sha: Unread(Depth.FAILED, problem) for sha in missing}
    failures = [Failure(repo=repo, stage="diffs", message=f"{len(missing)} of {len(landed)}: {problem}")]
    return found, failures if missing else []


def _without_patches(change: Change) -> Change:
    """Drop the text that the listing does not need."""
    return change.model_copy(update={"files": tuple(f.model_copy(update={"patch": None}) for f in change.files)})


async def publish(state: Day, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Put the parts together in the order asked for, make them public, then remember what was told."""
    deps, window = runtime.context, state["window"]
    order = {spec.name: place for place, spec in enumerate(state["specs"])}
    report = Report(
        window=window,
        repos=tuple(order),
        sections=tuple(sorted(state.get("sections", []), key=lambda section: order[section.repo])),
        ledger=tuple(sorted(state.get("ledger", []), key=lambda row: order[row.repo])),
        failures=tuple(sorted(state.get("failures", []), key=lambda failure: (order[failure.repo], failure.stage))),
    )
    published = deps.publisher.publish(report)
    for section in report.sections:
        if section.tip is not None:
            rows = report.rows(section.repo)
            deps.landings.remember(
                section.repo,
                window,
                tip=section.tip,
                rows=[row.sha for row in rows if not row.late],
                late=[row.sha for row in rows if row.late],
            )
    return {"report": published}
