"""Repairing refused sentences: their writer gets the reason, the judge's words and an excerpt.

The `repair` node of `graphs/sentence_steps.py` calls this for each commit, summary or answer whose
sentences were refused by code, or refuted or called too wide by the judge.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agent.domain.account import Account, fallback
from agent.domain.claims import Refused
from agent.model_errors import ModelError
from agent.prompt_sizes import divided
from agent.writing.targets import WritingTarget
from agent.writing.tasks import Draft
from graphs.run_context import RunContext
from tools.chat.requests_and_replies import Handles

_MIN_EVIDENCE_SHARE = 0.5  # Of a question about refused sentences, for their evidence


class NewWordings(NamedTuple):
    """A writer's new wordings of refused sentences, and the error, if there was one."""

    drafts: list[Draft]
    account: Account


async def said_anew(
    target: WritingTarget, task: str, refused: Sequence[Refused], context: RunContext
) -> NewWordings:
    """Ask the writer of a task for new wordings, in several questions if one cannot hold them all."""
    limit = await context.question_limit("writing", target.account)

    def fits(part: Sequence[Refused]) -> bool:
        form = target.repair_prompt(_numbered(part), limit.mark)
        return limit.evidence_tokens(form) >= _MIN_EVIDENCE_SHARE * limit.tokens

    drafts: list[Draft] = []
    account = Account()
    for part in divided(refused, fits):
        try:
            drafts += await _new_wordings(target, task, part, context)
        except ModelError as error:
            account += fallback("repairing", error, target.about)
    return NewWordings(drafts, account)


async def _new_wordings(
    target: WritingTarget, task: str, refused: Sequence[Refused], context: RunContext
) -> list[Draft]:
    """Ask for new wordings of some sentences; a sentence that is not said anew is given up."""
    numbered = _numbered(refused)
    texts: dict[str, str] = {}
    for number, refusal in numbered.items():
        texts[number] = " / ".join(refusal.claim.text.values())
    answer = await context.ask_about(
        "writing",
        target.account,
        target.repair_prompt(numbered, context.mark),
        lambda budget: target.excerpt((), refused, budget),
        about=task,
        handles=Handles("id", texts),
    )
    drafts: list[Draft] = []
    for sentence in answer.sentences:
        refused_sentence = numbered.pop(sentence.id.strip("[]. "), None)
        if refused_sentence is None:
            continue
        if claim := target.again(refused_sentence.claim, sentence):
            drafts.append(Draft(task=task, claim=claim))
    return drafts


def _numbered(refused: Sequence[Refused]) -> dict[str, Refused]:
    return {str(number): refusal for number, refusal in enumerate(refused, start=1)}
