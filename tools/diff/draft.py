"""A fact in the making: what two readings differ in, before proof, severity and grouping."""

from typing import NamedTuple

from agent.facts import FactKind
from tools.diff.reading import Late

Span = tuple[int, int]


class Where(NamedTuple):
    """The lines of both versions that show a difference; None where a version has nothing of it."""

    old: Span | None = None
    new: Span | None = None


class Draft(NamedTuple):
    """One difference between two versions of a file."""

    kind: FactKind
    name: str
    public: bool
    where: Where
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    breaking: bool | None = None
    """Whether callers break, where the comparison knows; None lets the kind decide."""
    shape: str | Late = ""
    """Of an added or removed symbol: what it is under any name and in any file."""
    owner: str = ""
    """The kind of the class a member belongs to, where the severity depends on it."""
    kept: bool = False
    """Of a removed symbol: whether the file gives names on by the dozen now, and so perhaps this one."""
    given_on: bool = False
    """Of a removed symbol: whether the file imports it now from where it is defined."""
    bases: tuple[str, ...] = ()
    """Of a member that went, or is called otherwise: bases of its class, declared elsewhere, that may still have it."""
    rebased: bool = False
    """Of a removed method: whether its class has a base now, declared elsewhere, that it did not have before."""
    silent: bool = False
    """Of an error: whether its function or file came or went with it, so that it is told only by what it replaces."""
    condition: str = ""
    """Of an error: the macro without which a build does not have it."""
    optional: bool = False
    """Of a whole signature: whether all that changed are new parameters that callers may leave out; of an error:
    whether only those run into it who set something new."""
    debut: str = ""
    """Of an error: the new function, or the path of the new file, with which it comes."""
