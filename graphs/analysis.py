"""Analysis: a model writes about commits, or sums up what was published; its sentences are checked and judged."""

import asyncio
from functools import cache
from operator import add
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.analysts.subjects import CommitSubject, SummarySubject, TaskSubject, light_dossier
from agent.analysts.tasks import Sentences, Task
from agent.domain.accounts import Account, fallback
from agent.domain.claims import Claim, Refused
from agent.models import ModelError
from agent.triage.collected import dossier_of
from graphs.judging import SentenceSteps, spent, tell
from graphs.run_context import ReadState, RunContext, material_of


class AnalysisInput(ReadState):
    """What is known, and what to write about."""

    tasks: list[Task]


class AnalysisOutput(TypedDict, total=False):
    """What may be published, what may not, and what it took."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class AnalysisState(AnalysisInput, AnalysisOutput, total=False):
    """Sentences on their way."""

    sentences: Sentences


@cache
def build() -> CompiledStateGraph[AnalysisState, RunContext, AnalysisInput, AnalysisOutput]:
    """Wire the way of a sentence."""
    graph = StateGraph(
        AnalysisState, context_schema=RunContext, input_schema=AnalysisInput, output_schema=AnalysisOutput
    )
    graph.add_node("write", write)
    graph.add_node("settle", settle)
    SentenceSteps(subjects).add_to(graph, "settle")
    graph.add_edge(START, "write")
    graph.add_edge("write", "check")
    graph.add_edge("settle", END)
    return graph.compile(name="analysis")


async def write(state: AnalysisState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Have each task written, all at the same time; the models limit how many questions are under way."""
    deps = runtime.context
    about = await subjects(state, deps)
    tell(about.values(), runtime, "writing")
    said = await asyncio.gather(*(_written(one, deps) for one in about.values()))
    drafts = tuple((key, claim) for key, (claims, _) in zip(about, said, strict=True) for claim in claims)
    account = sum((lost for _, lost in said), spent(about.values(), deps))
    return {"sentences": Sentences(drafts=drafts), "account": account}


async def _written(subject: TaskSubject, deps: RunContext) -> tuple[list[Claim], Account]:
    try:
        answer = await deps.ask("writing", subject.account, *subject.prompt(deps.mark))
        return subject.claims(answer), Account()
    except ModelError as error:
        return [], fallback(subject.part, error, subject.about)


async def settle(state: AnalysisState) -> dict[str, Any]:
    """Hand on what is published, and what was refused with its reasons."""
    now = state["sentences"]
    return {"analysis": list(now.published), "refused": [*now.mended, *now.failed]}


async def subjects(state: AnalysisState, deps: RunContext) -> dict[str, TaskSubject]:
    """Give what the tasks are about, with what was read of it."""
    told = {task.key: await _told(task, deps) for task in state["tasks"]}
    found: dict[str, TaskSubject] = {
        task.key: SummarySubject(**told[task.key], dossier=light_dossier(task.rests, task.titles))
        for task in state["tasks"]
        if not task.about
    }
    if commits := {task.about: task.key for task in state["tasks"] if task.about}:
        material = await material_of(state, deps)
        dossier, reads = dossier_of(material, state["found"]), {one.evidence.id: one for one in material.reads}
        for name, key in commits.items():
            found[key] = CommitSubject(**told[key], dossier=dossier, read=reads[name], material=material)
    return found


async def _told(task: Task, deps: RunContext) -> dict[str, Any]:
    given = {"task": task, "repo": task.repo, "account": task.account, "about": task.about or None}
    return given | {"languages": deps.languages, "room": await deps.packet_room()}
