"""Prompts, the shapes of answers, estimates of tokens, and what the server of a model can do."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Literal

from pydantic import BaseModel

from agent.domain.account import Limit
from agent.domain.base import Frozen
from agent.domain.errors import UpstreamError
from agent.markdown import visible

Job = Literal["reading", "writing", "judging"]
"""What a model does: choose what to read, write sentences, or judge them."""
JOBS: tuple[Job, ...] = ("reading", "writing", "judging")
Way = Literal["schema", "tool", "words"]
"""How data is asked for: by a JSON schema, as the arguments of a tool, or in words."""
WAYS: tuple[Way, ...] = ("schema", "tool", "words")

DEFAULT_CONTEXT = 8_192  # Tokens that are assumed where a server does not report its context length
_MAX_ANSWER_TOKENS = 4_000
"""Enough for five sentences about a commit in two languages, with their anchors."""
_ASCII_PER_TOKEN = 3.2
"""ASCII characters of a token, on the safe side: tokenizers in use give 3.3 to 4.5."""
_MESSAGE_TOKENS = 8  # What a chat template puts around each message
_MIN_QUESTION_TOKENS = 3_000  # A slow server is asked no shorter questions than this
_READING_SHARE = 1 / 3  # Of the time for an answer, for a slow server to read the question


class ModelError(UpstreamError):
    """The model gave nothing that can be used; the caller goes on without it."""

    def __init__(
        self, message: str, *, retryable: bool = False, limit: Limit | None = None
    ) -> None:
        super().__init__(message, retryable=retryable)
        self.limit = limit  # The limit of the budget that is reached, if that is the cause


class ContextExceeded(ModelError):
    """A question does not fit into the model's context; a shorter one may."""


class Unsupported(ModelError):
    """The server does not accept a request made in this way; another way may work."""


class Capabilities(Frozen):
    """Capabilities of a model at an endpoint; the defaults are optimistic until it is probed."""

    way: Way = "schema"
    tools: bool = True
    parallel: bool = False  # Several tool calls in one answer
    context: int = DEFAULT_CONTEXT  # Tokens that question and answer may have together
    told: bool = False  # Whether the server or the settings name the context; else it is assumed
    pace: float | None = None  # Tokens a second that it writes; None where that was not measured
    reading_pace: float | None = None
    """Tokens a second that a slow server reads; None for a fast one."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways of asking that are left to try, the best first."""
        left = WAYS[WAYS.index(self.way) :]
        return tuple(way for way in left if way != "tool" or self.tools)

    @property
    def is_slow(self) -> bool:
        """True for a server that takes long to read a question."""
        return self.reading_pace is not None

    def question_tokens(self, answer_seconds: float) -> int:
        """Return the tokens that a question may have.

        The answer needs a part of the context, and a slow server must be able to read the
        question in a part of the time that an answer may take.
        """
        fitting_context = self.context - answer_tokens(self.context)
        if self.reading_pace is None:
            return fitting_context
        read_in_time = int(self.reading_pace * answer_seconds * _READING_SHARE)
        return min(fitting_context, max(_MIN_QUESTION_TOKENS, read_in_time))


# ---------------------------------------------------------------- shapes of answers


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


_MAX_REPEATED = 200  # Characters of a piece that is repeated
_MIN_REPETITION = 600
"""Characters of nothing but repetition; a table or a list of braces repeats less."""


def rambles(text: str) -> bool:
    """Return True if the end of a text is one short piece over and over."""
    if len(text) < _MIN_REPETITION:
        return False
    sizes = range(1, _MAX_REPEATED + 1)
    return any(text.endswith(text[-size:] * (_MIN_REPETITION // size)) for size in sizes)


# ---------------------------------------------------------------- tokens


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text; a character outside ASCII counts as one."""
    ascii_count = len(text) if text.isascii() else sum(map(str.isascii, text))
    return int(ascii_count / _ASCII_PER_TOKEN) + (len(text) - ascii_count) + 1


def fitting(lines: Iterable[str], budget: int) -> list[str]:
    """Return the first lines, as many as fit into some tokens."""
    kept: list[str] = []
    for line in lines:
        budget -= tokens_of(line)
        if budget < 0:
            break
        kept.append(line)
    return kept


def message_tokens(texts: tuple[str, ...]) -> int:
    """Estimate the tokens of a conversation."""
    return sum(tokens_of(text) + _MESSAGE_TOKENS for text in texts)


def shape_text(shape: type[BaseModel]) -> str:
    """Return what the shape of an answer adds to a question."""
    return json.dumps([shape.__name__, schema_of(shape)], ensure_ascii=False)


def answer_tokens(context: int) -> int:
    """Return the tokens that an answer may have: a quarter of a small context."""
    return min(_MAX_ANSWER_TOKENS, context // 4)


# ---------------------------------------------------------------- prompts


@cache
def _template(name: str) -> Template:
    return Template((files("agent") / "prompts" / f"{name}.md").read_text("utf-8"))


def prompt(name: str, values: Mapping[str, str]) -> str:
    """Return a prompt filled with values; a missing or surplus value is a KeyError."""
    template = _template(name)
    surplus = values.keys() - set(template.get_identifiers())
    if surplus:
        raise KeyError(f"prompt {name!r} has no {sorted(surplus)}")
    return template.substitute(values)


_LINE_NUMBER = re.compile(r" {0,8}\d{1,8}  ")
"""How tools print the number of a line in front of it, which may be indented itself."""


def boundary(seed: str) -> str:
    """Return the mark that fences untrusted text: the same for the same run, and hard to guess."""
    return hashlib.sha256(f"fence {seed}".encode()).hexdigest()[:16]


def fenced(text: str, mark: str) -> str:
    """Return untrusted text between marks, without invisible characters and without the mark."""
    lines = [visible_line(line) for line in text.replace(mark, "").splitlines()]
    body = "\n".join(lines)
    return f"<<{mark}\n{body}\n{mark}>>"


def visible_line(line: str) -> str:
    """Return the indentation and the visible characters of a line, of a diff or with its number."""
    numbered = _LINE_NUMBER.match(line)
    if numbered is not None:
        return numbered[0] + visible_line(line[numbered.end() :])
    if line[:1] in "+-" and line[1:2].isspace():
        return line[0] + visible_line(line[1:])
    indent = len(line) - len(line.lstrip())
    return line[:indent].expandtabs(4) + visible(line)


def repeats_instructions(text: str) -> bool:
    """Return True if a text holds a sentence of the system prompt, up to the first value in it."""
    words = " ".join(text.split())
    system = " ".join(_template("system").template.split())
    sentences = system.removesuffix(".").split(". ")
    return any(f"{sentence}.".partition("$")[0].strip() in words for sentence in sentences)
