"""Less memory for many small values: what is alike in them is kept once for all."""

import sys
from typing import TypeVar

from pydantic import BaseModel

from agent.domain import Person

M = TypeVar("M", bound=BaseModel)
_KNOWN: dict[tuple[type, frozenset[str]], set[str]] = {}
_PEOPLE: dict[Person, Person] = {}
_SHORT = 200
"""Characters of a text that may well come again: a path, a name, a line of code."""


def compact(value: M) -> M:
    """Let a value and everything in it share people, short texts and which of their fields were set; give it back.

    The values are frozen and copies copy what they change, so nobody ever changes one that is shared.
    """
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, BaseModel):
            own = one.model_fields_set
            shared = _KNOWN.setdefault((type(one), frozenset(own)), own)
            object.__setattr__(one, "__pydantic_fields_set__", shared)
            for name, part in one.__dict__.items():
                one.__dict__[name] = _shared(part)
            waiting.extend(one.__dict__.values())
        elif isinstance(one, tuple | list):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
    return value


def _shared(part: object) -> object:
    """Give the one of all values that are equal to this, where such are often met."""
    if type(part) is str and len(part) <= _SHORT:
        return sys.intern(part)
    if type(part) is Person:
        return _PEOPLE.setdefault(part, part)
    return part
