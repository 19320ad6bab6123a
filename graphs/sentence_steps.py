"""The nodes that a model's sentences pass through: check, judge, and repair, which is done once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from agent.analysts.subjects import Subject
from agent.analysts.tasks import Draft
from agent.domain.claims import Refused
from agent.domain.spending import Account, fallback
from agent.gate.check import refusals
from agent.ports import Step
from agent.prompting import ModelError
from agent.sizing import divided
from graphs.judging import judged_or_refused
from graphs.run_context import RunContext
from graphs.state import CheckOutput, SentencesInput, SentencesOutput
from tools.chat.messages import Handles

StateT = TypeVar("StateT", bound=SentencesInput)
ContextT = TypeVar("ContextT", bound=RunContext)
_MIN_REPAIR_SHARE = 0.5  # How much of a question about refused sentences the evidence has at least


@dataclass(frozen=True)
class SentenceSteps(Generic[StateT, ContextT]):
    """Nodes over a state that holds `sentences`; `subjects` returns what they are about, by task."""

    subjects: Callable[[StateT, ContextT], Awaitable[Mapping[str, Subject]]]

    def add_to(self, graph: StateGraph[Any, Any, Any, Any], then: str) -> None:
        """Add check, judge and repair to a graph, and go on to another node."""
        graph.add_node("check", self.check)
        graph.add_node("judge", self.judge)
        graph.add_node("repair", self.repair)
        graph.add_edge("check", "judge")

        def after_judge(state: SentencesInput) -> str:
            return "repair" if state["sentences"].repairable else then

        graph.add_conditional_edges("judge", after_judge, ["repair", then])
        graph.add_edge("repair", "check")

    async def check(self, state: StateT, runtime: Runtime[ContextT]) -> CheckOutput:
        """Run the gate over every draft; those without objections go on to the judge."""
        subjects = await self.subjects(state, runtime.context)
        sentences = state["sentences"]
        passed: list[Draft] = []
        refused: list[Refused] = []
        for draft in sentences.drafts:
            objections = subjects[draft.task].objections(draft.claim, refusals)
            if objections:
                refused.append(Refused(task=draft.task, claim=draft.claim, reasons=objections))
            else:
                passed.append(draft)
        return {"sentences": sentences.checked(passed, refused)}

    async def judge(self, state: StateT, runtime: Runtime[ContextT]) -> SentencesOutput:
        """Have the judge read what passed, the sentences of each task by themselves."""
        context = runtime.context
        sentences = state["sentences"]
        subjects = await self.subjects(state, context)
        tasks = list(dict.fromkeys(draft.task for draft in sentences.passed))
        await announce([subjects[task] for task in tasks], runtime, "judging")
        rulings = await asyncio.gather(
            *(_judged_task(subjects[task], task, sentences.passed, context) for task in tasks)
        )
        account = spent(subjects.values(), context)
        admitted = []
        refused: list[Refused] = []
        for task, (verdicts, task_account) in zip(tasks, rulings, strict=True):
            admitted += verdicts.admitted
            for claim, reason in verdicts.refused:
                refused.append(Refused(task=task, claim=claim, reasons=(reason,)))
            account += task_account
        return {"sentences": sentences.judged(admitted, refused), "account": account}

    async def repair(self, state: StateT, runtime: Runtime[ContextT]) -> SentencesOutput:
        """Show each writer once what was refused; it may correct, shorten or give up."""
        context = runtime.context
        sentences = state["sentences"]
        subjects = await self.subjects(state, context)
        refused_by_task: dict[str, list[Refused]] = {}
        for refused in sentences.repairable:
            refused_by_task.setdefault(refused.task, []).append(refused)
        repairs = await asyncio.gather(
            *(
                _repaired_task(subjects[task], task, refused, context)
                for task, refused in refused_by_task.items()
            )
        )
        account = spent(subjects.values(), context)
        drafts: list[Draft] = []
        for task_drafts, task_account in repairs:
            drafts += task_drafts
            account += task_account
        return {"sentences": sentences.said_anew(drafts), "account": account}


async def _judged_task(
    subject: Subject, task: str, passed: Sequence[Draft], context: RunContext
) -> Any:
    claims = [draft.claim for draft in passed if draft.task == task]
    return await judged_or_refused(subject.case(claims, passed), context, subject.about)


async def _repaired_task(
    subject: Subject, task: str, refused: Sequence[Refused], context: RunContext
) -> tuple[list[Draft], Account]:
    """Ask the writer of a task for new wordings, in several questions if one cannot hold them all."""
    limit = await context.question_limit("writing", subject.account)

    def fits(part: Sequence[Refused]) -> bool:
        form = subject.repair_prompt(_numbered(part), limit.mark)
        return limit.evidence_tokens(form) >= _MIN_REPAIR_SHARE * limit.tokens

    drafts: list[Draft] = []
    account = Account()
    for part in divided(refused, fits):
        try:
            drafts += await _repaired(subject, task, part, context)
        except ModelError as error:
            account += fallback("repairing", error, subject.about)
    return drafts, account


async def _repaired(
    subject: Subject, task: str, refused: Sequence[Refused], context: RunContext
) -> list[Draft]:
    """Ask for new wordings of some sentences; a sentence that is not said anew is given up."""
    numbered = _numbered(refused)
    claims = [refusal.claim for refusal in refused]
    quotes = [reason.nearest for refusal in refused for reason in refusal.reasons]
    texts = {number: " / ".join(one.claim.text.values()) for number, one in numbered.items()}
    answer = await context.ask_about(
        "writing",
        subject.account,
        subject.repair_prompt(numbered, context.mark),
        lambda budget: subject.evidence(claims, budget, quotes),
        about=task,
        handles=Handles("id", texts),
    )
    drafts = []
    for sentence in answer.sentences:
        refusal = numbered.pop(sentence.id.strip("[]. "), None)
        if refusal is None:
            continue
        if claim := subject.again(refusal.claim, sentence):
            drafts.append(Draft(task=task, claim=claim))
    return drafts


def _numbered(refused: Sequence[Refused]) -> dict[str, Refused]:
    return {str(number): refusal for number, refusal in enumerate(refused, start=1)}


def spent(subjects: Iterable[Subject], context: RunContext) -> Account:
    """Return what the models were paid for some subjects since this was asked last."""
    accounts = dict.fromkeys(subject.account for subject in subjects)
    return sum((Account(spent=context.asked.take(name)) for name in accounts), Account())


async def announce(subjects: Iterable[Subject], runtime: Runtime[Any], what: str) -> None:
    """Stream what is being done for the repositories of some subjects, and remarks on the models."""
    for repo in dict.fromkeys(subject.repo for subject in subjects if subject.repo):
        runtime.stream_writer(Step(repo, what))
    context: RunContext = runtime.context
    await context.announce_remarks(runtime)
