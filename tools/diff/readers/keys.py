"""Keys and their values as configuration files write them, whatever the format: one entry per scalar or list."""

from dataclasses import dataclass

ANONYMOUS = "[]"
"""The step of a path that stands for an item of a list that has no name of its own."""

MAX_DEPTH = 64
"""Deeper than any configuration; what is nested deeper was made to cost time."""


@dataclass(frozen=True, slots=True)
class Item:
    """One scalar of a list."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One key with a scalar, or with a list of scalars."""

    path: tuple[str, ...]
    """The keys from the top; from the first one visible in a fragment; empty for a list whose key is out of sight."""
    value: str
    """The scalar without quotes, or the list as written; white space folded."""
    start: int
    end: int
    items: tuple[Item, ...] | None = None
    """The scalars of a list without quotes; None for a scalar."""

    @property
    def key(self) -> str:
        """The last step of the path."""
        return self.path[-1] if self.path else ""
