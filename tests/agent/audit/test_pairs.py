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


@pytest.mark.parametrize(
    "told",
    [
        "`kOnly` goes from `{0}` to `{1}`.",
        "`kOnly` is now `{1}` (was `{0}`).",
        "`kOnly` is now {1} (previously it was {0}).",
        "`kOnly`: {0} → {1}.",
        "`kOnly` changes to `{1}` from `{0}`.",
        "`kOnly` is `{1}`, no longer `{0}`.",
        "`kOnly` 由原来的 `{0}` 改成了 `{1}`。",
        "`kOnly` 现为 `{1}`（原为 `{0}`）。",
        "`kOnly` 从 {0} 上调至 {1}。",
    ],
)
def test_whatever_the_words_the_old_value_is_the_one_that_went(commit: Make, told: str) -> None:
    made = commit("Set it (#3)", "-constexpr int kOnly = 12;", "+constexpr int kOnly = 24;")
    assert not turned_round(told.format(12, 24), [made])
    assert turned_round(told.format(24, 12), [made])


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("The engine moves from 0.3.8.post1 to 0.3.9.", False),
        ("The engine moves from 0.3.8.post1 to 0.3.10.", True),
        ("依赖由 `0.3.8.post1` 升级到 `0.3.10`。", True),
    ],
)
def test_a_version_became_the_one_that_stands_in_its_place(commit: Make, told: str, wrong: bool) -> None:
    made = commit("Bump the engine (#3)", "-ARG ENGINE=0.3.8.post1", "+ARG ENGINE=0.3.9")
    assert bool(turned_round(told, [made])) is wrong


def test_an_exchange_that_the_message_tells_is_not_told_the_other_way(commit: Make) -> None:
    made = commit("Use more (#3)\n\nThe number of buffers is `stages` (previously it\nwas `stages - 1`).", "+more()")
    assert not turned_round("There are now `stages` buffers (it was `stages - 1` before).", [made])
    assert turned_round("The number of buffers is `stages - 1` (previously it was `stages`).", [made])


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("The mask now handles 32 elements at a time rather than 24.", False),
        ("The mask now handles 24 elements at a time rather than 32.", True),
        ("掩码一次处理 32 个元素，而不是 24 个。", False),
        ("掩码一次处理 24 个元素，而不是 32 个。", True),
    ],
)
def test_what_is_there_rather_than_before_is_as_the_message_has_it(commit: Make, told: str, wrong: bool) -> None:
    evidence = commit("Mask\n\nAlso process 32 elements a time (rather than prior 24 a time).", "+mask()")
    assert bool(turned_round(told, [evidence])) is wrong
