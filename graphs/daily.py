"""A daily run: scout every repository, share out the reading, cover each, and publish the whole report."""

from collections.abc import Sequence
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.allotment import allot
from agent.errors import AppError
from agent.evidence import ThreadEvidence
from agent.ids import RepoId
from agent.report import Failure, Report
from agent.settings import RepoSpec
from agent.weaving.adoptions import Borrower
from agent.window import Window
from graphs import covering, scouting
from graphs.adopting import Adopting, Adoptions
from graphs.connecting import Connected, Reading, connected
from graphs.covering import Chapter
from graphs.desk import Deps
from graphs.scouting import Scouted

REPORT = "report"
"""Under this name the published report is noted."""
CONNECTED = "connected"
"""Under this name it is noted what is said over several repositories."""
ADOPTED = "adopted"
"""Under this name it is noted what a repository takes up of others."""


class Day(TypedDict):
    """The state of a run: names only; what they stand for is in the run's notes."""

    window: Window
    specs: tuple[RepoSpec, ...]
    scouted: Annotated[list[str], add]
    covered: Annotated[list[str], add]
    failed: Annotated[list[str], add]


class Beat(TypedDict):
    """What one branch of a run is told: its repository."""

    window: Window
    spec: RepoSpec


class Rounds(TypedDict):
    """What the branch is told that goes from one repository to the others."""

    window: Window
    specs: tuple[RepoSpec, ...]


def build(checkpoints: "BaseCheckpointSaver[Any] | None" = None) -> CompiledStateGraph[Day, Deps, Any, Any]:
    """Wire the run."""
    graph = StateGraph(Day, context_schema=Deps)
    graph.add_node("scout", scout)
    graph.add_node("allocate", allocate)
    graph.add_node("cover", cover)
    graph.add_node("publish", publish)
    graph.add_conditional_edges(START, to_scouts, ["scout", "allocate"])
    graph.add_edge("scout", "allocate")
    graph.add_node("adopt", adopt)
    graph.add_conditional_edges("allocate", to_desks, ["cover", "adopt", "publish"])
    graph.add_node("connect", connect)
    graph.add_edge("cover", "connect")
    graph.add_edge("adopt", "connect")
    graph.add_edge("connect", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=checkpoints, name="daily")


def to_scouts(state: Day) -> list[Send] | str:
    """Hand each repository to a branch of its own."""
    return [Send("scout", Beat(window=state["window"], spec=spec)) for spec in state["specs"]] or "allocate"


