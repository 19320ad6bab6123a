"""Less memory for many small values: which of their fields were set is kept once for all that are alike."""

from typing import TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)
_KNOWN: dict[tuple[type, frozenset[str]], set[str]] = {}


def compact(value: M) -> M:
    """Let a value and everything in it share these sets, which are most of what a small value takes; give it back.

    The values are frozen and copies copy their set, so nobody ever changes one that is shared.
    """
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, BaseModel):
            own = one.model_fields_set
            shared = _KNOWN.setdefault((type(one), frozenset(own)), own)
            object.__setattr__(one, "__pydantic_fields_set__", shared)
            waiting.extend(one.__dict__.values())
        elif isinstance(one, tuple | list):
            waiting.extend(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
    return value
