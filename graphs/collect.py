"""The first look at a repository: what landed, what its threads say, and how much each commit matters."""

import itertools
from functools import cache
from operator import add, or_
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.domain.base import AppError, RepoId
from agent.domain.commits import Change, Coverage, Notice, NoticeKind
from agent.domain.ledger import OwnUse, Triage
from agent.domain.report import Failure
from agent.domain.window import Window
from agent.links.recorded import day_links
from agent.links.references import Day, day_references
from agent.ports import Desk, Step
from agent.reports.chapter import share
from agent.settings.values import RepoSpec
from agent.triage.collected import Collected, Scales, filter_notices
from agent.triage.score import lifted, rank
from graphs.run_context import RunContext, failing_alone
from tools.evidence_cache import EvidenceCache
from tools.index_for_search import read_threads


class CollectInput(TypedDict):
    """Which repository to look at."""

    window: Window
    spec: RepoSpec


class CollectOutput(TypedDict, total=False):
    """What the first look hands to the run."""

    collected: Annotated[dict[RepoId, Collected], or_]
    failures: Annotated[list[Failure], add]


class CollectState(CollectInput, CollectOutput, total=False):
    """The state of a first look."""

    found: Collected


@cache
def build() -> CompiledStateGraph[CollectState, RunContext, CollectInput, CollectOutput]:
    """Wire the first look at one repository."""
    graph = StateGraph(CollectState, context_schema=RunContext, input_schema=CollectInput, output_schema=CollectOutput)
    graph.add_node("list_commits", failing_alone(list_commits))
    graph.add_node("triage", failing_alone(triage))
    graph.add_edge(START, "list_commits")
    graph.add_edge("list_commits", "triage")
    graph.add_edge("triage", END)
    return graph.compile(name="collect")


async def list_commits(state: CollectState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Find what landed and what the window's threads say."""
    deps, spec, window = runtime.context, state["spec"], state["window"]
    runtime.stream_writer(Step(spec.name, "opening"))
    desk = await deps.desks.open(spec)
    runtime.stream_writer(Step(spec.name, "listing commits"))
    landing = await desk.code.landed(window, known_tip=deps.landings.known_tip(spec.name, window))
    shas = [row.commit.sha for row in (*landing.rows, *landing.late)]
    mine = share(landing, deps.landings.elsewhere(spec.name, window, shas))
    runtime.stream_writer(Step(spec.name, "reading issues and pull requests"))
    known = deps.issues.known_open(spec.name, window)
    threads = await read_threads(desk, window, [row.commit for row in (*mine.rows, *mine.late)], known)
    if known and threads.coverage is not Coverage.NOT_READ and (cut := deps.issues.cut_short(spec.name)):
        # Only the first run lists what is open; every later report rests on that list.
        threads = threads.model_copy(update={"coverage": Coverage.PARTIAL, "notices": (*threads.notices, cut)})
    told = tuple(
        Notice(kind=NoticeKind.TOLD_BEFORE, about=(row.commit.sha[:12], owner.window))
        for row, owner in mine.told_before
    )
    collected = Collected(
        landing=landing.model_copy(update={"notices": (*landing.notices, *told)}),
        rows=mine.rows,
        late=mine.late,
        threads=threads,
        references=day_references(
            Day(spec.name, landing.branch, [row.commit for row in (*mine.rows, *mine.late)], threads)
        ),
        failures=tuple(Failure(repo=spec.name, stage="threads", message=message) for message in threads.missing),
    )
    return {"found": collected}


async def triage(state: CollectState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Read every diff that may be read, and weigh the commits by what is in them."""
    deps, repo = runtime.context, state["spec"].name
    collected = state["found"]
    desk = await deps.desks.open(state["spec"])
    commits = [row.commit for row in collected.landed]
    known = deps.issues.known(repo, state["window"])
    day = Day(repo, collected.landing.branch, commits, collected.threads)
    links = day_links(day, collected.references, known.issues)
    scales = Scales(collected.model_copy(update={"links": links}), state["spec"])
    wanted = collected.shas[: desk.diffs]
    weighed: list[Triage] = []
    problem = "the diff could not be read"
    runtime.stream_writer(Step(repo, "reading diffs", 0, len(wanted)))
    done = itertools.count(1)

    def look(_: Change) -> None:
        runtime.stream_writer(Step(repo, "reading diffs", next(done), len(wanted)))

    try:
        async for evidence in deps.library.skim(desk.code, wanted, look):
            weighed.append(scales.weigh(evidence))
    except AppError as error:
        problem = str(error)
    own_uses = await _own_uses(deps, desk, collected)
    missing = set(wanted) - {one.sha for one in weighed}
    spent = dict.fromkeys(collected.shas[len(wanted) :], f"subject only: the budget of {desk.diffs} diffs is spent")
    failed = Failure(repo=repo, stage="diffs", message=f"{len(missing)} of {len(collected.landed)}: {problem}")
    update = {
        "landing": collected.landing.model_copy(
            update={"notices": (*collected.landing.notices, *filter_notices(weighed))}
        ),
        "table": lifted(rank(weighed, deps.tiers), {one.sha for one in own_uses}),
        "own_uses": own_uses,
        "links": links,
        "unread": spent | dict.fromkeys(sorted(missing), problem),
        "failures": (*collected.failures, *([failed] if missing else [])),
    }
    return {"collected": {repo: collected.model_copy(update=update)}}


async def _own_uses(deps: RunContext, desk: Desk, found: Collected) -> tuple[OwnUse, ...]:
    """Find what the user's own code uses of what changes; for that, commits are read with whole files."""
    if deps.own is None or not found.landed:
        return ()
    # Not with what is read of them otherwise: a resumed run has not read all of them like this.
    landed, library = [row.commit for row in found.landed], EvidenceCache()
    read = await library.study_all(desk.code, found.shas[: desk.diffs], landed=landed)
    return deps.own.found(desk.code.repo, {one.change.commit.sha: one.sheet.touched for one in read if one.sheet})
