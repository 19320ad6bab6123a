"""How a model's sentences come about: written, checked, judged, repaired once, then handed on."""

import asyncio
from dataclasses import replace
from functools import cache
from typing import NamedTuple, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.analysts.packet import CommitContext, earlier_commits, pieces_of
from agent.analysts.subjects import CommitSubject, SummarySubject, light_dossier
from agent.analysts.tasks import Draft, Sentences
from agent.domain.claims import Claim
from agent.domain.evidence import Material, Read
from agent.domain.spending import Account, fallback
from agent.gate.surroundings import surroundings_note
from agent.prompting import ModelError
from agent.triage.collected import dossier_of
from graphs.material import material_of
from graphs.run_context import RunContext
from graphs.sentence_steps import SentenceSteps, announce, spent
from graphs.state import (
    AnalysisInput,
    AnalysisOutput,
    AnalysisState,
    MaterialInput,
    SentencesOutput,
    SettleOutput,
)
from tools.chat.messages import Handles
from tools.surroundings import release_lines

_WrittenSubject = CommitSubject | SummarySubject


AnalysisGraph = CompiledStateGraph[AnalysisState, RunContext, AnalysisInput, AnalysisOutput]


@cache
def build_analysis() -> AnalysisGraph:
    """Wire the way of a sentence."""
    graph = StateGraph(
        AnalysisState,
        context_schema=RunContext,
        input_schema=AnalysisInput,
        output_schema=AnalysisOutput,
    )
    graph.add_node("write", write)
    graph.add_node("settle", settle)
    SentenceSteps[AnalysisState, RunContext](subjects).add_to(graph, "settle")

    graph.add_edge(START, "write")
    graph.add_edge("write", "check")
    graph.add_edge("settle", END)
    return graph.compile(name="analysis")


async def analyse(
    analysis: AnalysisGraph, tasks: AnalysisInput, context: RunContext
) -> AnalysisOutput:
    """Have tasks written, checked and judged."""
    return cast("AnalysisOutput", await analysis.ainvoke(tasks, context=context))


async def write(state: AnalysisInput, runtime: Runtime[RunContext]) -> SentencesOutput:
    """Have all tasks written at the same time; the models limit how many questions are under way."""
    context = runtime.context
    written_subjects = await subjects(state, context)
    await announce(written_subjects.values(), runtime, "writing")
    answers = await asyncio.gather(
        *(_written(subject, context) for subject in written_subjects.values())
    )
    account = spent(written_subjects.values(), context)
    drafts: list[Draft] = []
    for task, answer in zip(written_subjects, answers, strict=True):
        drafts += [Draft(task=task, claim=claim) for claim in answer.claims]
        account += answer.account
    return {"sentences": Sentences.written(drafts), "account": account}


class _Written(NamedTuple):
    """What a model wrote for one task, or why it did not."""

    claims: list[Claim]
    account: Account


async def _written(subject: _WrittenSubject, context: RunContext) -> _Written:
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
        return _Written([], fallback(subject.part, error, subject.about))
    return _Written(subject.claims(answer), Account())


async def settle(state: AnalysisState) -> SettleOutput:
    """Hand on what is published, and what was refused with its reasons."""
    sentences = state["sentences"]
    return {
        "analysis": list(sentences.published),
        "refused": [*sentences.mended, *sentences.failed],
    }


async def subjects(state: AnalysisInput, context: RunContext) -> dict[str, _WrittenSubject]:
    """Return what the tasks are about, by their keys: summaries first, then commits."""
    subject_by_task: dict[str, _WrittenSubject] = {}
    for task in state["tasks"]:
        if not task.about:
            subject_by_task[task.key] = SummarySubject(
                repo=task.repo,
                account=task.account,
                languages=context.languages,
                dossier=light_dossier(task),
                task=task,
            )
    about_commits = [(task.about, task) for task in state["tasks"] if task.about]
    if not about_commits:
        return subject_by_task
    repository = state["repository"]
    assert repository is not None, "tasks about commits come with their repository"
    material = await material_of(repository, context)
    dossier = dossier_of(material, repository["first_look"])
    reads = {read.evidence.id: read for read in material.reads}
    for commit, task in about_commits:
        read = reads[commit]
        around = await _commit_context(read, material, repository, context)
        note = surroundings_note(around.surroundings)
        subject_by_task[task.key] = CommitSubject(
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
    return subject_by_task


async def _commit_context(
    read: Read, material: Material, repository: MaterialInput, context: RunContext
) -> CommitContext:
    """Return the code around a commit, the earlier commits it goes back to, and their releases."""
    code = (await context.desks.open(repository["spec"])).code
    commit = read.evidence.change.commit
    earlier = earlier_commits(read.evidence.id, repository["stories"], material)
    commits = {"c": commit}
    for handle, evidence in earlier.items():
        commits[handle] = evidence.change.commit
    surroundings = await context.library.surroundings(code, read.evidence)
    releases = await release_lines(code, commits, repository["window"].end)
    return CommitContext(
        surroundings=surroundings.model_copy(update={"releases": releases}), earlier=earlier
    )
