"""What a question says was done is told from what it only tells the circumstances by, or asks for."""

import pytest

from agent.asking.acts import ACTS, takes_for_granted
from agent.asking.inquiry import Act


@pytest.mark.parametrize(
    ("question", "act"),
    [
        ("who upgraded torch to 2.10?", Act.BUMPED),
        ("torch 是谁升级的", Act.BUMPED),
        ("which commit removed the probe?", Act.REMOVED),
        ("哪个提交修复了缓存泄漏", Act.FIXED),
    ],
)
def test_what_is_asked_about_is_taken_for_granted(question: str, act: Act) -> None:
    assert takes_for_granted(act, question, named=False)


@pytest.mark.parametrize(
    ("question", "act"),
    [
        ("after upgrading the engine it does not know --probe any more. gone?", Act.BUMPED),
        ("which prefixes are copied, and how do I add my own?", Act.ADDED),
        ("the new image prints a warning about --probe, what replaces it?", Act.ADDED),
        ("启动时报 --probe deprecated 警告，现在该用哪个？", Act.DEPRECATED),
        ("升级之后报不认识 --probe 这个参数", Act.BUMPED),
        ("is the fix still there? if it was removed, why", Act.REMOVED),
        ("这个修复还在吗？如果被删掉了是为什么", Act.REMOVED),
        ("the cache leaks. is that fixed?", Act.FIXED),
        ("缓存泄漏修了没？怎么修的", Act.FIXED),
        ("后来给 lm_head 加了什么判断", Act.ADDED),
        ("现在在哪个架构上才启用", Act.ENABLED),
        ("is caching allowed on POWER now or still force disabled there?", Act.DISABLED),
    ],
)
def test_circumstances_conditions_and_what_is_asked_for_are_not(question: str, act: Act) -> None:
    assert ACTS[act].search(question)
    assert not takes_for_granted(act, question, named=False)
