"""The nodes of one repository's part of the report, and how a model's sentences are written, checked and judged."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from operator import add, or_
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.analysts.packet import CommitContext, earlier_commits, pieces_of
from agent.analysts.rules import facts_told
from agent.analysts.subjects import CommitSubject, SummarySubject, light_dossier
from agent.analysts.tasks import Draft, Sentences, Task, commit_tasks, summary_task
from agent.domain.base import RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.evidence import Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Failure, RepoSection
from agent.domain.spending import Account, fallback
from agent.gate.check import refusals
from agent.gate.surroundings import surroundings_note
from agent.ports import Step
from agent.prompting import ModelError, tokens_of
from agent.reports.chapter import (
    Chapter,
    checked_claims,
    count_files,
    issue_news,
    ledger_of,
    release_news,
)
from agent.stories.releases import taken
from agent.triage.collected import dossier_of, readings_of
from graphs.run_context import ReadState, RunContext, material_of
from graphs.sentence_steps import SentenceSteps, announce, spent
from tools.chat.messages import Handles
from tools.history.find_stories import find_stories, told_stories, with_relations, with_stories
from tools.history.past import release_stories, tags_of_window
from tools.index_for_search import index_run
from tools.surroundings import release_lines

_WrittenSubject = CommitSubject | SummarySubject
_MAX_NOTES = 1_500  # Tokens of a model's own notes that it is shown again when it writes
_MAX_BLAMED = 60  # Commits whose lines are followed to earlier ones


class AnalysisOutput(TypedDict, total=False):
    """What a model wrote and may be published, what may not, and what it took."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class AnalysisState(ReadState, AnalysisOutput, total=False):
    """Sentences on their way."""

    sentences: Sentences


class RepositoryOutput(TypedDict, total=False):
    """What a repository hands to the report."""

    chapters: Annotated[dict[RepoId, Chapter], or_]
    failures: Annotated[list[Failure], add]
    refused: Annotated[list[Refused], add]


class RepositoryState(ReadState, AnalysisOutput, RepositoryOutput, total=False):
    """A repository on its way."""

    notes: str
    facts: list[Claim]
    waiting: list[Task]  # Commits that are not explained yet


