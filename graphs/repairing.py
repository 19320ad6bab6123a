"""Sends refused sentences back to their writer: with reason, the judge's words and an excerpt.

The `repair` node of `graphs/sentence_steps.py` calls this for each commit, summary or answer whose
sentences were refused by code, or refuted or called too wide by the judge.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agent.analysts.subjects import Subject
from agent.analysts.tasks import Draft
from agent.domain.claims import Refused
from agent.domain.spending import Account, fallback
from agent.prompting import ModelError
from agent.sizing import divided
from graphs.run_context import RunContext
from tools.chat.messages import Handles

_MIN_EVIDENCE_SHARE = 0.5  # Of a question about refused sentences, for their evidence


class NewWordings(NamedTuple):
    """A writer's new wordings of refused sentences, and the error, if there was one."""

    drafts: list[Draft]
    account: Account


async def said_anew(
    subject: Subject, task: str, refused: Sequence[Refused], context: RunContext
) -> NewWordings:
    """Ask the writer of a task for new wordings, in several questions if one cannot hold them all."""
    limit = await context.question_limit("writing", subject.account)

    def fits(part: Sequence[Refused]) -> bool:
        form = subject.repair_prompt(_numbered(part), limit.mark)
        return limit.evidence_tokens(form) >= _MIN_EVIDENCE_SHARE * limit.tokens

    drafts: list[Draft] = []
    account = Account()
    for part in divided(refused, fits):
        try:
            drafts += await _new_wordings(subject, task, part, context)
        except ModelError as error:
            account += fallback("repairing", error, subject.about)
    return NewWordings(drafts, account)


async def _new_wordings(
    subject: Subject, task: str, refused: Sequence[Refused], context: RunContext
) -> list[Draft]:
    """Ask for new wordings of some sentences; a sentence that is not said anew is given up."""
    numbered = _numbered(refused)
    texts: dict[str, str] = {}
    for number, refusal in numbered.items():
        texts[number] = " / ".join(refusal.claim.text.values())
    answer = await context.ask_about(
        "writing",
        subject.account,
        subject.repair_prompt(numbered, context.mark),
        lambda budget: subject.excerpt((), refused, budget),
        about=task,
        handles=Handles("id", texts),
    )
    drafts: list[Draft] = []
    for sentence in answer.sentences:
        refused_sentence = numbered.pop(sentence.id.strip("[]. "), None)
        if refused_sentence is None:
            continue
        if claim := subject.again(refused_sentence.claim, sentence):
            drafts.append(Draft(task=task, claim=claim))
    return drafts


def _numbered(refused: Sequence[Refused]) -> dict[str, Refused]:
    return {str(number): refusal for number, refusal in enumerate(refused, start=1)}
