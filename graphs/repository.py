"""One repository's part of a run: read commits, connect and relate them, write, file."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.analysts.rules import fact_claims
from agent.analysts.tasks import Task, commit_tasks, minor_tasks
from agent.domain.affected import Affected
from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.evidence import Material
from agent.domain.ledger import FIXES
from agent.domain.placement import Importance, Placement
from agent.domain.report import Failure, RepoSection
from agent.domain.spending import Account
from agent.editor.placements import settled_placements, sorted_groups
from agent.gate.check import refusals
from agent.packet_budgets import MINOR_PACKET
from agent.ports import CodeSource, Step
from agent.reports.chapter import (
    Chapter,
    budget_notices,
    checked_claims,
    count_files,
    issue_news,
    ledger_of,
    release_news,
)
from agent.stories.dependency_moves import DependencyMove, dependency_moves
from agent.triage.collected import Collected, evidence_set_of
from graphs.failing import Node, ending_repository, has_failed
from graphs.material import close_reading, material_of, read_material
from graphs.relating import relate
from graphs.run_context import RunContext
from graphs.state import (
    AfterNextTasksInput,
    AnalysisInput,
    AnalysisOutput,
    ConnectInput,
    ConnectOutput,
    ExplainInput,
    FileInput,
    FileOutput,
    MaterialInput,
    NextTasksInput,
    NextTasksOutput,
    RepositoryInput,
    RepositoryOutput,
    RepositoryState,
    RepositoryStepInput,
    StudyOutput,
    WriteFactsInput,
    WriteFactsOutput,
)
from graphs.writing import AnalysisGraph, analyse, build_analysis
from graphs.writing_stories import write_stories
from tools.affected import affected_versions, first_releases
from tools.history.find_stories import find_stories, published_stories, with_relations, with_stories
from tools.history.past import release_stories, tags_of_window
from tools.index_for_search import index_run
from tools.release_comparison import with_notes

_MAX_MINOR_BATCH = 8  # Minor commits that one question asks about
_MAX_BLAMED = 60  # Commits whose lines are followed to earlier ones
_MAX_BLAMED_BY_RULES = 20  # Without a model only the newest stories are shown


@cache
def build_repository(
    *, is_explained: bool = True
) -> CompiledStateGraph[RepositoryState, RunContext, RepositoryInput, RepositoryOutput]:
    """Wire the part of one repository; a failure ends it, and nothing else.

    What is not explained is related all the same, and filed with what code writes.
    """
    graph = StateGraph(
        RepositoryState,
        context_schema=RunContext,
        input_schema=RepositoryInput,
        output_schema=RepositoryOutput,
    )
    graph.add_node("study", ending_repository(study))
    graph.add_node("connect", ending_repository(connect))
    graph.add_node("relate", ending_repository(relate))
    graph.add_node("write_facts", ending_repository(write_facts))
    graph.add_node("file", ending_repository(file))

    graph.add_edge(START, "study")
    graph.add_edge("study", "connect")
    graph.add_edge("connect", "relate")
    graph.add_edge("relate", "write_facts")
    if is_explained:
        _add_explaining(graph)
    else:
        graph.add_edge("write_facts", "file")
    graph.add_edge("file", END)
    return graph.compile(name="repository")


def _add_explaining(
    graph: StateGraph[RepositoryState, RunContext, RepositoryInput, RepositoryOutput],
) -> None:
    """Add the steps in which a model explains commits and tells stories."""
    graph.add_node("write_stories", ending_repository(write_stories))
    graph.add_node("next_tasks", ending_repository(next_tasks))
    graph.add_node("explain", ending_repository(explaining(build_analysis()), "analysis"))

    graph.add_edge("write_facts", "next_tasks")
    graph.add_conditional_edges(
        "next_tasks", after_next_tasks, ["explain", "write_stories", "file"]
    )
    graph.add_edge("explain", "next_tasks")
    graph.add_edge("write_stories", "next_tasks")


def after_next_tasks(state: AfterNextTasksInput) -> list[str]:
    """Go on to what is to be written; nodes of a failed repository must not loop.

    Stories rest on facts and relations alone, so they are written while the first commits are explained.
    """
    if has_failed(state):
        return ["file"]
    following = []
    if state["tasks"]:
        following.append("explain")
    if state["writes_stories"]:
        following.append("write_stories")
    return following or ["file"]


async def study(state: RepositoryStepInput, runtime: Runtime[RunContext]) -> StudyOutput:
    """Read the whole diffs of what is explained in depth, and the files around them."""
    context = runtime.context
    repo = state["spec"].name
    code = (await context.repositories.open(state["spec"])).code
    shas = state["share"].deep
    numbers = itertools.count(1)

    def report_progress() -> None:
        runtime.stream_writer(Step(repo, "reading in depth", next(numbers), len(shas)))

    landed = [row.commit for row in state["first_look"].rows]
    studied = await context.evidence_cache.study_all(code, shas, report_progress, landed)
    return {"reading": await close_reading(state, studied, context)}


async def connect(state: ConnectInput, runtime: Runtime[RunContext]) -> ConnectOutput:
    """Find the stories of the day's commits, and earlier commits that they may go on with."""
    context = runtime.context
    runtime.stream_writer(Step(state["spec"].name, "looking back"))
    code = (await context.repositories.open(state["spec"])).code
    material = await read_material(state, context)
    stories = await find_stories(
        material,
        state["first_look"].references,
        code,
        context.evidence_cache,
        context.stories,
        blamed=_MAX_BLAMED if context.models else _MAX_BLAMED_BY_RULES,
    )
    if context.models:
        # To say how two commits belong together, a model reads both.
        earlier = {pair.earlier.sha for pair in stories.pairs}
        stories = stories.model_copy(update={"proving": tuple({*stories.proving, *earlier})})
    return {"stories": stories}