async def scout(state: Beat, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Take a first look at one repository; what goes wrong in it must not stop the others."""
    repo = state["spec"].name
    try:
        await scouting.build().ainvoke({**state, "done": []}, context=runtime.context)
    except AppError as error:
        return _failed(runtime.context, repo, error)
    return {"scouted": [repo]}


async def allocate(state: Day, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Share out what may be read in depth over all repositories, by what their commits are worth."""
    deps = runtime.context
    order = [spec.name for spec in state["specs"] if spec.name in state["scouted"]]
    tables = {repo: deps.notes.read("scouted", repo, Scouted).table for repo in order}
    for repo, allotment in allot(tables, deps.deep).items():
        deps.notes.keep("allotment", repo, allotment)
    return {}


def to_desks(state: Day) -> list[Send] | str:
    """Hand each repository that could be read to a branch of its own, and several of them to one that compares them."""
    specs = tuple(spec for spec in state["specs"] if spec.name in state["scouted"])
    covers = [Send("cover", Beat(window=state["window"], spec=spec)) for spec in specs]
    rounds = [Send("adopt", Rounds(window=state["window"], specs=specs))] if len(specs) > 1 else []
    return [*rounds, *covers] or "publish"


async def cover(state: Beat, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Write one repository's part; what goes wrong in it must not stop the others."""
    repo = state["spec"].name
    try:
        await covering.build().ainvoke({**state, "done": []}, context=runtime.context)
    except AppError as error:
        return _failed(runtime.context, repo, error)
    return {"covered": [repo]}


def _failed(deps: Deps, repo: RepoId, error: AppError) -> dict[str, Any]:
    deps.notes.keep("failure", repo, Failure(repo=repo, stage="code", message=str(error)))
    return {"failed": [repo]}


async def adopt(state: Rounds, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Look for what each repository takes up of the others; git has time for that while they are covered."""
    deps = runtime.context
    scouted = {spec.name: deps.notes.read("scouted", spec.name, Scouted) for spec in state["specs"]}
    tips = {repo: tip for repo, one in scouted.items() if (tip := one.landing.tip)}
    sources = {spec.name: (await deps.desks.open(spec)).code for spec in state["specs"] if spec.name in tips}
    adopting = Adopting(sources, tips, state["window"], deps.library)
    for repo in tips:
        try:
            found = await adopting.found(repo, _borrowers(scouted[repo]))
        except AppError:
            found = []
        deps.notes.keep(ADOPTED, repo, Adoptions(found=tuple(found)))
    return {}


def _borrowers(scouted: Scouted) -> Sequence[Borrower]:
    numbers, bodies = scouted.threads.pull_of, {pull.number: pull.body for pull in scouted.threads.pulls}
    commits = [(row.commit, numbers.get(row.commit.sha)) for row in scouted.landed]
    return [
        Borrower(commit=commit, pull=pull, uses=scouted.uses.get(commit.sha, ()), body=bodies.get(pull or 0, ""))
        for commit, pull in commits
    ]


async def connect(state: Day, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Find what the repositories take in or up of one another; one that is covered alone takes nothing."""
    deps, window = runtime.context, state["window"]
    order = [spec.name for spec in state["specs"] if spec.name in state.get("covered", [])]
    specs = {spec.name: spec for spec in state["specs"]}
    read = {repo: await _reading(specs[repo], deps) for repo in order} if len(order) > 1 else {}
    known = {repo: one for repo, one in read.items() if one.tip}
    deps.notes.keep(CONNECTED, "run", await connected(known, window, deps))
    return {}


async def _reading(spec: RepoSpec, deps: Deps) -> Reading:
    """Gather what was read of a repository as far as it may lead to others."""
    scouted = deps.notes.read("scouted", spec.name, Scouted)
    tip = scouted.landing.tip or ""
    return Reading(
        code=(await deps.desks.open(spec)).code,
        tip=tip,
        taken=deps.notes.read("chapter", spec.name, Chapter).taken,
        adoptions=deps.notes.read(ADOPTED, spec.name, Adoptions).found if tip else (),
        pulls={pull.id: ThreadEvidence(thread=pull) for pull in scouted.threads.pulls},
    )


async def publish(state: Day, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Put the parts together in the order asked for, make them public, then remember what was told."""
    deps, window = runtime.context, state["window"]
    order = {spec.name: place for place, spec in enumerate(state["specs"])}
    chapters = [deps.notes.read("chapter", repo, Chapter) for repo in order if repo in state.get("covered", [])]
    joined = deps.notes.read(CONNECTED, "run", Connected) if chapters else Connected()
    failures = [deps.notes.read("failure", repo, Failure) for repo in order if repo in state.get("failed", [])]
    failures += [failure for chapter in chapters for failure in chapter.failures]
    report = Report(
        window=window,
        repos=tuple(order),
        sections=tuple(chapter.section for chapter in chapters),
        ledger=tuple(row for chapter in chapters for row in chapter.ledger),
        failures=tuple(sorted(failures, key=lambda failure: (order[failure.repo], failure.stage))),
        claims=(*(claim for chapter in chapters for claim in chapter.claims), *joined.claims),
        links=tuple(link for chapter in chapters for link in chapter.links),
        stories=(*(story for chapter in chapters for story in chapter.stories), *joined.stories),
        drops=(*(drop for chapter in chapters for drop in chapter.drops), *joined.drops),
        analyst=deps.analyst.name,
    )
    deps.let_go()
    published = deps.publisher.publish(report)
    deps.archive.remember(report)
    deps.notes.keep(REPORT, "run", published)
    return {}
