"""How much evidence fits beside the real text of a question, and what is divided."""

import json

import pytest

from agent.json_answers import schema_of
from agent.judging.rulings import Rulings
from agent.model_errors import ContextExceeded
from agent.prompt_sizes import EvidencePrompt, QuestionLimit, divided
from agent.prompt_templates import fenced, prompt
from agent.token_estimates import message_tokens, tokens_of

MARK = "c0ffee"
FORM = EvidencePrompt(name="judge", values={"sentences": "[s1] One."}, shape=Rulings)


def limit(tokens: int) -> QuestionLimit:
    return QuestionLimit(tokens=tokens, answer_tokens=500, system="Be honest.", mark=MARK)


def sent_tokens(evidence: str) -> int:
    """Count a question as the client does that sends it."""
    text = prompt("judge", {"sentences": "[s1] One.", "evidence": fenced(evidence, MARK)})
    schema = json.dumps(["Rulings", schema_of(Rulings)])
    return message_tokens(("Be honest.", text, schema))


@pytest.mark.parametrize("tokens", [1_500, 3_000, 20_000])
def test_evidence_fills_a_question_and_never_more(tokens: int) -> None:
    lines = [f"+\tvalue_{number} = {number}" for number in range(4_000)]

    def show(budget: int) -> str:
        """Show too much, as evidence does whose tabs are expanded."""
        return "\n".join(lines[: budget // 4])

    measured = limit(tokens)
    evidence = measured.fit(show, measured.evidence_tokens(FORM))
    assert tokens * 0.85 <= sent_tokens(evidence) <= tokens


def test_a_prompt_that_leaves_no_room_for_evidence_is_an_error_that_says_so() -> None:
    measured = limit(300)
    with pytest.raises(ContextExceeded, match="leaves 0 of 300 tokens for evidence"):
        measured.fit(lambda _: "evidence", measured.evidence_tokens(FORM))
    with pytest.raises(ContextExceeded, match="cannot be shortened"):
        limit(3_000).fit(lambda _: "x" * 9_000, 500)


def test_items_are_halved_until_each_part_fits_and_stay_in_their_order() -> None:
    words = ["a", "bb", "ccc", "dddd", "eeeee"]
    parts = divided(words, lambda part: tokens_of("".join(part)) <= 2)
    assert [word for part in parts for word in part] == words
    assert parts == [["a", "bb", "ccc"], ["dddd"], ["eeeee"]]
    assert divided(["long" * 100], lambda _: False) == [["long" * 100]]
