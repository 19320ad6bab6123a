"""Asking for data of a shape, and finding it in whatever a model wrote around it."""

import json
from functools import cache
from typing import Any

from pydantic import BaseModel

_FENCE = "```json"


@cache
def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Give the JSON schema as strict servers want it: every field required, none beside them, nothing by reference."""
    schema = shape.model_json_schema()
    strict: dict[str, Any] = _strict(schema, schema.pop("$defs", {}))
    return strict


def _strict(node: Any, known: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict(one, known) for one in node]
    if not isinstance(node, dict):
        return node
    if name := node.get("$ref"):
        return _strict(known[str(name).rpartition("/")[2]], known)
    kept = {key: value for key, value in node.items() if key not in ("default", "title")}
    fields = {name: _strict(one, known) for name, one in kept.pop("properties", {}).items()}
    told: dict[str, Any] = {key: _strict(value, known) for key, value in kept.items()}
    told |= {"properties": fields} if fields else {}
    if told.get("type") == "object" and "properties" in told:
        told |= {"required": list(told["properties"]), "additionalProperties": False}
    return told


def json_request(shape: type[BaseModel]) -> str:
    """Ask in words for data of a shape."""
    form = json.dumps(schema_of(shape), ensure_ascii=False)
    return f"Answer with one JSON object of this schema and with nothing else, no explanation and no fence:\n{form}"


def json_in(text: str, shape: type[BaseModel]) -> dict[str, Any]:
    """Find the JSON object in an answer: alone, in a fence, or behind words and thoughts; ValueError where none is.

    What stands inside of an object that was cut off is not the object.
    """
    body = text.rpartition("</think>")[2]
    fenced = body.partition(_FENCE)[2]
    for part in (fenced, body) if fenced else (body,):
        start = part.find("{")
        if start < 0:
            continue
        found, _ = json.JSONDecoder().raw_decode(part, start)
        if isinstance(found, dict) and found.keys() & shape.model_fields.keys():
            return found
    raise ValueError("there is no such object in the answer")
