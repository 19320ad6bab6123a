"""Look-ups of a judge: what it reads in the repository before it rules on sentences about a commit."""

from collections.abc import Mapping, Sequence

from agent.domain.account import Account, Judging, fallback
from agent.domain.claims import Claim
from agent.domain.errors import UpstreamError
from agent.domain.look_ups import LookUp
from agent.prompt_templates import fenced
from agent.writing.targets import CommitTarget, WritingTarget
from graphs.look_up_tools import look_ups_of, offered_tools
from graphs.material_rebuilding import repository_of
from graphs.run_context import RunContext
from graphs.sentence_steps import JudgeLook
from graphs.state import AnalysisInput, AnalysisState
from graphs.tool_conversation import LookLimit, LookQuestion, conversation
from graphs.writing_targets import commit_targets

_LIMIT = LookLimit(turns=2, look_ups=8)  # About a commit
_MAX_NEED = 200  # Characters of what a judge says it would have to see


async def judge_look(
    state: AnalysisState,
    target: WritingTarget,
    claims: Sequence[Claim],
    needs: Mapping[str, str],
    context: RunContext,
) -> JudgeLook:
    """Have the judge of a commit look further before it rules on some sentences.

    `needs` is what it would have to see, by the ids of claims. If it cannot be asked, or a source
    is down, it rules on what it was shown.
    """
    if not isinstance(target, CommitTarget):
        return JudgeLook(target)  # What sums up commits is judged by what was published of them
    earlier = target.context.look_ups
    if any(look_up.by_judge for look_up in earlier):
        return JudgeLook(target)  # One conversation about a commit is enough
    question = _judge_question(target, claims, needs, context.mark)
    try:
        offered = await offered_tools(target, repository_of(state), context)
    except UpstreamError as error:
        return JudgeLook(target, account=fallback("reading", error, target.about))
    look = await conversation(question, offered, _LIMIT, context)
    account = Account()
    if look.error is not None:
        account += fallback("reading", look.error, target.about)
    new: list[LookUp] = []
    for look_up in look_ups_of(look.messages, target):
        new.append(look_up.model_copy(update={"by_judge": True}))
    account += Account(judging=Judging(look_ups=len(new)))
    if not new:
        return JudgeLook(target, account=account)
    return await _with_look_ups(state, target, (*earlier, *new), account, context)


def _judge_question(
    target: CommitTarget,
    claims: Sequence[Claim],
    needs: Mapping[str, str],
    mark: str,
) -> LookQuestion:
    """Return the question about some sentences, with what the judge needs for each."""
    lines: list[str] = []
    for number, claim in enumerate(claims, start=1):
        lines.append(f"[s{number}] {' / '.join(claim.text.values())}")
        if claim.id in needs:
            lines.append(f"   needed: {needs[claim.id][:_MAX_NEED]}")
    with_room = target.with_room()
    return LookQuestion(
        job="judging",
        account=target.account,
        prompt="judge_look",
        about=target.task.key,
        show=lambda budget: with_room.evidence(claims, budget),
        values={"sentences": fenced("\n".join(lines), mark), "most": str(_LIMIT.look_ups)},
    )


async def _with_look_ups(
    state: AnalysisState,
    target: CommitTarget,
    look_ups: tuple[LookUp, ...],
    account: Account,
    context: RunContext,
) -> JudgeLook:
    """Return the target with what was looked up about it as evidence."""
    key = target.task.key
    looked_into = AnalysisInput(
        tasks=[target.task], repository=state["repository"], looked_up={key: look_ups}
    )
    targets = await commit_targets(looked_into, context)
    return JudgeLook(targets[key], look_ups, account)
