"""What is on and what is off in a change."""

from collections.abc import Callable

import pytest

from agent.audit.switches import switched_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_WOKEN = ('-    # (True, "one"),', '-    # (True, "two"),', '+    (True, "one"),', '+    (True, "two"),')
_WHEN = (" if self.enable_deep_cache:", "+    self.ratio = 1.0")
_UNSET = ("+    if knobs.use_plan is None:", "+        return True", "+    return knobs.use_plan")


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("Two commented-out cases in `engine/core.py` are re-enabled.", False),
        ("Two commented-out cases in `engine/core.py` are disabled.", True),
        ("重新启用两个用例。", False),
        ("两个用例被禁用。", True),
    ],
)
def test_cases_that_are_no_remarks_any_more_are_on(commit: Make, told: str, wrong: bool) -> None:
    assert bool(switched_otherwise(told, [commit("Run them all (#3)", *_WOKEN)])) is wrong


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("仅在启用 deep cache 时重置。", False),
        ("仅在关闭 deep cache 时重置。", True),
        ("It is reset only when the deep cache is enabled.", False),
        ("It is reset only when the deep cache is disabled.", True),
        ("It is reset only when the flat cache is disabled.", False),
    ],
)
def test_a_condition_is_the_one_that_the_diff_asks_for(commit: Make, told: str, wrong: bool) -> None:
    assert bool(switched_otherwise(told, [commit("Respect the ratio (#3)", *_WHEN)])) is wrong


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("未设置时，默认开启。", False),
        ("未设置时，默认关闭。", True),
        ("When unset, planning is on by default.", False),
        ("When unset, planning is off by default.", True),
    ],
)
def test_what_holds_while_nothing_is_set_is_what_is_returned_then(commit: Make, told: str, wrong: bool) -> None:
    assert bool(switched_otherwise(told, [commit("Add a knob (#3)", *_UNSET)])) is wrong
