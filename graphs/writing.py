"""The steps of a model's sentences: look up, write, check, judge, repair once."""

import asyncio
from functools import cache
from typing import NamedTuple, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.domain.account import Account, fallback
from agent.domain.claims import Claim
from agent.model_errors import ModelError
from agent.writing.minor_commits_target import MinorCommitsTarget
from agent.writing.tasks import Draft, Sentences
from graphs.judge_look_ups import judge_look
from graphs.run_context import RunContext
from graphs.sentence_steps import SentenceSteps, announce, spent
from graphs.state import (
    AnalysisInput,
    AnalysisOutput,
    AnalysisState,
    SentencesOutput,
    SettleOutput,
)
from graphs.writer_look_ups import after_look, after_look_up, look, look_up
from graphs.writing_targets import TaskTarget, writing_targets
from tools.chat.requests_and_replies import Handles

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
    graph.add_node("look", look)
    graph.add_node("look_up", look_up)
    graph.add_node("write", write)
    graph.add_node("settle", settle)
    SentenceSteps[AnalysisState, RunContext](writing_targets, judge_look).add_to(graph, "settle")

    graph.add_edge(START, "look")
    graph.add_conditional_edges("look", after_look, ["look_up", "write"])
    graph.add_conditional_edges("look_up", after_look_up, ["look", "write"])
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
    targets = await writing_targets(state, context)
    await announce(targets.values(), runtime, "writing")
    answers = await asyncio.gather(*(_written(target, context) for target in targets.values()))
    account = spent(targets.values(), context)
    drafts: list[Draft] = []
    for task, answer in zip(targets, answers, strict=True):
        drafts += [Draft(task=task, claim=claim) for claim in answer.claims]
        account += answer.account
    return {"sentences": Sentences.written(drafts), "account": account}


class _Written(NamedTuple):
    """The answer of a model for one task, or why there is none."""

    claims: list[Claim]
    account: Account


async def _written(target: TaskTarget, context: RunContext) -> _Written:
    """Have one task written; if the model fails, return no claims and the reason."""
    task = target.task
    try:
        if not task.is_summary:
            await context.require_models().check_time(target.account, task.key)
        answer = await context.ask_about(
            "writing",
            target.account,
            target.write_prompt(),
            lambda budget: target.evidence((), budget),
            about=task.key,
            handles=_handles(target),
        )
    except ModelError as error:
        return _Written([], fallback(target.part, error, target.about))
    return _Written(target.claims(answer), Account())


def _handles(target: TaskTarget) -> Handles:
    """Return the short names that a writer may use: of minor commits, or of published sentences."""
    if isinstance(target, MinorCommitsTarget):
        commits = {handle: minor.read.evidence.id for handle, minor in target.commits.items()}
        return Handles("commit", commits)
    rests = {handle: claim.id for handle, claim in target.task.rests.items()}
    return Handles("rests_on", rests)


async def settle(state: AnalysisState) -> SettleOutput:
    """Hand on what is published, and what was refused with its reasons."""
    sentences = state["sentences"]
    return {
        "analysis": list(sentences.published),
        "refused": [*sentences.mended, *sentences.failed],
    }
