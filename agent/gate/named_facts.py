"""Facts looked up by the names in them: which way each name went."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from agent.facts import Fact, FactKind
from agent.gate.direction import Direction
from agent.gate.ground import Ground

_D = Direction
_OWNED = (FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED, FactKind.PARAMETER_RENAMED, FactKind.PARAMETER_REQUIRED)
_MEMBERS = (
    FactKind.FIELD_ADDED,
    FactKind.FIELD_REMOVED,
    FactKind.FIELD_RENAMED,
    FactKind.FIELD_CHANGED,
    FactKind.MEMBER_ADDED,
    FactKind.MEMBER_REMOVED,
)
_SPECIAL = {
    FactKind.REGISTERED: _D.ADD,
    FactKind.UNREGISTERED: _D.REMOVE,
    FactKind.DEPRECATED: _D.DEPRECATE,
    FactKind.REVERT: _D.REVERT,
    FactKind.RELAND: _D.RELAND,
}
_NAME = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_][\w.:/-]*\w|[A-Za-z_]|[0-9][\w.]*")


def direction_of(fact: Fact) -> Direction:
    """Say which way a fact goes."""
    if fact.kind in _SPECIAL:
        return _SPECIAL[fact.kind]
    ending = fact.kind.value.rpartition("-")[2]
    return {"added": _D.ADD, "removed": _D.REMOVE, "renamed": _D.RENAME, "moved": _D.MOVE}.get(ending, _D.CHANGE)


def names_in(text: str | None) -> frozenset[str]:
    """List the names and values in a text, qualified ones also by their last part."""
    found = set(_NAME.findall(text or ""))
    return frozenset(found | {last_part(name) for name in found})


def last_part(name: str) -> str:
    """Give `run` for `Runner.run`, `ns::run` and `run()`; a path, a flag and a line stay whole."""
    name = name.removesuffix("()")
    whole = "/" in name or " " in name or name.startswith("-")
    return name if whole else re.split(r"\.|::", name)[-1] or name


@lru_cache(maxsize=128)
def _directions(ground: Ground) -> Mapping[str, frozenset[Direction]]:
    found: dict[str, set[Direction]] = defaultdict(set)
    for fact in ground.facts:
        for name, direction in _told(fact):
            found[name].add(direction)
    return {name: frozenset(directions) for name, directions in found.items()}


def directions_of(ground: Ground, name: str) -> frozenset[Direction]:
    """List the ways in which facts say this name went."""
    table = _directions(ground)
    return table.get(name.removesuffix("()"), frozenset()) or table.get(last_part(name), frozenset())


def _told(fact: Fact) -> Iterator[tuple[str, Direction]]:
    direction = direction_of(fact)
    old, new = names_in(fact.old), names_in(fact.new)
    if direction is _D.RENAME or direction is _D.MOVE:
        yield from ((name, way) for name in old - new for way in (direction, _D.REMOVE))
        yield from ((name, way) for name in new - old for way in (direction, _D.ADD))
        yield from ((name, direction) for name in names_in(fact.name))
    elif direction is _D.CHANGE:
        yield from ((name, _D.CHANGE) for name in names_in(fact.name) | names_in(fact.detail))
        if fact.kind in (FactKind.VALUE_CHANGED, FactKind.CODE_CHANGED):
            # What one function no longer chooses has not gone, nor come what it chooses now.
            return
        yield from ((name, _D.ADD) for name in new - old)
        yield from ((name, _D.REMOVE) for name in old - new)
    else:
        yield from ((name, direction) for name in _subjects(fact))


def _subjects(fact: Fact) -> frozenset[str]:
    """Name what was added or removed: the parameter, not its function; the fields, not their class."""
    if fact.kind in _OWNED:
        return names_in(fact.detail)
    if fact.kind in (FactKind.FIELD_ADDED, FactKind.FIELD_REMOVED, FactKind.MEMBER_ADDED, FactKind.MEMBER_REMOVED):
        values = (fact.new or fact.old or "").split(", ")
        listed = frozenset(name for value in values for name in names_in(value.partition("=")[0]))
        return listed | frozenset(last_part(name) for name in names_in(fact.name) if "." in name)
    if fact.kind in (FactKind.ERROR_ADDED, FactKind.ERROR_REMOVED, FactKind.WARNING_ADDED):
        return frozenset()
    if fact.kind in (FactKind.FILE_ADDED, FactKind.FILE_REMOVED):
        return names_in(fact.name) | names_in(fact.new or fact.old)
    return names_in(fact.name)


def owners_of(facts: Sequence[Fact], member: str) -> frozenset[str]:
    """List whose parameter, field or member a name is, by the facts; empty where none tells."""
    found: set[str] = set()
    for fact in facts:
        if fact.kind in _OWNED and fact.detail == member:
            found |= names_in(fact.name)
            found |= {part for name in fact.name.split(", ") for part in re.split(r"\.|::", name)}
        elif fact.kind in _MEMBERS:
            for name in fact.name.split(", "):
                owners = re.split(r"\.|::", name)
                if owners[-1] == member:
                    found |= set(owners[:-1])
    return frozenset(found)