async def write_facts(state: WriteFactsInput, runtime: Runtime[RunContext]) -> WriteFactsOutput:
    """Write the claims of facts by code, and list what a model is to explain."""
    context = runtime.context
    runtime.stream_writer(Step(state["spec"].name, "writing"))
    material = await material_of(state, context)
    code = (await context.repositories.open(state["spec"])).code
    stories = await with_relations(
        state["stories"], material, state["related"], code, context.evidence_cache, context.stories
    )
    facts = with_stories(fact_claims(material), stories)
    waiting: list[Task] = []
    if context.models:
        share = state["share"]
        waiting = commit_tasks(share.deep, state["edited"].placements, material, facts)
        batch_size = await _minor_batch_size(state["spec"].name, context)
        waiting += minor_tasks(share.minor, material, facts, batch_size)
    return {
        "facts": facts,
        "stories": stories,
        "stories_pending": True,
        "writes_stories": False,
        "waiting": waiting,
        "tasks": [],
    }


async def _minor_batch_size(repo: RepoId, context: RunContext) -> int:
    """Return how many minor commits fit into one question with a packet each."""
    limit = await context.question_limit("writing", repo)
    return max(1, min(_MAX_MINOR_BATCH, limit.tokens // MINOR_PACKET))


async def next_tasks(state: NextTasksInput, runtime: Runtime[RunContext]) -> NextTasksOutput:
    """Return the tasks for the commits that are written about next, the first time with the stories.

    They go one by one where the model is small, and few at once where time is short: what is
    judged when the time is over can be published.
    """
    context = runtime.context
    repo = state["spec"].name
    waiting = state["waiting"]
    if context.models is not None:
        await context.models.expect(repo, len(waiting))
    count = await _task_count(repo, waiting, context) if waiting else 0
    return {
        "tasks": waiting[:count],
        "waiting": waiting[count:],
        "writes_stories": state["stories_pending"],
        "stories_pending": False,
    }


async def _task_count(repo: RepoId, waiting: Sequence[Task], context: RunContext) -> int:
    if await context.is_small():
        return 1
    return await context.require_models().tasks_at_once(repo, waiting)


def explaining(analysis: AnalysisGraph) -> Node[ExplainInput, AnalysisOutput]:
    """Make the node that has tasks written, checked and judged; if it fails, facts are published."""

    async def explain(state: ExplainInput, runtime: Runtime[RunContext]) -> AnalysisOutput:
        repository = MaterialInput(
            window=state["window"],
            spec=state["spec"],
            first_look=state["first_look"],
            reading=state["reading"],
            stories=state["stories"],
            related=state["related"],
        )
        tasks = AnalysisInput(tasks=state["tasks"], repository=repository)
        return await analyse(analysis, tasks, runtime.context)

    return explain


async def file(state: FileInput, runtime: Runtime[RunContext]) -> FileOutput:
    """Build the chapter of a repository: a row for every landed commit, and the claims."""
    context = runtime.context
    repo = state["spec"].name
    window = state["window"]
    collected = state["first_look"]
    edited = state["edited"]
    sources = await context.repositories.open(state["spec"])
    code = sources.code
    material = await material_of(state, context)
    claims, drops = checked_claims(
        state["facts"],
        state["analysis"],
        [*edited.refused, *state["refused"]],
        evidence_set_of(material, collected),
        refusals,
    )
    issues = context.issues.known(repo, window)
    is_first_listing = not context.issues.known_open(repo, window)
    context.issues.remember(repo, collected.threads, relisted=is_first_listing)
    account = await _account(state, context)
    releases = await tags_of_window(code, window, collected.threads.releases)
    left_out = state["share"].left_out if context.models is not None else {}
    section = RepoSection(
        repo=repo,
        branch=collected.landing.branch,
        tip=collected.landing.tip,
        known_tip=context.landings.known_tip(repo, window) or "",
        first_tip=collected.landing.tip,
        files=count_files(_landed_changes(material, collected)),
        coverage=collected.threads.coverage,
        coverage_notices=collected.threads.notices,
        issues=issue_news(collected.threads, window, material.links, issues),
        releases=await with_notes(code, release_news(releases, window)),
        notices=(*collected.landing.notices, *budget_notices(left_out)),
        account=account,
    )
    used = {use.sha for use in collected.own_uses}
    placements = settled_placements(edited, state["reading"].ranking, collected.shas, used)
    affected = await _affected_versions(code, material, placements, context)
    fixes = [commit.evidence for commit in material.reads if commit.triage.purpose in FIXES]
    fixed_in = await first_releases(code, fixes, until=window.end)
    recent_stories = context.stories.recent(repo, window)
    released = await release_stories(code, material, issues, releases, recent_stories)
    chapter = Chapter(
        section=section,
        ledger=ledger_of(
            collected, material.reads, account, placements, left_out, affected, fixed_in
        ),
        groups=sorted_groups(edited.groups, placements),
        claims=claims,
        links=tuple(material.links),
        stories=(*published_stories(state["stories"], claims, material.links), *released),
        related=tuple(state["related"]),
        dependency_moves=_dependency_moves(material),
        drops=drops,
        failures=(*collected.failures, *_fact_failures(material)),
    )
    if context.questions is not None:
        await index_run(context.questions, sources, collected, material)
    return {"chapters": {repo: chapter}, "refused": list(edited.refused)}


async def _account(state: FileInput, context: RunContext) -> Account:
    """Return what the models were asked for a repository, and what was assumed of them."""
    account = state["edited"].account + state["account"]
    if context.models is None or not account.spent.calls:
        return account
    assumed_contexts = await context.models.assumed_contexts(state["spec"].name)
    return account + Account(assumed_contexts=assumed_contexts)


def _landed_changes(material: Material, collected: Collected) -> list[Change]:
    """Return the diffs of the commits that landed in the window; late ones are not among them."""
    on_time = {row.commit.id for row in collected.rows}
    changes: list[Change] = []
    for commit in material.reads:
        if commit.evidence.id in on_time:
            changes.append(commit.evidence.change)
    return changes


def _dependency_moves(material: Material) -> tuple[DependencyMove, ...]:
    moves: list[DependencyMove] = []
    for commit in material.reads:
        moves += dependency_moves(commit.evidence)
    return tuple(moves)


async def _affected_versions(
    code: CodeSource,
    material: Material,
    placements: Mapping[str, Placement],
    context: RunContext,
) -> dict[str, Affected]:
    """Find which versions have the faults that commits of the day mend, by the hashes of the fixes.

    The lines of a fix are followed to their writer where the commit gets a card.
    """
    affected: dict[str, Affected] = {}
    for commit in material.reads:
        sha = commit.evidence.change.commit.sha
        placement = placements.get(sha)
        importance = commit.triage.importance if placement is None else placement.importance
        versions = await affected_versions(
            code,
            commit.evidence,
            context.evidence_cache,
            until=material.window.end,
            follow_lines=importance >= Importance.WORTH_KNOWING,
        )
        if versions is not None:
            affected[sha] = versions
    return affected


def _fact_failures(material: Material) -> Iterator[Failure]:
    """Yield a failure for each commit whose facts could not be found."""
    for commit in material.reads:
        sheet = commit.evidence.sheet
        if sheet is not None and sheet.problem:
            sha = commit.evidence.change.commit.sha
            message = f"{sha[:12]}: {sheet.problem}"
            yield Failure(repo=material.repo, stage="facts", message=message)
