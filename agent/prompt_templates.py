"""Templates of prompts: files filled with values, and the fences around what others wrote."""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

from agent.markdown import visible

_LINE_NUMBER = re.compile(r" {0,8}\d{1,8}  ")
"""How tools print the number of a line in front of it, which may be indented itself."""


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


def boundary(seed: str) -> str:
    """Return the mark that fences untrusted text: the same for the same run, and hard to guess."""
    return hashlib.sha256(f"fence {seed}".encode()).hexdigest()[:16]


def fenced(text: str, mark: str) -> str:
    """Return untrusted text between marks, without invisible characters and without the mark."""
    lines = [_without(mark, visible_line(line)) for line in text.splitlines()]
    body = "\n".join(lines)
    return f"<<{mark}\n{body}\n{mark}>>"


def _without(mark: str, line: str) -> str:
    """Return a line without the mark, also where taking it out joins the halves of another one."""
    while mark in line:
        line = line.replace(mark, "")
    return line


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
