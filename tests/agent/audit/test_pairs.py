"""Values that a sentence says were exchanged, and the lines that exchange them."""

from collections.abc import Callable

import pytest

from agent.audit.pairs import turned_round
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_LINES = (
    "-constexpr int kMost = 8;",
    "-constexpr int kLeast = 8;",
    "+constexpr int kMost = 16;",
    "+constexpr int kLeast = 4;",
)


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("`kMost` 由 8 提升到 16。", False),
        ("`kMost` 由 8 提升到 32。", True),
        ("It takes `kMost` from 8 to 16.", False),
        ("It takes `kMost` from 8 to 4.", True),
        ("It takes `kLeast` from 8 to 4.", False),
        ("It takes the whole from 8 to 32.", False),
    ],
)
def test_a_name_has_the_value_that_its_line_has_now(commit: Make, told: str, wrong: bool) -> None:
    assert bool(turned_round(told, [commit("Raise the most (#3)", *_LINES)])) is wrong
