"""The facts that are worth stating in a sentence, and which of them share one."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.shortened_values import (
    ERRORS,
    MEMBERS,
    WITH_FUNCTION,
    class_of,
    last_part,
    messages_of,
    names_of,
    old_and_new,
    short_member,
    unique,
)

_WITHOUT_SENTENCE = (
    "revert",
    "reland",
    "partial-revert",
    "partial-reland",
    "cherry-pick",
    "code-changed",
)
"""Facts of which another part of the report speaks, or which are shown as lines of the diff."""
_BY_NAME = (
    "-removed",
    "symbol-added",
    "file-added",
    "route-added",
    "registered",
    "registration-changed",
)
"""How facts end that are joined by their detail alone; others need the same values, too."""


def stated_facts(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that are worth a sentence each, the most important first."""
    worthy: list[Fact] = []
    for fact in facts:
        if fact.severity is Severity.INTERNAL or fact.kind in _WITHOUT_SENTENCE:
            continue
        # Stored facts of earlier versions may lack a name, and then nobody can look them up.
        if fact.name and (_has_content(fact) or fact.severity is Severity.BREAKING):
            worthy.append(fact)
    return joined(_without_repetitions(worthy))


def exchanged_lines(facts: Sequence[Fact]) -> list[Fact]:
    """Return the functions in which one line replaces another, so that a sentence can say it."""
    exchanges = [fact for fact in _changed_code(facts) if all(old_and_new(fact))]
    return joined(exchanges)


def quoted_hunks(facts: Sequence[Fact]) -> list[Fact]:
    """Return the changed code that has no sentence and is shown as its lines instead."""
    return [fact for fact in _changed_code(facts) if not all(old_and_new(fact))]


def _changed_code(facts: Sequence[Fact]) -> list[Fact]:
    changed: list[Fact] = []
    for fact in facts:
        if fact.kind == "code-changed" and fact.severity is not Severity.INTERNAL:
            changed.append(fact)
    return changed


def joined(facts: Sequence[Fact]) -> list[Fact]:
    """Return one fact for each group that differs in nothing but names, with a location of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for number, fact in enumerate(facts):
        groups[join_key(fact) or number].append(fact)
    return [_joined(group) for group in groups.values()]


def join_key(fact: Fact) -> Hashable | None:
    """Return the key that facts of one sentence share; None for a fact with its own sentence."""
    if fact.kind in MEMBERS:
        return fact.kind, class_of(fact)
    if fact.kind in WITH_FUNCTION or fact.kind == "hook-added" or len(names_of(fact)) > 1:
        return None
    needs_no_values = fact.kind.endswith(_BY_NAME) and fact.kind != "config-key-removed"
    values = () if needs_no_values else old_and_new(fact)
    return fact.kind, fact.severity, fact.detail, fact.replacement, values


def _joined(group: Sequence[Fact]) -> Fact:
    first = group[0].model_copy(update={"places": tuple(_first_locations(group))})
    if len(group) == 1:
        return first
    if first.kind in MEMBERS:
        return _with_members(first, group)
    return _with_names(first, group)


def _first_locations(facts: Iterable[Fact]) -> Iterator[FactLocation]:
    """Yield the first location with lines of each fact that has one."""
    for fact in facts:
        for location in fact.places:
            if location.lines:
                yield location
                break


def _with_members(first: Fact, group: Sequence[Fact]) -> Fact:
    """Return the first fact of a group with the members of all, which are of one class."""
    return first.model_copy(
        update={
            "name": class_of(first),
            "old": _member_list(fact.old for fact in group),
            "new": _member_list(fact.new for fact in group),
            "detail": f"{len(group)} members",
        }
    )


def _member_list(values: Iterable[str | None]) -> str:
    return ", ".join(unique(short_member(value or "") for value in values))


def _with_names(first: Fact, group: Sequence[Fact]) -> Fact:
    """Return the first fact of a group with the names of all; values that differ are left out."""
    names = unique(fact.name for fact in group)
    unnamed_count = sum(fact.count - 1 for fact in group)
    return first.model_copy(
        update={
            "name": ", ".join(names),
            "old": shared_value(fact.old for fact in group),
            "new": shared_value(fact.new for fact in group),
            "count": len(names) + unnamed_count,
        }
    )


def shared_value(values: Iterable[str | None]) -> str | None:
    """Return the value that all facts share; None where they differ."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _has_content(fact: Fact) -> bool:
    """Return True if a sentence can say more than that something changed."""
    if fact.kind in ERRORS:
        return bool(messages_of(fact))
    if fact.name == "__init__":
        return False  # Nobody knows of which class
    return any(old_and_new(fact)) or not fact.kind.endswith("-changed")


def _without_repetitions(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without those that another one implies.

    Implied are the field of a new flag, the default of a flag that has a new name, an error that
    only moved, and the export of a name that is reported itself.
    """
    flag_fields = _field_names(facts, ("flag-added", "env-added"))
    narrowed_fields = _field_names(facts, ("flag-choices-changed",))
    deprecated_names = {fact.name for fact in facts if fact.kind == "deprecated"}
    added_errors = _error_texts(facts, "error-added")
    moved_errors = added_errors & _error_texts(facts, "error-removed")
    reported: set[tuple[FactKind, str]] = set()
    kept: list[Fact] = []
    for fact in facts:
        last_name = last_part(fact.name)
        if fact.kind in ("field-added", "symbol-added") and last_name in flag_fields:
            continue
        if fact.kind == "choices-changed" and last_name in narrowed_fields:
            continue
        if fact.kind in ERRORS and (fact.new or fact.old) in moved_errors:
            continue
        if fact.kind == "flag-default-changed" and fact.name in deprecated_names:
            continue
        names = _last_names(fact)
        if fact.detail == "export" and names <= reported:
            continue
        kept.append(fact)
        reported |= names
    return kept


def _field_names(facts: Iterable[Fact], kinds: Sequence[FactKind]) -> set[str]:
    """Return the fields in which a program keeps its flags and variables."""
    fields: set[str] = set()
    for fact in facts:
        if fact.kind in kinds:
            fields.add(fact.name.strip("-").replace("-", "_"))
    return fields


def _error_texts(facts: Iterable[Fact], kind: FactKind) -> set[str | None]:
    return {fact.new or fact.old for fact in facts if fact.kind == kind}


def _last_names(fact: Fact) -> set[tuple[FactKind, str]]:
    return {(fact.kind, last_part(name)) for name in names_of(fact)}
