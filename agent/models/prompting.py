"""Prompts are files; filling one is strict: a missing or a surplus value is an error, nothing is sent half-filled."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

from agent.text.markdown import visible


@cache
def _template(name: str) -> Template:
    return Template((files("agent") / "prompts" / f"{name}.md").read_text("utf-8"))


def prompt(name: str, values: Mapping[str, str]) -> str:
    """Fill a prompt with values."""
    template = _template(name)
    if surplus := values.keys() - set(template.get_identifiers()):
        raise KeyError(f"prompt {name!r} has no {sorted(surplus)}")
    return template.substitute(values)


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
    """Tell whether a text holds a sentence of what models are told before everything else."""
    plain = " ".join(text.split())
    return any(sentence in plain for sentence in _instructions())


@cache
def _instructions() -> tuple[str, ...]:
    """List the sentences of the system prompts, each up to the first value that is filled in."""
    told = " ".join(_template("system").template.split())
    return tuple(f"{sentence}.".partition("$")[0].strip() for sentence in told.removesuffix(".").split(". "))
