"""The facts that users can notice, without repeats of what another fact says."""

from collections.abc import Iterable, Sequence

from agent.domain.facts import Fact, FactKind, Severity
from tools.diff.file_roles import VERSION_HEADER, Role, is_public_header

_SEVERITIES = list(Severity)
_VALUES: tuple[FactKind, ...] = (
    "config-key-added",
    "config-key-removed",
    "constant-changed",
    "enum-member-changed",
    "error-added",
    "error-removed",
    "field-default-changed",
    "limit-changed",
    "parameter-default-changed",
    "registered",
    "registration-changed",
    "unregistered",
)
_SUREST_FIRST = ("flag", "env", "config-key", "field", "parameter")
"""Settings by the certainty that users meet them: an option is passed on as a field and an argument."""
_ABOUT_FILES: tuple[FactKind, ...] = ("file-added", "file-removed", "file-renamed")
_TELLING_ROLES = (Role.MODEL, Role.KERNEL, Role.OPERATOR, Role.DEVICE_CONFIG)
"""Files that say by their names what a project can do now."""


def noticed(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts that are about something users reach; of others only lines may be shown."""
    return [fact for fact in facts if fact.severity is not Severity.INTERNAL]


def is_unstated_value(fact: Fact) -> bool:
    """Return True for a value that users do not set or read themselves: its lines may still matter."""
    if fact.severity is not Severity.INTERNAL:
        return False
    is_of_class = fact.kind == "symbol-added" and fact.detail == "constant" and "." in fact.name
    return is_of_class or fact.kind in _VALUES


def without_repeats(facts: Sequence[Fact]) -> list[Fact]:
    """Return one fact for each change: of the same setting in several kinds the surest one.

    A file that comes or goes is left out where another fact tells what is in it, and a requirement
    that goes from one file to another.
    """
    facts = _without_moved_dependencies(facts)
    facts = _without_parts_of_version(facts)
    surest: dict[tuple[str, str], Fact] = {}
    for fact in sorted(facts, key=_certainty):
        if _setting(fact):
            surest.setdefault((_setting(fact), _event(fact)), fact)
    told_files: set[str] = set()
    for fact in facts:
        if fact.kind not in _ABOUT_FILES:
            told_files.update(location.file for location in fact.places)
    kept: list[Fact] = []
    for fact in facts:
        is_told = fact.kind in _ABOUT_FILES and not told_files.isdisjoint(fact.name.split(", "))
        if is_told and fact.severity not in (Severity.BREAKING, Severity.MAY_BREAK):
            continue
        first = surest.get((_setting(fact), _event(fact)), fact)
        if not _repeats(fact, first):
            kept.append(fact)
    return kept


def _repeats(fact: Fact, surest: Fact) -> bool:
    """Return True if the surest fact of a setting says what another fact of it does."""
    if _family(surest) == _family(fact) or _is_heavier(fact, surest):
        return False
    # Whoever calls a public function need not have made the record with a field of that name.
    is_own_break = fact.severity is Severity.BREAKING and bool(fact.path)
    return not is_own_break or _family(surest) != "field"


def _without_moved_dependencies(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without requirements that only stand in another file now."""
    removed: set[tuple[str, str | None]] = set()
    added: set[tuple[str, str | None]] = set()
    for fact in facts:
        if fact.kind == "dependency-removed":
            removed.add((fact.name, fact.old))
        if fact.kind == "dependency-added":
            added.add((fact.name, fact.new))
    moved = removed & added
    kept: list[Fact] = []
    for fact in facts:
        version = fact.old if fact.kind == "dependency-removed" else fact.new
        is_of_list = fact.kind in ("dependency-removed", "dependency-added")
        if not is_of_list or (fact.name, version) not in moved:
            kept.append(fact)
    return kept


def _without_parts_of_version(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without the numbers of which a version is made, where the version is told."""
    if not any(fact.kind == "version-changed" for fact in facts):
        return list(facts)
    kept: list[Fact] = []
    for fact in facts:
        is_number = fact.kind == "constant-changed" and VERSION_HEADER.search(_file_of(fact))
        if not is_number:
            kept.append(fact)
    return kept


def _file_of(fact: Fact) -> str:
    return fact.places[0].file if fact.places else ""


def without_plain_files(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without files that only the project itself uses, where others say more."""
    others = [fact for fact in noticed(facts) if fact.kind not in (*_ABOUT_FILES, "code-changed")]
    if not others:
        return list(facts)
    kept: list[Fact] = []
    for fact in facts:
        is_plain = fact.kind in _ABOUT_FILES and fact.severity is Severity.INTERNAL
        is_plain = is_plain or (fact.kind == "file-added" and fact.detail == Role.SOURCE)
        is_telling = fact.detail in _TELLING_ROLES or is_public_header(fact.old or fact.name)
        if not is_plain or is_telling:
            kept.append(fact)
    return kept


def _certainty(fact: Fact) -> int:
    family = _family(fact)
    return _SUREST_FIRST.index(family) if family in _SUREST_FIRST else len(_SUREST_FIRST)


def _family(fact: Fact) -> str:
    """Return the kind of thing that a setting is; empty for what is none."""
    for family in _SUREST_FIRST:
        if fact.kind.startswith(f"{family}-"):
            return family
    return ""


def _event(fact: Fact) -> str:
    """Return what happens to a setting: `added`, `removed`, `default-changed`."""
    return fact.kind.removeprefix(f"{_family(fact)}-")


def _setting(fact: Fact) -> str:
    """Return the name that an option, a field and an argument share; empty for other facts."""
    family = _family(fact)
    if not family or family == "env":
        return ""
    name = fact.detail or "" if family == "parameter" else fact.name.rpartition(".")[2]
    return name.strip("-*").replace("-", "_").lower()


def _is_heavier(fact: Fact, other: Fact) -> bool:
    return _SEVERITIES.index(fact.severity) < _SEVERITIES.index(other.severity)
