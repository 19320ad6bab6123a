"""A fact in the making: what two readings differ in, before proof, severity and grouping."""

from dataclasses import dataclass

from agent.facts import FactKind

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Draft:
    """One difference between two versions of a file."""

    kind: FactKind
    name: str
    public: bool
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    old_span: Span | None = None
    """Lines of the old file that show it."""
    new_span: Span | None = None
    shape: str = ""
    """Of an added or removed symbol: what it is under any name and in any file."""
    owner: str = ""
    """The kind of the class a member belongs to, where the severity depends on it."""
