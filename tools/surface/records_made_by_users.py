"""Records that users fill in or exchange, by the names that everybody gives such classes."""

import re
from collections.abc import Iterable

_SETTINGS = re.compile(
    r"(?:Config|Configuration|Args|Arguments|Options|Settings|Params|Request|Response|Input)$"
)


_RECORD = re.compile(r"(?:BaseModel|Struct|TypedDict)$")
"""Bases of records that are exchanged with others: pydantic, msgspec, typing."""


def is_exchanged(bases: Iterable[str]) -> bool:
    """Return True for the bases of a record that programs exchange with each other."""
    return any(_RECORD.search(base.strip()) for base in bases)


def is_filled_in(class_name: str) -> bool:
    """Return True for a record that users make themselves or exchange with a project."""
    return _SETTINGS.search(class_name) is not None
