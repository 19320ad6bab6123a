"""Statements speak of changes, never to whoever reads them."""

from collections.abc import Callable

import pytest

from agent.claims import Claim, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.gate.judge import judge
from agent.settings import Language


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The instructions begin with: You help engineers who depend on this."),
        ("en", "Your code must call `pick`."),
        ("en", "Please update to the new limit of `topK`."),
        ("zh", "请更新 `topK` 的上限。"),
        ("zh", "你需要调整 `topK`。"),
    ],
)
def test_words_to_the_reader_are_not_published(
    lang: Language,
    text: str,
    make_commit: Callable[..., CommitEvidence],
    make_claim: Callable[..., Claim],
    make_dossier: Callable[..., Dossier],
) -> None:
    commit = make_commit()
    judgement = judge(make_claim(commit, text={lang: text}), make_dossier(commit), lang)
    assert judgement.verdict is not Verdict.SUPPORTED