async def study(state: RepositoryState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Read the whole diffs and the files around them, of what was chosen and of what is worth it."""
    context = runtime.context
    repo = state["spec"].name
    collected = state["found"]
    code = (await context.desks.open(state["spec"])).code
    # Commits that the model passes over are read all the same, so that their facts are told.
    shas = list(dict.fromkeys((*state["chosen"], *state["deep"])))
    numbers = itertools.count(1)

    def report_progress() -> None:
        runtime.stream_writer(Step(repo, "reading in depth", next(numbers), len(shas)))

    landed = [row.commit for row in collected.rows]
    studied = await context.library.study_all(code, shas, report_progress, landed)
    return {
        "readings": readings_of(studied, collected),
        "notes": _last_notes(state.get("messages") or []),
    }


async def connect(state: RepositoryState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Find the stories of the day's commits, and earlier commits that they may go on with."""
    context = runtime.context
    runtime.stream_writer(Step(state["spec"].name, "looking back"))
    code = (await context.desks.open(state["spec"])).code
    material = await material_of(state, context)
    references = state["found"].references
    # Without a model only the newest are told.
    blamed = _MAX_BLAMED if context.models else _MAX_BLAMED // 3
    stories = await find_stories(
        material, references, code, context.library, context.stories, blamed=blamed
    )
    if context.models:
        # Whoever shall say how two commits belong together reads both.
        earlier = {pair.earlier.sha for pair in stories.pairs}
        stories = stories.model_copy(update={"whole": tuple({*stories.whole, *earlier})})
    return {"stories": stories}


async def write_facts(state: RepositoryState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Let code say what the facts say, and name what a model shall explain."""
    context = runtime.context
    runtime.stream_writer(Step(state["spec"].name, "writing"))
    material = await material_of(state, context)
    code = (await context.desks.open(state["spec"])).code
    related = state.get("related") or ()
    stories = await with_relations(
        state["stories"], material, related, code, context.library, context.stories
    )
    facts = with_stories(facts_told(material), stories)
    tasks: list[Task] = []
    if context.models:
        table = [triaged.sha for triaged in state["found"].table]
        tasks = commit_tasks(state["chosen"], state["notes"], table, material, facts)
    return {"facts": facts, "waiting": tasks, "stories": stories}


async def next_tasks(state: RepositoryState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Name what is written next: the commits, then the day.

    Commits go one by one where the model is small, and few at once where time is short: what is
    judged when the time is over can be published.
    """
    repo = state["spec"].name
    waiting = state["waiting"]
    previous = state.get("tasks") or []
    if runtime.context.models is not None:
        await runtime.context.models.expect(repo, len(waiting))
    if waiting:
        count = await _task_count(repo, waiting, runtime.context)
        return {"tasks": waiting[:count], "waiting": waiting[count:]}
    if not state["beside"] or not previous or not previous[0].about:
        return {"tasks": []}
    titles: dict[EvidenceId, str] = {}
    for row in state["found"].landed:
        titles[row.commit.id] = row.commit.title
    claims = [*(state.get("analysis") or []), *state["facts"]]
    task = summary_task(repo, claims, titles)
    return {"tasks": [task] if task else []}


async def _task_count(repo: RepoId, waiting: Sequence[Task], context: RunContext) -> int:
    if await context.is_small():
        return 1
    return await context.asked.tasks_at_once(repo, waiting)


async def file(state: RepositoryState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Put the repository's part together: every landed commit with its row, and what may be said."""
    context = runtime.context
    repo = state["spec"].name
    window = state["window"]
    collected = state["found"]
    desk = await context.desks.open(state["spec"])
    code = desk.code
    material = await material_of(state, context)
    claims, drops = checked_claims(
        state["facts"],
        state.get("analysis") or [],
        state.get("refused") or [],
        dossier_of(material, collected),
        refusals,
    )
    issues = context.issues.known(repo, window)
    is_first_listing = not context.issues.known_open(repo, window)
    context.issues.remember(repo, collected.threads, relisted=is_first_listing)
    account = state.get("account") or Account()
    if context.models is not None and account.spent.calls:
        account += Account(assumed_contexts=await context.models.assumed_contexts(repo))
    releases = await tags_of_window(code, window, collected.threads.releases)
    on_time = {row.commit.id for row in collected.rows}
    changes = [read.evidence.change for read in material.reads if read.evidence.id in on_time]
    section = RepoSection(
        repo=repo,
        branch=collected.landing.branch,
        tip=collected.landing.tip,
        known_tip=context.landings.known_tip(repo, window) or "",
        first_tip=collected.landing.tip,
        files=count_files(changes),
        coverage=collected.threads.coverage,
        coverage_notices=collected.threads.notices,
        issues=issue_news(collected.threads, window, material.links, issues),
        releases=release_news(releases, window),
        notices=collected.landing.notices,
        account=account,
    )
    recent_stories = context.stories.recent(repo, window)
    released = await release_stories(code, material, issues, releases, recent_stories)
    chapter = Chapter(
        section=section,
        ledger=ledger_of(collected, material.reads, account),
        claims=claims,
        links=tuple(material.links),
        stories=(*told_stories(state["stories"], claims), *released),
        related=tuple(state.get("related") or ()),
        taken=tuple(update for read in material.reads for update in taken(read.evidence)),
        drops=drops,
        failures=(*collected.failures, *_fact_failures(material)),
    )
    if context.questions is not None:
        await index_run(context.questions, desk, collected, material)
    return {"chapters": {repo: chapter}}


def _fact_failures(material: Material) -> Iterator[Failure]:
    """Yield a failure for each commit whose facts could not be found."""
    for read in material.reads:
        sheet = read.evidence.sheet
        if sheet is not None and sheet.problem:
            sha = read.evidence.change.commit.sha
            message = f"{sha[:12]}: {sheet.problem}"
            yield Failure(repo=material.repo, stage="facts", message=message)


def _last_notes(messages: Sequence[AnyMessage]) -> str:
    """Return what the model noted when it had read enough."""
    last = messages[-1] if messages else None
    if not isinstance(last, AIMessage) or last.tool_calls:
        return ""
    notes = str(last.text)
    return notes if tokens_of(notes) <= _MAX_NOTES else ""


NODES = (study, connect, write_facts, next_tasks, file)


# ---------------------------------------------------------------- analysis


@cache
def build_analysis() -> CompiledStateGraph[AnalysisState, RunContext, ReadState, AnalysisOutput]:
    """Wire the way of a sentence."""
    graph = StateGraph(
        AnalysisState,
        context_schema=RunContext,
        input_schema=ReadState,
        output_schema=AnalysisOutput,
    )
    graph.add_node("write", write)
    graph.add_node("settle", settle)
    SentenceSteps(subjects).add_to(graph, "settle")
    graph.add_edge(START, "write")
    graph.add_edge("write", "check")
    graph.add_edge("settle", END)
    return graph.compile(name="analysis")


async def write(state: AnalysisState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Have all tasks written at the same time; the models limit how many questions are under way."""
    context = runtime.context
    written_subjects = await subjects(state, context)
    await announce(written_subjects.values(), runtime, "writing")
    answers = await asyncio.gather(
        *(_written(subject, context) for subject in written_subjects.values())
    )
    account = spent(written_subjects.values(), context)
    drafts: list[Draft] = []
    for task, (claims, task_account) in zip(written_subjects, answers, strict=True):
        drafts += [Draft(task=task, claim=claim) for claim in claims]
        account += task_account
    return {"sentences": Sentences.written(drafts), "account": account}


async def _written(subject: _WrittenSubject, context: RunContext) -> tuple[list[Claim], Account]:
    """Have one task written; if the model fails, return no claims and the reason."""
    rests = {handle: claim.id for handle, claim in subject.task.rests.items()}
    try:
        if subject.about:
            await context.asked.check_time(subject.account, subject.about)
        answer = await context.ask_about(
            "writing",
            subject.account,
            subject.write_prompt(),
            lambda budget: subject.evidence((), budget),
            about=subject.task.key,
            handles=Handles("rests_on", rests),
        )
    except ModelError as error:
        return [], fallback(subject.part, error, subject.about)
    return subject.claims(answer), Account()


async def settle(state: AnalysisState) -> dict[str, Any]:
    """Hand on what is published, and what was refused with its reasons."""
    sentences = state["sentences"]
    return {
        "analysis": list(sentences.published),
        "refused": [*sentences.mended, *sentences.failed],
    }


async def subjects(state: AnalysisState, context: RunContext) -> dict[str, _WrittenSubject]:
    """Return what the tasks are about, by their keys: summaries first, then commits."""
    found: dict[str, _WrittenSubject] = {}
    for task in state["tasks"]:
        if not task.about:
            found[task.key] = SummarySubject(
                repo=task.repo,
                account=task.account,
                languages=context.languages,
                dossier=light_dossier(task),
                task=task,
            )
    about_commits = [(task.about, task) for task in state["tasks"] if task.about]
    if not about_commits:
        return found
    material = await material_of(state, context)
    dossier = dossier_of(material, state["found"])
    reads = {read.evidence.id: read for read in material.reads}
    for commit, task in about_commits:
        read = reads[commit]
        around = await _commit_context(read, material, state, context)
        note = surroundings_note(around.surroundings)
        found[task.key] = CommitSubject(
            repo=task.repo,
            account=task.account,
            languages=context.languages,
            dossier=replace(dossier, notes={commit: note}),
            about=commit,
            shown=pieces_of(read.evidence, material) | dict(around.earlier),
            task=task,
            read=read,
            material=material,
            context=around,
        )
    return found


async def _commit_context(
    read: Read, material: Material, state: AnalysisState, context: RunContext
) -> CommitContext:
    """Return the code around a commit, the earlier commits it goes back to, and their releases."""
    code = (await context.desks.open(state["spec"])).code
    commit = read.evidence.change.commit
    earlier = earlier_commits(read.evidence.id, state["stories"], material)
    commits = {"c": commit}
    for handle, evidence in earlier.items():
        commits[handle] = evidence.change.commit
    surroundings = await context.library.surroundings(code, read.evidence)
    releases = await release_lines(code, commits, state["window"].end)
    return CommitContext(
        surroundings=surroundings.model_copy(update={"releases": releases}), earlier=earlier
    )
