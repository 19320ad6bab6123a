"""What facts show was done, and to what kind of thing."""

import re
from collections.abc import Mapping, Sequence

from agent.asking.inquiry import Act, Inquiry, Thing
from agent.asking.lexicon import EITHER
from agent.asking.names import plain
from agent.facts import Fact, FactKind, Severity

_ACTED: Mapping[Act, tuple[str, ...]] = {
    Act.ADDED: ("-added", "registered"),
    Act.REMOVED: ("-removed", "unregistered"),
    Act.RENAMED: ("-renamed",),
    Act.MOVED: ("-moved", "-renamed"),
    Act.RAISED: ("-changed",),
    Act.LOWERED: ("-changed",),
    Act.CHANGED: ("-changed", "-renamed", "-reordered", "-required", "-added", "-removed", "-moved"),
    Act.DEPRECATED: ("deprecated",),
    Act.REVERTED: ("revert",),
    Act.RELANDED: ("reland",),
    Act.BUMPED: (
        "dependency-changed",
        "limit-changed",
        "constant-changed",
        "version-changed",
        "image-changed",
        "dependency-added",
    ),
}
_THINGS: Mapping[Thing, tuple[str, ...]] = {
    Thing.FLAG: ("flag-",),
    Thing.ENV: ("env-",),
    Thing.DEPENDENCY: ("dependency-", "image-"),
    Thing.DEFAULT: (
        "parameter-default",
        "flag-default",
        "env-default",
        "field-changed",
        "constant-changed",
        "config-key-changed",
    ),
    Thing.LIMIT: ("limit-", "constant-"),
    Thing.REVERT: ("revert",),
    Thing.SYMBOL: ("symbol-", "route-"),
    Thing.PICK: ("cherry-pick",),
    Thing.MODEL: ("file-added", "registered"),
}
_OF_MODELS = re.compile(r"(?:^|/)models?/|model_?registry")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
ON, OFF = frozenset(("1", "true", "on", "yes")), frozenset(("0", "false", "off", "no"))
_VERSION = re.compile(r"\d+(?:\.\d+){2,}|(?<=[=<>~v])\d+\.\d+")


def acted(fact: Fact, act: Act) -> bool:
    """Tell whether a fact is of the kind of thing that is said to have happened."""
    kind = fact.kind.value
    if act is Act.BROKEN:
        return fact.severity is Severity.BREAKING
    if act in (Act.RAISED, Act.LOWERED):
        rising = direction(fact)
        return rising is not None and rising == (act is Act.RAISED)
    if act in (Act.ENABLED, Act.DISABLED):
        return switched(fact) is (act is Act.ENABLED)
    return any(kind.endswith(end) or kind == end for end in _ACTED.get(act, ()))


def switched(fact: Fact) -> bool | None:
    """Tell whether something was turned on; None where it was not turned either way."""
    old, new = plain(fact.old or ""), plain(fact.new or "")
    return new in ON if old in ON | OFF and new in ON | OFF and old != new else None


def direction(fact: Fact) -> bool | None:
    """Tell whether a number went up; None where there is no number, or no change of one."""
    versions = [_VERSION.search(value or "") for value in (fact.old, fact.new)]
    if all(versions):
        old, new = (tuple(map(int, one[0].split("."))) for one in versions if one)
        return None if old == new else new > old
    numbers = [_NUMBER.search(value or "") for value in (fact.old, fact.new)]
    before, after = (float(one[0]) if one else None for one in numbers)
    return None if before is None or after is None or before == after else after > before


def of_thing(fact: Fact, thing: Thing) -> bool:
    """Tell whether a fact is about the kind of thing that a question speaks of."""
    if thing is Thing.BREAKING:
        return fact.severity is Severity.BREAKING
    if thing is Thing.MODEL and fact.kind is FactKind.FILE_ADDED:
        return fact.detail == "model"
    if thing is Thing.MODEL:
        return fact.kind is FactKind.REGISTERED and any(_OF_MODELS.search(place.file) for place in fact.places)
    return fact.kind.value.startswith(_THINGS.get(thing, ("",)))


def of_kinds(fact: Fact, things: Sequence[Thing], text: str) -> bool:
    """Tell whether a fact is of one of the kinds of a question; the default of a flag is of both."""
    owners = [thing for thing in things if thing in (Thing.FLAG, Thing.ENV)]
    if owners and Thing.DEFAULT in things and not EITHER.search(text):
        return of_thing(fact, Thing.DEFAULT) and any(of_thing(fact, thing) for thing in owners)
    return any(of_thing(fact, thing) for thing in things)


def kinds_of(inquiry: Inquiry) -> list[Thing]:
    """Give the kinds of thing that facts are of."""
    return [thing for thing in inquiry.things if thing in _THINGS]


def definite(inquiry: Inquiry) -> list[Act]:
    """Give the acts that facts can show."""
    return [act for act in inquiry.acts if act in _ACTED and act is not Act.CHANGED]
