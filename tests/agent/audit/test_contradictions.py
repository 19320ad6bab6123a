"""Sentences that a commit's own words contradict."""

from collections.abc import Callable

import pytest

from agent.audit.contradictions import contradicted
from agent.audit.sides import Sides
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("这里用 `fast_path` 而不是 `slow_path`。", False),
        ("这里用 `slow_path` 而不是 `fast_path`。", True),
        ("It calls `slow_path` instead of `fast_path`.", True),
        ("It calls `fast_path` rather than `slow_path`.", False),
    ],
)
def test_a_remark_says_which_of_two_names_is_used(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Add a benchmark (#3)", "+# Uses fast_path instead of slow_path, which", "+fast_path(slow_path)")
    assert bool(contradicted(sentence, [change])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("把缓存从 JSON 迁到 SQL。", False),
        ("把缓存从 SQL 迁到 JSON。", True),
        ("It moves the cache from SQL to JSON.", True),
        ("It moves the cache from JSON to SQL.", False),
    ],
)
def test_a_title_that_moves_to_something_does_not_move_away_from_it(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(contradicted(sentence, [commit("[Cache] Migrate the cache to SQL (#3)")])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("打开 local attention", False),
        ("关闭 local attention", True),
        ("关闭 global attention", False),
        ("关闭测试里的警告，启用 local attention", False),
        ("disables local attention", True),
    ],
)
def test_what_a_title_enables_is_not_disabled(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(contradicted(sentence, [commit("[Bwd] Enable local (#3)")])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("给 ada、bochen、dana7 三人开通权限。", False),
        ("给 ada、bochen、chris 三人开通权限。", True),
        ("给 dana7、ada、bochen 三人开通权限。", False),
        ("给 ada、bochen 两人开通权限。", False),
        ("Grants it to ada, bochen and chris.", True),
    ],
)
def test_a_list_has_the_members_that_the_title_has(commit: Make, sentence: str, wrong: bool) -> None:
    assert bool(contradicted(sentence, [commit("Add CI permission for ada, bochen, dana7 (#3)")])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("第二个操作数由 `A[2]` 改为 `A[1]`。", False),
        ("下标写错了，`A[1]` 改回 `A[2]`。", True),
        ("下标写错了，`A[2]` 改回 `A[1]`。", False),
    ],
)
def test_values_go_the_way_that_the_lines_show(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Fix a typo (#3)", "-call(A[0], A[2], A[2])", "+call(A[0], A[1], A[2])")
    assert bool(Sides().turned(sentence, [change])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [("删除 `old/mla.py`，共 1 行。", False), ("新增 `old/mla.py`，共 1 行。", True), ("`old/mla.py` 被删除。", False)],
)
def test_a_file_that_went_was_not_added(commit: Make, sentence: str, wrong: bool) -> None:
    change = commit("Clean up (#3)", "-x = 1", path="old/mla.py", status="removed")
    assert bool(Sides().turned(sentence, [change])) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("去掉 3.13t 构建。", False),
        ("去掉 3.14t 构建。", True),
        ("It drops 3.13t builds.", False),
        ("It drops 3.14t builds.", True),
        ("It drops 3.12t builds, too.", False),
    ],
)
def test_the_version_that_goes_is_the_one_of_the_title(commit: Make, sentence: str, wrong: bool) -> None:
    message = "Remove 3.13t builds (#3)\n\nNobody needs it while 3.14t is there. This also drops 3.12t."
    assert bool(contradicted(sentence, [commit(message)])) is wrong
