"""What turned into what is found in whichever words it is told, and told the wrong way round it is known for that."""

import pytest

from agent.asking.turns import turn_between, turns_of

_TITLES = (
    "Rename SLA Finder to Workload Explorer (#5)",
    "Replace SLA Finder with Workload Explorer",
    "Use Workload Explorer instead of SLA Finder in the benchmarks",
    "把 SLA Finder 换成 Workload Explorer",
    "用 Workload Explorer 取代 SLA Finder",
)


@pytest.mark.parametrize("title", _TITLES)
@pytest.mark.parametrize(
    "question", ["who renamed Workload Explorer to SLA Finder?", "从 Workload Explorer 改成 SLA Finder 的提交"]
)
def test_the_wrong_way_round_is_known(title: str, question: str) -> None:
    (told,), (asked,) = turns_of(title), turns_of(question)
    assert told.opposes(asked)
    assert not told.agrees(asked)


@pytest.mark.parametrize("title", _TITLES)
def test_the_right_way_round_is_known(title: str) -> None:
    (told,), (asked,) = turns_of(title), turns_of("when did it go from SLA Finder to Workload Explorer?")
    assert told.agrees(asked)


def test_what_is_used_now_cannot_have_been_given_up() -> None:
    (told,), (asked,) = turns_of("Use pinned memory for copies"), turns_of("从 pinned memory 换回普通内存的那次改动")
    assert told.opposes(asked)


@pytest.mark.parametrize("text", ["the default was set to recompute", "默认值改成 recompute"])
def test_only_the_new_side_may_be_told(text: str) -> None:
    (turn,) = turns_of(text)
    assert "recompute" in turn.new
    assert not turn.old


def test_versions_stay_whole() -> None:
    (turn,) = turns_of("bump it from 0.6.3 to 0.6.4.")
    assert ("0.6.3" in turn.old, "0.6.4" in turn.new) == (True, True)


def test_long_texts_are_no_values() -> None:
    assert turn_between("a" * 60, "b") is None
