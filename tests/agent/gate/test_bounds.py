"""A bound is held to its side: what was at most is not at least, and what went is not the bound any more."""

from collections.abc import Callable

import pytest

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.gate.judge import judge
from agent.settings import Language

MESSAGE = "Limit topK again (#41)\n\nThe other version no longer allowed a topK lower than 22."


@pytest.fixture
def told(
    make_commit: Callable[..., CommitEvidence],
    make_dossier: Callable[..., Dossier],
    make_claim: Callable[..., Claim],
) -> Callable[[str], Judgement]:
    commit = make_commit(message=MESSAGE)

    def say(text: str) -> Judgement:
        lang: Language = "zh" if any("一" <= sign <= "鿿" for sign in text) else "en"
        return judge(make_claim(commit, text={lang: text}, about=(commit.id,)), make_dossier(commit), lang)

    return say


@pytest.mark.parametrize("text", ["It limits `topK` to 8.", "It limits `topK` to at most 8.", "将 `topK` 限制为 8。"])
def test_a_bound_that_is_written_now_passes(told: Callable[[str], Judgement], text: str) -> None:
    assert told(text).verdict is Verdict.SUPPORTED, told(text)


@pytest.mark.parametrize(
    "text", ["It limits `topK` to 22.", "It caps `topK` at 22.", "`topK` is at least 8 now.", "将 `topK` 限制为 22。"]
)
def test_a_bound_that_went_or_is_turned_round_does_not(told: Callable[[str], Judgement], text: str) -> None:
    assert told(text).verdict is not Verdict.SUPPORTED, told(text)
