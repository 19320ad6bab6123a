"""Functions that a header declares and a source defines: callers see the declaration, which has the defaults."""

from collections.abc import Sequence

from agent.facts import FactKind
from tools.diff.grouping import Shown
from tools.diff.headers import HEADERS, is_source

_TAKEN = (FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED, FactKind.PARAMETER_RENAMED)


def without_definitions(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out what a definition takes otherwise, where the commit shows the same of its declaration."""
    declared = {
        _key(one)
        for one in shown
        if one.draft.kind in _TAKEN and one.place is not None and one.place.file.endswith(HEADERS)
    }
    if not declared:
        return list(shown)
    return [one for one in shown if not (_is_defined(one) and _key(one) in declared)]


def _is_defined(one: Shown) -> bool:
    return one.draft.kind in _TAKEN and one.place is not None and is_source(one.place.file)


def _key(one: Shown) -> tuple[FactKind, str, str | None]:
    return one.draft.kind, one.draft.name, one.draft.detail
