"""The files of GitHub Actions: what `action.yml` declares, and the steps of workflows that use it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_LINE = re.compile(r"""( *)(- +)?(?:["']?([\w.-]+)["']?\s*:)?(?:\s+(.*))?""")
_MAX_LINE = 1_000


class ActionInput(NamedTuple):
    """An input of an action."""

    is_required: bool = False
    default: str | None = None  # As it is written; only the beginning of one over several lines


class ActionDefinition(NamedTuple):
    """What users of an action depend on."""

    inputs: Mapping[str, ActionInput]
    outputs: frozenset[str] = frozenset()
    runtime: str = ""  # What runs it: `node20`, `composite`, `docker`


@dataclass
class ActionStep:
    """A step of a workflow that uses an action."""

    action: str  # As `owner/name` or `owner/name/path`
    line: int
    input_lines: dict[str, int] = field(default_factory=dict)  # Of the inputs that it gives


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


def read_action(text: str) -> ActionDefinition:
    """Read an `action.yml`."""
    inputs: dict[str, ActionInput] = {}
    outputs: set[str] = set()
    runtime = ""
    section = ""
    name_indent = 0
    name = ""
    for line in _lines(text):
        if line.indent == 0:
            section = line.key
            name_indent = 0
            continue
        name_indent = name_indent or line.indent
        is_name = line.indent == name_indent
        if section == "runs" and is_name and line.key == "using":
            runtime = line.value.strip("\"'")
        elif section == "outputs" and is_name:
            outputs.add(line.key)
        elif section == "inputs" and is_name:
            name = line.key
            inputs[name] = ActionInput()
        elif section == "inputs" and line.key == "required":
            inputs[name] = inputs[name]._replace(is_required=line.value == "true")
        elif section == "inputs" and line.key == "default":
            inputs[name] = inputs[name]._replace(default=line.value.strip("\"'"))
    return ActionDefinition(inputs, frozenset(outputs), runtime)


def action_steps(text: str) -> list[ActionStep]:
    """Return the steps of a workflow that use actions."""
    steps: list[ActionStep] = []
    step: ActionStep | None = None
    step_indent = -1
    with_indent = -1
    name_indent = -1
    for line in _lines(text):
        if line.indent < step_indent or (line.is_item and line.indent <= step_indent):
            step = None
            step_indent = -1
        if line.indent <= with_indent:
            with_indent = -1
        if line.key == "uses":
            step = ActionStep(line.value.strip("\"'").partition("@")[0], line.number)
            steps.append(step)
            step_indent = line.indent
        elif line.key == "with" and step is not None and line.indent == step_indent:
            with_indent = line.indent
            name_indent = -1
        elif with_indent >= 0 and step is not None:
            name_indent = line.indent if name_indent < 0 else name_indent
            if line.indent == name_indent:
                step.input_lines[line.key] = line.number
    return steps
