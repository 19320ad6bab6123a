"""Numbers behind words that a change has with another number."""

from collections.abc import Callable

import pytest

from agent.audit.phrases import numbered_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_MESSAGE = "Spread buckets\n\n- up to 2048: linear step 256\n- beyond: linear step 512, at most 40 rounds"


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("linear, step 256;", False),
        ("linear, step 128;", True),
        ("之后为 linear step 512。", False),
        ("之后为 linear step 1024。", True),
        ("linear step 40", False),
        ("a linear pass of 128", False),
        ("It adds 128 lines.", False),
    ],
)
def test_a_number_stands_behind_the_words_of_the_change(commit: Make, told: str, wrong: bool) -> None:
    evidence = commit(_MESSAGE, "+step = max(rounds, 40)")
    assert bool(numbered_otherwise(told, [evidence])) is wrong
