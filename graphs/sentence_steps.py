"""The steps of a model's sentences, as nodes: check, judge, and repair, which is done once.

check ─▶ judge ─▶ (repair ─▶ check ─▶ judge, once) ─▶ what follows

`judge` collects what the judge refuses or calls too wide (*narrow*) as `Refused` claims with its
words; if there are any, `repair` has their writers say them anew (`graphs/repairing.py`), and the
new wordings are checked and judged in their place.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from agent.domain.account import Account, Judging, Phase
from agent.domain.claims import Claim, Refused
from agent.domain.look_ups import LookUp
from agent.gate.check import refusals
from agent.judging.rulings import Verdicts
from agent.model_errors import ModelError
from agent.ports import Step
from agent.writing.targets import WritingTarget
from agent.writing.tasks import Draft, Sentences
from graphs.judging import judged_again_if_void
from graphs.repairing import said_anew
from graphs.run_context import RunContext
from graphs.state import CheckOutput, JudgeOutput, SentencesInput, SentencesOutput

StateT = TypeVar("StateT", bound=SentencesInput)
ContextT = TypeVar("ContextT", bound=RunContext)
StateT_contra = TypeVar("StateT_contra", bound=SentencesInput, contravariant=True)
ContextT_contra = TypeVar("ContextT_contra", bound=RunContext, contravariant=True)


class JudgeLook(NamedTuple):
    """The evidence that a judge saw when it looked further.

    If it saw anything, the target has it as evidence, and `look_ups` are all of the task.
    """

    target: WritingTarget
    look_ups: tuple[LookUp, ...] = ()
    account: Account = Account()


class LookFurther(Protocol[StateT_contra, ContextT_contra]):
    """Lets a judge look further before it rules on some claims, about which it may need something."""

    async def __call__(
        self,
        state: StateT_contra,
        target: WritingTarget,
        claims: Sequence[Claim],
        needs: Mapping[str, str],
        context: ContextT_contra,
        /,
    ) -> JudgeLook:
        """Return the target with what was looked up."""
        ...


class _JudgedTask(NamedTuple):
    """The verdicts of a judge on the sentences of a task, and the look-ups if it made any."""

    verdicts: Verdicts
    look_ups: tuple[LookUp, ...]
    account: Account


@dataclass(frozen=True)
class SentenceSteps(Generic[StateT, ContextT]):
    """Nodes over a state that holds `sentences`; `targets` returns what they are about, by task."""

    targets: Callable[[StateT, ContextT], Awaitable[Mapping[str, WritingTarget]]]
    look_further: LookFurther[StateT, ContextT] | None = None  # What a judge can do, if anything

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
        targets = await self.targets(state, runtime.context)
        sentences = state["sentences"]
        passed: list[Draft] = []
        refused: list[Refused] = []
        for draft in sentences.drafts:
            objections = targets[draft.task].objections(draft.claim, refusals)
            if objections:
                refused.append(Refused(task=draft.task, claim=draft.claim, reasons=objections))
            else:
                passed.append(draft)
        return {"sentences": sentences.checked(passed, refused)}

    async def judge(self, state: StateT, runtime: Runtime[ContextT]) -> JudgeOutput:
        """Have the judge read what passed, the sentences of each task by themselves."""
        context = runtime.context
        sentences = state["sentences"]
        targets = await self.targets(state, context)
        tasks = list(dict.fromkeys(draft.task for draft in sentences.passed))
        await announce([targets[task] for task in tasks], runtime, "judging")
        can_look = await self._can_judge_look(sentences, context)
        outcomes = await asyncio.gather(
            *(self._judged(state, task, targets[task], context, can_look) for task in tasks)
        )
        account = spent(targets.values(), context)
        account += Account(judging=Judging(could_look=can_look))
        admitted: list[Claim] = []
        refused: list[Refused] = []
        looked_up: dict[str, tuple[LookUp, ...]] = {}
        for task, outcome in zip(tasks, outcomes, strict=True):
            admitted += outcome.verdicts.admitted
            for claim, reason in outcome.verdicts.refused:
                refused.append(Refused(task=task, claim=claim, reasons=(reason,)))
            account += outcome.account + Account(judging=outcome.verdicts.judging)
            if outcome.look_ups:
                looked_up[task] = outcome.look_ups
        judged = sentences.judged(admitted, refused)
        if self.look_further is None:
            return {"sentences": judged, "account": account}
        return {"sentences": judged, "account": account, "looked_up": looked_up}

    async def _can_judge_look(self, sentences: Sentences, context: ContextT) -> bool:
        if self.look_further is None or not sentences.passed:
            return False
        try:
            return await context.can_judge_look()
        except ModelError:
            return False  # The judge is asked all the same, and it is said why it does not answer

    async def _judged(
        self, state: StateT, task: str, target: WritingTarget, context: ContextT, can_look: bool
    ) -> "_JudgedTask":
        """Have the sentences of a task judged.

        If the target matters most, the judge looks further first; else it does for the sentences
        about which it says what it would have to see, and these are judged again. Sentences that
        were said anew are judged by an excerpt, and by everything if the judge needs more.
        """
        sentences = state["sentences"]
        claims = [draft.claim for draft in sentences.passed if draft.task == task]
        look_ups: tuple[LookUp, ...] = ()
        account = Account()
        if self.look_further and can_look and target.is_must_know and not sentences.repaired:
            looked = await self.look_further(state, target, claims, {}, context)
            target = looked.target
            look_ups = looked.look_ups
            account += looked.account
        former_wordings = [refused for refused in sentences.mended if refused.task == task]
        case = target.case(claims, sentences.passed, former_wordings)
        verdicts, case_account = await judged_again_if_void(
            case, context, target.about, together=True
        )
        account += case_account
        unsure = [claim for claim in claims if claim.id in verdicts.needs]
        if not unsure:
            return _JudgedTask(verdicts, look_ups, account)
        if former_wordings:
            if not target.has_excerpts:
                return _JudgedTask(verdicts, look_ups, account)
            # What it needs may be in the rest.
            shown_more = JudgeLook(target)
        elif self.look_further and can_look:
            shown_more = await self.look_further(state, target, unsure, verdicts.needs, context)
            account += shown_more.account
            if not shown_more.look_ups:
                return _JudgedTask(verdicts, look_ups, account)
        else:
            return _JudgedTask(verdicts, look_ups, account)
        case = shown_more.target.case(unsure, sentences.passed)
        second, case_account = await judged_again_if_void(
            case, context, target.about, together=True
        )
        return _JudgedTask(
            verdicts.replaced_by(second, unsure), shown_more.look_ups, account + case_account
        )

    async def repair(self, state: StateT, runtime: Runtime[ContextT]) -> SentencesOutput:
        """Ask each writer once to reword what was refused, or called too wide, with the reasons.

        It may correct, shorten or give up; new wordings go back to `check` and `judge`.
        """
        context = runtime.context
        sentences = state["sentences"]
        targets = await self.targets(state, context)
        refused_by_task: dict[str, list[Refused]] = {}
        for refused in sentences.repairable:
            refused_by_task.setdefault(refused.task, []).append(refused)
        questions = []
        for task, task_refused in refused_by_task.items():
            questions.append(said_anew(targets[task], task, task_refused, context))
        repairs = await asyncio.gather(*questions)
        account = spent(targets.values(), context)
        drafts: list[Draft] = []
        for new_wordings in repairs:
            drafts += new_wordings.drafts
            account += new_wordings.account
        return {"sentences": sentences.said_anew(drafts), "account": account}


def spent(
    targets: Iterable[WritingTarget], context: RunContext, phase: Phase = "explaining"
) -> Account:
    """Return what the models were paid for some targets since this was asked last."""
    account = Account()
    for payer in dict.fromkeys(target.account for target in targets):
        account += context.take_spent(payer, phase)
    return account


async def announce(targets: Iterable[WritingTarget], runtime: Runtime[Any], what: str) -> None:
    """Stream what is being done for the repositories of some targets, and remarks on the models."""
    for repo in dict.fromkeys(target.repo for target in targets if target.repo):
        runtime.stream_writer(Step(repo, what))
    context: RunContext = runtime.context
    await context.announce_remarks(runtime)
