"""How models are asked and their answers taken: prompts, shapes, tokens, and what a server can do."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Literal

from pydantic import BaseModel

from agent.domain.base import Frozen, UpstreamError
from agent.markdown import visible

Job = Literal[
    "reading", "writing", "judging"
]  # What to read next, what to say, whether something said is true
JOBS: tuple[Job, ...] = ("reading", "writing", "judging")


class ModelError(UpstreamError):
    """The model gave nothing that can be used; whoever asked goes on without it."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message, retryable=retryable)


Way = Literal[
    "schema", "tool", "words"
]  # Data is asked for by JSON schema, as the arguments of a tool, or in words
WAYS: tuple[Way, ...] = ("schema", "tool", "words")
DEFAULT_CONTEXT = 8_192


class Capabilities(Frozen):
    """What is known of one model at one address; before anybody asked, the best is hoped for."""

    way: Way = "schema"
    tools: bool = True
    parallel: bool = False  # Several tool calls in one answer
    context: int = DEFAULT_CONTEXT  # Tokens that question and answer may have together
    told: bool = False  # Whether the server named its context; else it is assumed
    pace: float | None = (
        None  # Tokens that it writes in a second, once it has begun; None where nobody looked
    )

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways that are left to try, the best that is known first."""
        return tuple(way for way in WAYS[WAYS.index(self.way) :] if way != "tool" or self.tools)


@cache
def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema for strict servers: all fields required, no additional properties, no `$ref`."""
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
    for part in (body.partition("```json")[2], body):
        found, _ = (
            json.JSONDecoder().raw_decode(part, start)
            if (start := part.find("{")) >= 0
            else (None, 0)
        )
        if isinstance(found, dict) and found.keys() & shape.model_fields.keys():
            return found
    raise ValueError("there is no such object in the answer")


_LONGEST_UNIT = 200
_ENOUGH = (
    600  # So many characters of nothing but repetition; a table or a list of braces repeats less
)


def rambles(text: str) -> bool:
    """Tell whether the end of a text is one short piece over and over."""
    long = len(text) >= _ENOUGH
    return long and any(
        text.endswith(text[-size:] * (_ENOUGH // size)) for size in range(1, _LONGEST_UNIT + 1)
    )


_PER_TOKEN = (
    3.2  # ASCII characters of code and English, on the safe side: tokenizers in use give 3.3 to 4.5
)
_ENVELOPE = 8  # What surrounds each message
_ANSWER = 4_000  # Enough for five sentences about a commit in two languages, with their anchors


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text; a character outside ASCII counts as one."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return int(plain / _PER_TOKEN) + (len(text) - plain) + 1


def fitting(lines: Iterable[str], room: int) -> list[str]:
    """Keep the first lines, as many as fit into some tokens."""
    kept: list[str] = []
    for line in lines:
        room -= tokens_of(line)
        if room < 0:
            break
        kept.append(line)
    return kept


def message_tokens(texts: tuple[str, ...]) -> int:
    """Estimate the tokens of a conversation."""
    return sum(tokens_of(text) + _ENVELOPE for text in texts)


def answer_tokens(context: int) -> int:
    """Give the tokens that an answer may have; a small context keeps three quarters for the question."""
    return min(_ANSWER, context // 4)


@cache
def _template(name: str) -> Template:
    return Template((files("agent") / "prompts" / f"{name}.md").read_text("utf-8"))


def prompt(name: str, values: Mapping[str, str]) -> str:
    """Fill a prompt with values."""
    if surplus := values.keys() - set(_template(name).get_identifiers()):
        raise KeyError(f"prompt {name!r} has no {sorted(surplus)}")
    return _template(name).substitute(values)


def boundary(seed: str) -> str:
    """Make the mark that fences untrusted text; it is the same for the same run, and nobody outside can guess it."""
    return hashlib.sha256(f"fence {seed}".encode()).hexdigest()[:16]


def fenced(text: str, mark: str) -> str:
    """Fence text that others wrote, so that it cannot pass for ours: unseen characters go, and so does the mark."""
    lines = "\n".join(visible_line(line) for line in text.replace(mark, "").splitlines())
    return f"<<{mark}\n{lines}\n{mark}>>"


def visible_line(line: str) -> str:
    """Keep the indentation and what a reader can see of a line, behind the sign of a diff too."""
    if line[:1] in "+-" and line[1:2].isspace():
        return line[0] + visible_line(line[1:])
    indent = len(line) - len(line.lstrip())
    return line[:indent].expandtabs(4) + visible(line)


def repeats_instructions(text: str) -> bool:
    """Tell whether a text holds a sentence of the system prompt, up to the first value that is filled in."""
    plain, told = (" ".join(one.split()) for one in (text, _template("system").template))
    return any(
        f"{one}.".partition("$")[0].strip() in plain for one in told.removesuffix(".").split(". ")
    )
