"""What counts as a sentence of a model: whole, and in the language that was asked for."""

import pytest

from agent.utterances import Statement, is_in


@pytest.mark.parametrize(
    "text",
    [
        "添加了多节点测试脚本，",
        "添加了 `get_diff",
        "添加了多节点（以及多卡测试脚本。",
        "添加了多节点测试脚本，多节点测试脚本，多节点测试脚本。",
    ],
)
def test_half_a_sentence_is_none(text: str) -> None:
    assert not is_in(Statement(zh=text), ("zh",))


def test_a_whole_sentence_is_one() -> None:
    assert is_in(Statement(zh="添加了多节点测试脚本。"), ("zh",))
    assert is_in(Statement(en="The limit of routes is lowered."), ("en",))
