"""Answers in JSON: what a model is told of their shape, and the JSON in what it says."""

import json
from functools import cache
from typing import Any

from pydantic import BaseModel


@cache
def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema for strict servers.

    All fields are required, additional properties are forbidden, and `$ref` is resolved.
    """
    schema = shape.model_json_schema()
    definitions = schema.pop("$defs", {})
    strict: dict[str, Any] = _strict(schema, definitions)
    return strict


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if reference:
        name = str(reference).rpartition("/")[2]
        return _strict(definitions[name], definitions)
    kept = {key: value for key, value in node.items() if key not in ("default", "title")}
    properties = kept.pop("properties", {})
    fields = {name: _strict(field, definitions) for name, field in properties.items()}
    strict: dict[str, Any] = {key: _strict(value, definitions) for key, value in kept.items()}
    if fields:
        strict["properties"] = fields
    if strict.get("type") == "object" and fields:
        strict["required"] = list(fields)
        strict["additionalProperties"] = False
    return strict


def json_request(shape: type[BaseModel]) -> str:
    """Return words that ask for data of a shape."""
    schema = json.dumps(schema_of(shape), ensure_ascii=False)
    return (
        "Answer with one JSON object of this schema and with nothing else,"
        f" no explanation and no fence:\n{schema}"
    )


def json_in(text: str, shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON object of an answer: alone, in a fence, or behind words and thoughts.

    Raise ValueError if there is none. An inner object of one that was cut off does not count.
    """
    body = text.rpartition("</think>")[2]
    fence = body.partition("```json")[2]
    for part in (fence, body):
        start = part.find("{")
        if start < 0:
            continue
        value, _ = json.JSONDecoder().raw_decode(part, start)
        if isinstance(value, dict) and value.keys() & shape.model_fields.keys():
            return value
    raise ValueError("there is no such object in the answer")


def shape_text(shape: type[BaseModel]) -> str:
    """Return what the shape of an answer adds to a question."""
    return json.dumps([shape.__name__, schema_of(shape)], ensure_ascii=False)
