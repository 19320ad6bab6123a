"""Less memory for many small values: what is alike in them is kept once for all."""

import sys
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from agent.domain.commits import Person

M = TypeVar("M", bound=BaseModel)
_KNOWN: dict[tuple[type, frozenset[str]], set[str]] = {}
_PEOPLE: dict[Person, Person] = {}
_SHORT = 200
"""Characters of a text that may well come again: a path, a name, a line of code."""
_PLAIN = frozenset({str, int, float, bool, type(None), datetime})
"""What has nothing in it; most values are such, and are not looked at."""


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
            fields = one.__dict__
            for name, part in fields.items():
                kind = type(part)
                if kind is str:
                    if len(part) <= _SHORT:
                        fields[name] = sys.intern(part)
                elif kind is Person:
                    fields[name] = _PEOPLE.setdefault(part, part)
                elif kind not in _PLAIN:
                    waiting.append(part)
        elif isinstance(one, tuple | list):
            waiting.extend(part for part in one if type(part) not in _PLAIN)
        elif isinstance(one, dict):
            waiting.extend(part for part in one.values() if type(part) not in _PLAIN)
    return value
