"""What counts as a sentence of a model: whole, and in the language that was asked for."""

import pytest

from agent.utterances import Statement, is_in


@pytest.mark.parametrize(
    "text",
    [
        "添加了多节点测试脚本，",
        "添加了 `get_diff",
        "添加了多节点（以及多卡测试脚本。",
        "The limit is lowered, and"[:21],
    ],
)
def test_half_a_sentence_is_none(text: str) -> None:
    lang = "en" if text.isascii() else "zh"
    assert not is_in(Statement(**{lang: text}), (lang,))


def test_a_whole_sentence_is_one() -> None:
    assert is_in(Statement(zh="添加了多节点测试脚本。"), ("zh",))
    assert is_in(Statement(en="The limit of routes is lowered."), ("en",))
