"""A daily run: look at every repository, share out the reading, write each one's part, and publish the report."""

from operator import add, or_
from typing import Annotated, Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from agent.analysts.tasks import Task, summary_task
from agent.domain.accounts import Account
from agent.domain.base import RepoId, commit_id
from agent.domain.claims import Claim, Refused
from agent.domain.evidence import ThreadEvidence
from agent.domain.report import Failure, Report
from agent.domain.window import Window
from agent.reports.chapter import Chapter, drop_of
from agent.settings.values import RepoSpec
from agent.triage.collected import Allotment, Collected, allot
from graphs import analysis, collect, repository
from graphs.collect import CollectInput
from graphs.repository import RepositoryInput
from graphs.run_context import RunContext
from tools.history.cross_repository import Connected, Reading, connected


class DayInput(TypedDict):
    """What to report on."""

    window: Window
    specs: tuple[RepoSpec, ...]


class Day(DayInput, total=False):
    """The state of a run: what its steps hand on to each other."""

    collected: Annotated[dict[RepoId, Collected], or_]
    shares: dict[RepoId, Allotment]
    """What of each repository may be read in depth."""
    chapters: Annotated[dict[RepoId, Chapter], or_]
    failures: Annotated[list[Failure], add]
    joined: Connected
    tasks: list[Task]
    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]
    report: Report


def build(checkpoints: "BaseCheckpointSaver[Any] | None" = None) -> CompiledStateGraph[Day, RunContext, DayInput, Day]:
    """Wire the run."""
    graph = StateGraph(Day, context_schema=RunContext, input_schema=DayInput)
    graph.add_node("collect", collect.build())
    graph.add_node("allocate", allocate)
    graph.add_node("repository", repository.build())
    graph.add_node("connect", connect)
    graph.add_node("compose", analysis.build())
    graph.add_node("publish", publish)
    graph.add_conditional_edges(START, to_collect, ["collect", "allocate"])
    graph.add_edge("collect", "allocate")
    graph.add_conditional_edges("allocate", to_repositories, ["repository", "publish"])
    graph.add_edge("repository", "connect")
    graph.add_conditional_edges(
        "connect", lambda state: "compose" if state["tasks"] else "publish", ["compose", "publish"]
    )
    graph.add_edge("compose", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=checkpoints, name="daily")


def to_collect(state: Day) -> list[Send] | str:
    """Hand each repository to a branch of its own."""
    sends = [Send("collect", CollectInput(window=state["window"], spec=spec)) for spec in state["specs"]]
    return sends or "allocate"


async def allocate(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Share out what may be read in depth over all repositories, by what their commits are worth."""
    found = state.get("collected") or {}
    tables = {spec.name: found[spec.name].table for spec in state["specs"] if spec.name in found}
    return {"shares": allot(tables, runtime.context.deep)}


def to_repositories(state: Day) -> list[Send] | str:
    """Hand each repository that could be read to a branch of its own."""
    window, found, shares = state["window"], state.get("collected") or {}, state["shares"]
    known = [spec for spec in state["specs"] if spec.name in found]
    sends = [
        Send(
            "repository",
            RepositoryInput(
                window=window,
                spec=spec,
                found=found[spec.name],
                allotment=shares[spec.name],
                beside=tuple(other for other in known if other != spec),
            ),
        )
        for spec in known
    ]
    return sends or "publish"


async def connect(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Find what ties the repositories to one another, and name what the brief is written from."""
    deps, chapters = runtime.context, state.get("chapters") or {}
    specs = [spec for spec in state["specs"] if spec.name in chapters]
    read = {spec.name: await _reading(spec, state, deps) for spec in specs} if len(specs) > 1 else {}
    known = {repo: one for repo, one in read.items() if one.tip}
    return {
        "joined": await connected(known, state["window"], deps.library, deps.stories),
        "tasks": _brief(state) if deps.models else [],
    }


async def _reading(spec: RepoSpec, state: Day, deps: RunContext) -> Reading:
    """Gather what was read of a repository as far as it may lead to others."""
    found = state["collected"][spec.name]
    pulls = {pull.number: ThreadEvidence(thread=pull) for pull in found.threads.pulls}
    return Reading(
        code=(await deps.desks.open(spec)).code,
        tip=found.landing.tip or "",
        taken=state["chapters"][spec.name].taken,
        references=found.references,
        related=state["chapters"][spec.name].related,
        pulls={commit_id(spec.name, sha): pulls[n] for sha, n in found.threads.pull_of.items() if n in pulls},
    )


def _brief(state: Day) -> list[Task]:
    """Let the brief be written from what was published of the heaviest commits of all repositories."""
    chapters = [state["chapters"][spec.name] for spec in state["specs"] if spec.name in state["chapters"]]
    rows = {f"{row.repo}@{row.sha}": row for one in chapters for row in one.ledger}
    told = [claim for one in chapters for claim in one.claims if claim.about and claim.about[0] in rows]
    heaviest = sorted(told, key=lambda claim: -rows[claim.about[0]].weight)
    task = summary_task("brief", None, heaviest, {name: row.title for name, row in rows.items()})
    return [task] if task else []


async def publish(state: Day, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Make the report public, then remember what was told."""
    deps = runtime.context
    report = report_of(state, deps.analyst)
    deps.let_go()
    published = deps.publisher.publish(report)
    deps.archive.remember(report)
    return {"report": published}


def report_of(state: Day, analyst: str) -> Report:
    """Put the parts together in the order asked for."""
    order = {spec.name: place for place, spec in enumerate(state["specs"])}
    parts = state.get("chapters") or {}
    chapters = [parts[repo] for repo in order if repo in parts]
    joined = state.get("joined") or Connected()
    failures = [*(state.get("failures") or []), *(failure for chapter in chapters for failure in chapter.failures)]
    return Report(
        window=state["window"],
        repos=tuple(order),
        sections=tuple(chapter.section for chapter in chapters),
        ledger=tuple(row for chapter in chapters for row in chapter.ledger),
        failures=tuple(sorted(failures, key=lambda failure: (order[failure.repo], failure.stage))),
        claims=(
            # As a report that is put over an earlier one has them: what speaks of several repositories comes last.
            *(claim for chapter in chapters for claim in chapter.claims),
            *(state.get("analysis") or []),
            *joined.claims,
        ),
        links=tuple(link for chapter in chapters for link in chapter.links),
        stories=(*(story for chapter in chapters for story in chapter.stories), *joined.stories),
        drops=(
            *(drop for chapter in chapters for drop in chapter.drops),
            *joined.drops,
            *(drop_of(one) for one in state.get("refused") or [] if one.claim.repo is None and not one.repaired),
        ),
        uses=tuple(use for repo in order if repo in parts for use in state["collected"][repo].own_uses),
        analyst=analyst,
        account=state.get("account") or Account(),
    )
