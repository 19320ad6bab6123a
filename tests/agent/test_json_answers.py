"""What a model is told of the shape of its answer, and the JSON in what it says."""

import pytest
from pydantic import BaseModel

from agent.json_answers import json_in, schema_of


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
