"""One repository's part of a run: read commits, connect and relate them, write, file."""

import itertools
from collections.abc import Sequence
from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.domain.account import Account
from agent.domain.base import RepoId
from agent.domain.links import Related
from agent.links.outside_reference_claims import outside_claims
from agent.packets.token_budgets import MINOR_PACKET
from agent.ports import Step
from agent.stories.timeline import StoriesFound
from agent.writing.claims_by_rules import fact_claims
from agent.writing.tasks import Task, commit_tasks, minor_tasks
from graphs.chapter_building import ChapterBuilder
from graphs.failures import Node, ending_repository, has_failed
from graphs.material_rebuilding import close_reading, material_of, read_material
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
    LookAheadOutput,
    MaterialInput,
    NextTasksInput,
    NextTasksOutput,
    RelateInput,
    RelateOutput,
    RepositoryInput,
    RepositoryOutput,
    RepositoryState,
    RepositoryStepInput,
    StudyOutput,
    WriteFactsInput,
    WriteFactsOutput,
)
from graphs.writer_look_ups import LookingGraph, build_looking
from graphs.writing import AnalysisGraph, analyse, build_analysis
from graphs.writing_stories import write_stories
from tools.history.find_stories import find_stories, with_relations, with_stories
from tools.search_index_filling import index_run

_MAX_MINOR_BATCH = 8  # Minor commits that one question asks about
_MAX_BLAMED = 60  # Commits whose lines are followed to earlier ones
_MAX_BLAMED_BY_RULES = 20  # Without a model only the newest stories are shown

_NO_STORIES = ConnectOutput(stories=StoriesFound())
_NO_RELATIONS = RelateOutput(related=[], refused=[], account=Account())


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
    graph.add_node("connect", ending_repository(connect, "relations", _NO_STORIES))
    graph.add_node("relate", ending_repository(relate, "relations", _NO_RELATIONS))
    graph.add_node("write_facts", ending_repository(write_facts))
    graph.add_node("file", ending_repository(file))

    graph.add_edge(START, "study")
    graph.add_edge("study", "connect")
    graph.add_edge("connect", "relate")
    if is_explained:
        graph.add_node("look", ending_repository(looking(build_looking()), "analysis"))
        graph.add_edge("connect", "look")
        graph.add_edge(["relate", "look"], "write_facts")
        _add_explaining(graph)
    else:
        graph.add_edge("relate", "write_facts")
        graph.add_edge("write_facts", "file")
    graph.add_edge("file", END)
    return graph.compile(name="repository")


def _add_explaining(
    graph: StateGraph[RepositoryState, RunContext, RepositoryInput, RepositoryOutput],
) -> None:
    """Add the steps in which a model explains commits and writes stories."""
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
    # Who explains a commit need not know what nobody has read.
    configured = {spec.name for spec in (state["spec"], *state["beside"])}
    facts += outside_claims(material, state["first_look"].references, configured)
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


def looking(graph: LookingGraph) -> Node[RelateInput, LookAheadOutput]:
    """Make the node that has writers look into the commits to be explained, while these are related.

    Where time is short or the model small, each looks when its commit is written about.
    """

    async def look(state: RelateInput, runtime: Runtime[RunContext]) -> LookAheadOutput:
        context = runtime.context
        nothing = LookAheadOutput(looked_up={}, account=Account())
        if context.models is None:
            return nothing
        repository = _material_input(state, related=[])
        material = await material_of(repository, context)
        tasks = commit_tasks(state["share"].deep, state["edited"].placements, material, facts=())
        if not tasks:
            return nothing
        repo = state["spec"].name
        await context.models.expect(repo, len(tasks))
        if await _task_count(repo, tasks, context) < len(tasks):
            return nothing
        conversations = AnalysisInput(tasks=tasks, repository=repository, looked_up={})
        output = await graph.ainvoke(conversations, context=context)
        looked_up = {task.key: output["looked_up"].get(task.key, ()) for task in tasks}
        return LookAheadOutput(looked_up=looked_up, account=output["account"])

    return look


def _material_input(state: RelateInput, related: list[Related]) -> MaterialInput:
    """Return what sentences about the repository's day are written from."""
    return MaterialInput(
        window=state["window"],
        spec=state["spec"],
        first_look=state["first_look"],
        reading=state["reading"],
        stories=state["stories"],
        related=related,
    )


def explaining(analysis: AnalysisGraph) -> Node[ExplainInput, AnalysisOutput]:
    """Make the node that has tasks written, checked and judged; if it fails, facts are published."""

    async def explain(state: ExplainInput, runtime: Runtime[RunContext]) -> AnalysisOutput:
        keys = {task.key for task in state["tasks"]}
        looked_up = {key: shown for key, shown in state["looked_up"].items() if key in keys}
        tasks = AnalysisInput(
            tasks=state["tasks"],
            repository=_material_input(state, state["related"]),
            looked_up=looked_up,
        )
        return await analyse(analysis, tasks, runtime.context)

    return explain


async def file(state: FileInput, runtime: Runtime[RunContext]) -> FileOutput:
    """Build the chapter of a repository: a row for every landed commit, and the claims."""
    context = runtime.context
    sources = await context.repositories.open(state["spec"])
    material = await material_of(state, context)
    builder = ChapterBuilder(state=state, context=context, code=sources.code, material=material)
    chapter = await builder.chapter()
    if context.questions is not None:
        await index_run(context.questions, sources, state["first_look"], material)
    return {"chapters": {state["spec"].name: chapter}, "refused": list(state["edited"].refused)}
