"""Inputs of actions, declared in `action.yml` and passed by workflows."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"""( *)(- +)?(?:["']?([\w.-]+)["']?\s*:)?(?:\s+(.*))?""")
_MAX_LINE = 1_000


class ActionInput(NamedTuple):
    """An input of an action."""

    is_required: bool = False


class GivenInput(NamedTuple):
    """An input that a step of a workflow gives to an action."""

    action: str  # As `owner/name` or `owner/name/path`
    name: str
    line: int


class _YamlLine(NamedTuple):
    number: int
    indent: int  # Of the key itself, behind the dash of a list
    key: str
    value: str
    is_item: bool


def _lines(text: str) -> Iterator[_YamlLine]:
    """Yield the lines that are keys of a block mapping; other forms of YAML have none."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line[:_MAX_LINE])
        if match is None or not match[3]:
            continue
        indent = len(match[1]) + len(match[2] or "")
        value = (match[4] or "").partition(" #")[0].strip()
        yield _YamlLine(number, indent, match[3], value, match[2] is not None)


def action_inputs(text: str) -> dict[str, ActionInput]:
    """Return the inputs that an `action.yml` declares."""
    inputs: dict[str, ActionInput] = {}
    is_inside = False
    name_indent = 0
    name = ""
    for line in _lines(text):
        if line.indent == 0:
            is_inside = line.key == "inputs"
            name_indent = 0
        elif is_inside:
            name_indent = name_indent or line.indent
            if line.indent == name_indent:
                name = line.key
                inputs[name] = ActionInput()
            elif line.key == "required":
                inputs[name] = ActionInput(is_required=line.value == "true")
    return inputs


def given_inputs(text: str) -> Iterator[GivenInput]:
    """Yield what the steps of a workflow give to actions."""
    step_indent = -1
    with_indent = -1
    name_indent = -1
    action = ""
    for line in _lines(text):
        if line.indent < step_indent or (line.is_item and line.indent <= step_indent):
            action = ""
            step_indent = -1
        if line.indent <= with_indent:
            with_indent = -1
        if line.key == "uses":
            action = line.value.strip("\"'").partition("@")[0]
            step_indent = line.indent
        elif line.key == "with" and action and line.indent == step_indent:
            with_indent = line.indent
            name_indent = -1
        elif with_indent >= 0:
            name_indent = line.indent if name_indent < 0 else name_indent
            if line.indent == name_indent:
                yield GivenInput(action, line.key, line.number)
