"""Values and names of facts, shortened to what a sentence can hold."""

import re
from collections.abc import Iterable

from agent.domain.facts import Fact

ERRORS = ("error-added", "error-removed")
WITH_FUNCTION = (*ERRORS, "limit-changed")  # Sentences about these name the function around them
MEMBERS = ("enum-member-added", "enum-member-removed", "field-added", "field-removed")
_MAX_VALUE = 90  # Characters of a value; a longer one cannot be read in a sentence
_MAX_MESSAGE = 240  # Characters of the message of an error or a deprecation
_MAX_MEMBER = 60  # Characters of a member with its type and default
_HASH_DIGITS = 12
_NAME = re.compile(r"[A-Za-z_~][\w.:~]*")
_NAME_SEPARATOR = re.compile(r"\.|::")
_HASH = re.compile(r"[0-9a-f]{40}")
_EXPRESSION = re.compile(r"[\w.:]*(?:\(.*\))?")
"""A message that the program builds elsewhere: a name or a call."""


def names_of(fact: Fact) -> tuple[str, ...]:
    """Return the names of what a fact is about: several where many things changed alike."""
    return tuple(unique(separate_items(fact.name))) or (fact.name,)


def separate_items(listed: str) -> list[str]:
    """Return the items of a list; the commas inside of brackets separate nothing.

    Such are those of `Traits<A, B>`, of `dict[str, set[int]]` and of `shape=[128, 128].json`.
    """
    items: list[str] = []
    depth = 0
    start = 0
    for position, character in enumerate(listed):
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth = max(0, depth - 1)
        elif character == "," and depth == 0 and listed[position + 1 : position + 2].isspace():
            items.append(listed[start:position].strip())
            start = position + 1
    items.append(listed[start:].strip())
    return items


def last_part(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def class_of(fact: Fact) -> str:
    """Return the class of a member, or of several that were joined."""
    is_joined = (fact.detail or "")[:1].isdigit()  # As in `3 members`: its name is the class
    return fact.name if is_joined else fact.name.rpartition(".")[0]


def shortened_name(name: str) -> str:
    """Return the last two parts of a qualified name; a path, a flag or a version stays as it is."""
    if not _NAME.fullmatch(name):
        return name
    part_starts = [separator.end() for separator in _NAME_SEPARATOR.finditer(name)]
    if len(part_starts) < 2:
        return name
    return name[part_starts[-2] :]


def old_and_new(fact: Fact) -> tuple[str, str]:
    """Return both values, in one line each; empty if too long to be read."""
    is_message = fact.kind in ("error-changed", "deprecated")
    limit = _MAX_MESSAGE if is_message else _MAX_VALUE
    # The words of a deprecation have a full stop of their own.
    end = "." if fact.kind == "deprecated" else None
    old = _short_value(_in_one_line(fact.old).rstrip(end), limit)
    new = _short_value(_in_one_line(fact.new).rstrip(end), limit)
    if fact.kind in ("flag-added", "env-added") and _is_computed(new):
        return old, ""
    return old, new


def _in_one_line(value: str | None) -> str:
    return " ".join((value or "").split())


def _is_computed(default: str) -> bool:
    """Return True for a default that is a call or another name, and so says nothing."""
    if "(" in default:
        return True
    return "." in default and _NAME.fullmatch(default) is not None


def _short_value(value: str, limit: int) -> str:
    """Return a value unless it is too long; of a hash, or an address with one, its first digits."""
    is_address = "://" in value
    commit = _HASH.search(value) if is_address else _HASH.fullmatch(value)
    if commit is not None:
        return commit[0][:_HASH_DIGITS]
    return value if len(value) <= limit else ""


def messages_of(fact: Fact) -> list[str]:
    """Return the messages of an error that can be read."""
    messages: list[str] = []
    for message in (fact.new or fact.old or "").split("\n"):
        if len(message) <= _MAX_MESSAGE and not _EXPRESSION.fullmatch(message):
            messages.append(message)
    return messages


def short_member(item: str) -> str:
    """Return a member with its type and default, or without them if they are long."""
    if len(item) <= _MAX_MEMBER:
        return item
    return item.partition("=")[0].partition(":")[0].strip()


def unique(names: Iterable[str]) -> list[str]:
    """Return the names that are not empty, each once."""
    return list(dict.fromkeys(name for name in names if name))
