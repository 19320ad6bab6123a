"""Small judgements about what a model writes: its repetitions, its size, the JSON in it."""

import pytest
from pydantic import BaseModel

from agent.prompting import json_in, rambles, schema_of, tokens_of


def test_endless_repetition_is_seen_and_a_long_text_is_not_taken_for_it() -> None:
    assert rambles("It is: " + "and faster, " * 80)
    assert rambles("x" * 700)
    assert not rambles(
        " ".join(f"line {number} changes value {number * 7}" for number in range(200))
    )


def test_tokens_are_estimated_on_the_safe_side() -> None:
    english = "The scheduler now keeps the prefix cache between requests. " * 20
    assert len(english) / 4.5 < tokens_of(english) < len(english) / 2.5
    assert tokens_of("调度器现在会保留前缀缓存") >= 12


class Inner(BaseModel):
    text: str = ""


class Outer(BaseModel):
    parts: list[Inner] = []


def test_json_is_found_in_a_fence_and_behind_thoughts_but_not_inside_of_what_was_cut_off() -> None:
    right = '{"parts": [{"text": "a"}]}'
    for around in (
        right,
        f"```json\n{right}\n```",
        f"<think>{{x}}</think>\n{right}",
        f"Here: {right} Bye.",
    ):
        assert json_in(around, Outer) == {"parts": [{"text": "a"}]}
    for wrong in ('{"parts": [{"text": "a"}', "no", "[1]", '{"other": 1}', ""):
        with pytest.raises(ValueError):
            json_in(wrong, Outer)


def test_a_schema_is_strict_and_refers_to_nothing() -> None:
    schema = schema_of(Outer)
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["parts"]
    assert schema["properties"]["parts"]["items"]["required"] == ["text"]
    assert "$" not in str(schema)
