"""Results that belong to one of several things."""

from collections.abc import Callable

import pytest

from agent.audit.scores import other_score
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("提交说明称反向 14/14 测试通过。", False),
        ("提交说明称反向 17/17 测试通过。", True),
        ("反向 14/14、前向 17/17 测试通过。", False),
        ("17/17 backward tests pass.", True),
        ("14/14 backward tests pass, 17/17 forward tests pass.", False),
        ("17/17 测试通过。", False),
    ],
)
def test_a_result_is_told_of_what_it_is_a_result_of(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Add it (#3)\n\nValidated: 14/14 backward tests pass, 17/17 forward\nregression tests pass.")
    assert bool(other_score(sentence, [change])) is wrong
