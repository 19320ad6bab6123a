"""Lists and types that a change writes out."""

from collections.abc import Callable

import pytest

from agent.audit.literals import written_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_TASKS = '+    skip = task in ["token_pick", "token_sort"]'
_SIZE = "+    size = Int64(length) * width"


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("The tasks `token_pick` and `token_sort` are skipped.", False),
        ("The tasks `token_pick` and `sort` are skipped.", True),
        ("跳过 `token_pick` 和 `sort` 任务。", True),
        ("The tasks `token_pick` and `warehouse` are skipped.", False),
    ],
)
def test_a_list_has_the_members_that_the_diff_gives_it(commit: Make, told: str, wrong: bool) -> None:
    assert bool(written_otherwise(told, [commit("Skip some tasks (#3)", _TASKS)])) is wrong


@pytest.mark.parametrize(
    ("told", "wrong"),
    [("The size is an int64 now.", False), ("The size is a float64 now.", True), ("改为用 float32 计算。", False)],
)
def test_a_number_is_whole_or_broken_as_the_diff_has_it(commit: Make, told: str, wrong: bool) -> None:
    assert bool(written_otherwise(told, [commit("Widen the size (#3)", _SIZE)])) is wrong
