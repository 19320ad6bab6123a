"""The values of expressions in the user's code: a part of a package, or something of the user's own."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from agent.bumps.python_scopes import Scope

CALL = "()"
AWAIT = "await"
ITEM = "[]"
ELEMENT = "*"
ENTER = "with"
OPERATORS = (CALL, AWAIT, ITEM, ELEMENT, ENTER)
"""Parts of a path that no name can be: what a call returns, what is awaited, an item by its key,
an element of a loop, and what `with` gives."""
_MAX_PARTS = 24  # Of a path; a longer one is a circle


@dataclass(frozen=True)
class Foreign:
    """A part of a package, by a path of names and operators."""

    path: str
    is_certain: bool = True  # Not by annotations or alternatives alone

    def then(self, part: str) -> "Foreign":
        """Return what a further name or operator leads to."""
        return replace(self, path=f"{self.path}.{part}")


@dataclass(frozen=True)
class Own:
    """A module, class, function, object, or `super()` of one's own."""

    kind: Literal["module", "class", "function", "instance", "super"]
    scope: Scope


@dataclass(frozen=True)
class OwnFolder:
    """A package of one's own without a file."""

    path: str


@dataclass(frozen=True)
class Holder:
    """What holds or yields other values."""

    kind: Literal["iterable", "mapping", "tuple", "awaitable", "context"]
    parts: tuple["Values", ...]


Value = Foreign | Own | OwnFolder | Holder
Values = tuple[Value, ...]
"""What an expression may be; empty where that is not known."""


def joined(alternatives: Iterable[Values]) -> Values:
    """Return what one of several expressions may be; nothing if one of them is not known.

    Several parts of packages may be meant; of one's own things only the same one.
    """
    distinct: dict[Value, None] = {}
    is_certain = True
    for values in alternatives:
        if not values:
            return ()
        for value in values:
            if isinstance(value, Foreign):
                is_certain = is_certain and value.is_certain
                value = replace(value, is_certain=True)
            distinct[value] = None
    values = tuple(distinct)
    if len(values) > 1 and not all(isinstance(value, Foreign) for value in values):
        return ()
    return values if is_certain and len(values) == 1 else uncertain(values)


def each(values: Values, step: Callable[[Value], Values]) -> Values:
    """Return what a step makes of every alternative; nothing if one of them is lost."""
    return joined(step(value) for value in values)


def uncertain(values: Iterable[Value]) -> Values:
    """Return the distinct values; none of them is certain any more."""
    distinct: dict[Value, None] = {}
    for value in values:
        if isinstance(value, Foreign):
            value = replace(value, is_certain=False)
        distinct[value] = None
    return tuple(distinct)


def bounded(value: Foreign) -> Values:
    """Return a part of a package, unless its path is so long that it must be a circle."""
    return (value,) if value.path.count(".") < _MAX_PARTS else ()


def objects_of(classes: Values) -> Values:
    """Return objects of some classes."""
    objects: list[Value] = []
    for value in classes:
        if isinstance(value, Foreign):
            objects += bounded(Foreign(f"{value.path}.{CALL}", is_certain=False))
        elif isinstance(value, Own) and value.kind == "class":
            objects.append(Own("instance", value.scope))
    return tuple(objects)


def awaited(value: Value) -> Values:
    """Return what `await` gives of a value."""
    if isinstance(value, Foreign):
        return bounded(value.then(AWAIT))
    return value.parts[0] if isinstance(value, Holder) and value.kind == "awaitable" else ()


def element(value: Value) -> Values:
    """Return what a loop over a value gives."""
    if isinstance(value, Foreign):
        return bounded(value.then(ELEMENT))
    if not isinstance(value, Holder) or value.kind not in ("iterable", "mapping", "tuple"):
        return ()
    return joined(value.parts) if value.kind == "tuple" else value.parts[0]


def item(value: Value, number: int) -> Values:
    """Return what a value holds under a key; the number matters for tuples alone."""
    if isinstance(value, Foreign):
        return bounded(value.then(ITEM))
    if not isinstance(value, Holder):
        return ()
    if value.kind == "mapping":
        return value.parts[1] if len(value.parts) > 1 else ()
    if value.kind == "iterable":
        return value.parts[0]
    has_part = value.kind == "tuple" and 0 <= number < len(value.parts)
    return value.parts[number] if has_part else ()


def entered(value: Value) -> Values:
    """Return what `with` gives of a value."""
    if isinstance(value, Foreign):
        return bounded(value.then(ENTER))
    return value.parts[0] if isinstance(value, Holder) and value.kind == "context" else ()


def is_part_of(path: str, packages: Collection[str]) -> bool:
    """Return True for a package or something in it; the name of a package may have a namespace."""
    return any(path == package or path.startswith(f"{package}.") for package in packages)


def plain_path(path: str) -> str:
    """Return a path without its operators."""
    return ".".join(part for part in path.split(".") if part not in OPERATORS)
