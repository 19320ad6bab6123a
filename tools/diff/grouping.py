"""One fact for one thing, however many files show it; what matters most comes first."""

from collections.abc import Iterable
from dataclasses import dataclass

from agent.facts import Fact, FactKind, Place, Severity
from tools.diff.draft import Draft
from tools.diff.severity import severity_of

_BY_SEVERITY = {severity: place for place, severity in enumerate(Severity)}
_FIRST = (FactKind.REVERT, FactKind.RELAND, FactKind.CHERRY_PICK)
_RENAMES = {
    FactKind.SYMBOL_RENAMED,
    FactKind.FIELD_RENAMED,
    FactKind.MEMBER_RENAMED,
    FactKind.FLAG_RENAMED,
    FactKind.ENV_RENAMED,
}
_PARAMETERS = {
    FactKind.PARAMETER_ADDED,
    FactKind.PARAMETER_REMOVED,
    FactKind.PARAMETER_RENAMED,
    FactKind.PARAMETER_DEFAULT,
    FactKind.PARAMETER_REQUIRED,
}
_BY_NAME = {
    FactKind.FLAG_ADDED,
    FactKind.FLAG_REMOVED,
    FactKind.ENV_ADDED,
    FactKind.ENV_REMOVED,
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
}
_MEMBERS = {FactKind.MEMBER_ADDED, FactKind.MEMBER_REMOVED, FactKind.FIELD_ADDED, FactKind.FIELD_REMOVED}
_IN_A_SCOPE = {
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
    FactKind.CONFIG_ADDED,
    FactKind.CONFIG_REMOVED,
    FactKind.REGISTERED,
    FactKind.UNREGISTERED,
}
_TOGETHER = {*_IN_A_SCOPE, FactKind.SYMBOL_MOVED, FactKind.FILE_ADDED}
_ASKED = {FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED, FactKind.DEPENDENCY_CHANGED}
_SYSTEM = "apt"
"""Packages of the system come by the dozen too."""
_IN_SERIES = ("kernel", "device-config")
"""Roles of files that come by the dozen, one for each size or device."""
_LAST = (
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
    FactKind.ERROR_CHANGED,
    FactKind.CONFIG_ADDED,
    FactKind.CONFIG_REMOVED,
    FactKind.CONFIG_CHANGED,
    FactKind.IMAGE_CHANGED,
    FactKind.FILE_ADDED,
)
"""Within a severity, these give way to what somebody's code calls or sets."""
_PLACES = 20
_NAMES = 12
_INTERNAL_OF_A_KIND = 8
_ALL = 60


@dataclass(frozen=True)
class Shown:
    """A difference with the place that shows it."""

    draft: Draft
    place: Place | None


def group(shown: Iterable[Shown]) -> tuple[list[Fact], list[str]]:
    """Join what is the same, rank it, and say how much was left out of the list."""
    groups: dict[tuple[object, ...], list[Shown]] = {}
    for one in shown:
        groups.setdefault(_key(one.draft), []).append(one)
    facts = sorted((_fact(members) for members in groups.values()), key=_rank)
    return _limit(facts)


def _key(draft: Draft) -> tuple[object, ...]:
    if draft.kind in _MEMBERS:
        return draft.kind, draft.name.rpartition(".")[0], severity_of(draft)
    if draft.kind is FactKind.SYMBOL_MOVED:
        return draft.kind, draft.old, draft.new, severity_of(draft)
    if draft.detail == _SYSTEM and draft.kind in (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED):
        return draft.kind, draft.detail, draft.public
    if draft.kind in _IN_A_SCOPE and draft.detail:
        return draft.kind, draft.detail, draft.public
    if draft.kind is FactKind.FILE_ADDED and draft.detail in _IN_SERIES:
        return draft.kind, draft.detail, draft.name.rpartition("/")[0]
    if draft.kind in _RENAMES:
        return draft.kind, draft.old, draft.new
    if draft.kind in _PARAMETERS:
        return draft.kind, draft.detail, draft.old, draft.new, severity_of(draft)
    if draft.kind in _BY_NAME:
        return draft.kind, draft.name, draft.old if draft.kind is FactKind.ERROR_REMOVED else draft.new
    return draft.kind, draft.name, draft.old, draft.new


def _fact(members: list[Shown]) -> Fact:
    """Speak for a group by its gravest member."""
    members = sorted(members, key=lambda one: _BY_SEVERITY[severity_of(one.draft)])
    draft = members[0].draft
    if len(members) > 1 and draft.kind in _MEMBERS:
        draft = _several(members, draft.name.rpartition(".")[0], f"{len(members)} {draft.detail}s")
    elif len(members) > 1 and draft.kind in _PARAMETERS:
        draft = draft._replace(name=_all_names(members))
    elif len(members) > 1 and (draft.kind in _TOGETHER or draft.detail == _SYSTEM):
        draft = _several(members, _all_names(members), draft.detail)
    elif draft.kind in _ASKED and len({one.draft.detail for one in members}) > 1:
        # Of several sections or markers none speaks for the others.
        draft = draft._replace(detail=None)
    return Fact(
        kind=draft.kind,
        severity=severity_of(draft),
        name=draft.name,
        old=draft.old,
        new=draft.new,
        detail=draft.detail,
        places=tuple(one.place for one in members if one.place is not None)[:_PLACES],
    )


def _all_names(members: list[Shown]) -> str:
    """Name everything that a group speaks of, the first by its whole name."""
    names = list(dict.fromkeys(one.draft.name for one in members))
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def _several(members: list[Shown], name: str, detail: str | None) -> Draft:
    """Tell as one what came or went together: members of a class, checks of a function, keys of a section."""
    drafts = [one.draft for one in members]
    old, new = (
        "; ".join(dict.fromkeys(value for draft in drafts if (value := getattr(draft, side)))) or None
        for side in ("old", "new")
    )
    if drafts[0].kind in _MEMBERS:
        old, new = (None if text is None else text.replace("; ", ", ") for text in (old, new))
    return drafts[0]._replace(name=name, old=old, new=new, detail=detail)


def _rank(fact: Fact) -> tuple[object, ...]:
    first, last = fact.kind in _FIRST, fact.kind in _LAST
    return not first, _BY_SEVERITY[fact.severity], last, -len(fact.places), fact.kind, fact.name


def _limit(facts: list[Fact]) -> tuple[list[Fact], list[str]]:
    """Keep a list that can be read; what is internal is cut first."""
    kept: list[Fact] = []
    left: dict[FactKind, int] = {}
    internal: dict[FactKind, int] = {}
    for fact in facts:
        count = internal[fact.kind] = internal.get(fact.kind, 0) + (fact.severity is Severity.INTERNAL)
        too_many = fact.severity is Severity.INTERNAL and count > _INTERNAL_OF_A_KIND
        if too_many or len(kept) >= _ALL:
            left[fact.kind] = left.get(fact.kind, 0) + 1
        else:
            kept.append(fact)
    return kept, [f"{count} more of {kind.value}" for kind, count in left.items()]
