"""What counts as a sentence of a model: whole, and in the language that was asked for."""

import re

import pytest

from agent.structure import schema_of
from agent.utterances import Statement, is_in, statements_in


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


def test_a_small_model_cannot_begin_a_chinese_sentence_in_english_where_schemas_are_kept_to() -> None:
    schema = schema_of(statements_in(("zh", "en"), 2, least=2))
    fields = schema["properties"]["statements"]["items"]["properties"]
    assert re.match(fields["zh"]["pattern"], "撤销了 `GatedActType`。")
    assert not re.match(fields["zh"]["pattern"], " reverting it")
    assert "pattern" not in fields["en"]
    # What another server lets through is read all the same, and judged later.
    shape = statements_in(("zh",), 1, least=1)
    assert shape.model_validate({"statements": [{"zh": " reverting it"}]})
