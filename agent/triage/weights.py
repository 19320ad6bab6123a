"""What each reason to care about a commit is worth; docs/facts.md has the same table in words."""

from collections.abc import Iterator, Sequence

from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.ledger import Purpose
from agent.triage.conventions import CHORES, Heading, is_breaking, purposes_of

POINTS = {
    "security": 6.0,
    "revert": 5.5,
    "breaks what users set": 5.0,
    "marked breaking": 5.0,
    "new version": 4.5,
    "breaks exported names": 4.0,
    "deprecation": 3.0,
    "fix": 3.0,
    "new model": 3.0,
    "release": 2.5,
    "performance": 2.5,
    "feature": 2.5,
    "changes defaults": 2.5,
    "changes what users call": 2.5,
    "new for users": 2.5,
    "deprecates": 2.5,
    "undoes a change": 2.5,
    "lands again": 2.0,
    "changes values": 1.5,
    "dependencies": 1.5,
    "may break names": 1.2,
    "new names": 1.2,
    "dependency": 0.5,
    "refactor": 0.3,
}
URGENT = frozenset(
    (
        *("security", "revert", "breaks what users set", "marked breaking", "new version"),
        *("release", "breaks exported names", "undoes a change"),
    )
)
"""Only with one of these can a commit be of the top tier, however much else it does."""

_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-")
_CALLED = {
    FactKind.PARAMETER_DEFAULT,
    FactKind.FIELD_CHANGED,
    FactKind.SIGNATURE_CHANGED,
    FactKind.BASE_CHANGED,
    FactKind.REGISTRATION_CHANGED,
}
_UNPROVED = ("symbol-", "parameter-", "field-", "enum-member-")
"""What breaks whoever reaches it, where nobody could see whether users do."""
_VALUES = {FactKind.CONSTANT_CHANGED, FactKind.LIMIT_CHANGED}
_NEW_FOR_USERS = (FactKind.REGISTERED, FactKind.FLAG_ADDED, FactKind.ENV_ADDED, FactKind.ROUTE_ADDED)
_NEW_ROLES = ("kernel", "operator")
_DEPENDENCIES = {
    FactKind.DEPENDENCY_CHANGED,
    FactKind.DEPENDENCY_ADDED,
    FactKind.DEPENDENCY_REMOVED,
    FactKind.IMAGE_CHANGED,
}


def reasons_in_words(heading: Heading, labels: Sequence[str], *, closes: bool) -> Iterator[str]:
    """Name what the author and the maintainers declare, by tags and labels, and by the issues that are closed."""
    said = {*heading.purposes, *label_purposes(labels)}
    if closes and not said - CHORES:
        said.add(Purpose.FIX)
    yield from (purpose.value for purpose in said if purpose.value in POINTS)
    if heading.breaking or is_breaking(labels):
        yield "marked breaking"


def label_purposes(labels: Sequence[str]) -> list[Purpose]:
    """Read the labels of the pull request; those for chores are put on by machines, by the paths touched."""
    return [purpose for purpose in purposes_of(labels) if purpose not in CHORES]


def reasons_in_facts(facts: Sequence[Fact], *, refactored: bool) -> Iterator[str]:
    """Name what the diff does, each sort once: ten renamed parameters are no ten times as urgent as one."""
    breaking = [fact for fact in facts if fact.severity is Severity.BREAKING]
    if any(fact.kind.startswith(_SET_BY_USERS) for fact in breaking):
        yield "breaks what users set"
    elif breaking:
        yield "breaks exported names"
    yield from _in_behaviour([fact for fact in facts if fact.severity is Severity.BEHAVIOUR])
    kinds = {fact.kind for fact in facts}
    if FactKind.REVERT in kinds:
        yield "undoes a change"
    if FactKind.RELAND in kinds:
        yield "lands again"
    additive = [fact for fact in facts if fact.severity is Severity.ADDITIVE]
    if any(fact.kind is FactKind.FILE_ADDED and fact.detail == "model" for fact in additive):
        yield "new model"
    elif not refactored and any(fact.kind in _NEW_FOR_USERS or fact.detail in _NEW_ROLES for fact in additive):
        yield "new for users"
    elif additive:
        yield "new names"


def _in_behaviour(facts: Sequence[Fact]) -> Iterator[str]:
    kinds = {fact.kind for fact in facts}
    if any(kind.startswith(_SET_BY_USERS) for kind in kinds):
        yield "changes defaults"
    elif kinds & _CALLED:
        yield "changes what users call"
    elif kinds & _VALUES:
        yield "changes values"
    elif any(kind.startswith(_UNPROVED) for kind in kinds):
        yield "may break names"
    if FactKind.DEPRECATED in kinds:
        yield "deprecates"
    if FactKind.VERSION_CHANGED in kinds:
        yield "new version"
    if kinds & _DEPENDENCIES:
        yield "dependencies"
