"""Functions that a header declares and a source defines: callers see the declaration, which has the defaults."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.grouping import Shown
from tools.diff.headers import HEADERS, is_source

_TAKEN = (FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED, FactKind.PARAMETER_RENAMED)
_ONE_SIDED = (FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED)
_CALLED = ("function", "method")


def without_definitions(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out what a definition takes otherwise, where the commit shows the same of its declaration."""
    return _by_declarations(_with_renamed_declarations(shown), _takes_otherwise)


def _with_renamed_declarations(shown: Sequence[Shown]) -> Sequence[Shown]:
    """Take a declaration for renamed that went while one came to its header, as the definition was renamed."""
    renamed = {(_own(one.draft.old), _own(one.draft.name)): one for one in shown if _is_renamed_definition(one)}
    if not renamed:
        return shown
    went, came = (
        {(one.place.file, _own(one.draft.name)): one for one in shown if one.place and _is_declared(one, kind)}
        for kind in (FactKind.SYMBOL_REMOVED, FactKind.SYMBOL_ADDED)
    )
    heirs: dict[int, Shown] = {}
    left: set[int] = set()
    for (file, name), one in went.items():
        for (old, new), definition in renamed.items():
            if old == name and (heir := came.get((file, new))) is not None and id(one) not in heirs:
                draft = one.draft._replace(kind=FactKind.SYMBOL_RENAMED, name=heir.draft.name, old=old, new=new)
                heirs[id(one)] = replace(one, draft=draft)
                left |= {id(heir), id(definition)}
    return [heirs.get(id(one), one) for one in shown if id(one) not in left]


def _is_renamed_definition(one: Shown) -> bool:
    named = one.draft.kind is FactKind.SYMBOL_RENAMED and one.draft.detail == "function"
    return named and bool(one.draft.old) and one.place is not None and is_source(one.place.file)


def _is_declared(one: Shown, kind: FactKind) -> bool:
    named = one.draft.kind is kind and one.draft.detail == "function"
    return named and one.place is not None and one.place.file.endswith(HEADERS)


def _own(name: str | None) -> str:
    return (name or "").rpartition(".")[2]


def without_bodies(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out definitions that came or went, where the commit shows the same of their declarations."""
    return _by_declarations(shown, _came_or_went)


def _by_declarations(shown: Sequence[Shown], is_meant: Callable[[Shown], bool]) -> list[Shown]:
    declared = {
        _key(one) for one in shown if is_meant(one) and one.place is not None and one.place.file.endswith(HEADERS)
    }
    if not declared:
        return list(shown)
    return [one for one in shown if not (is_meant(one) and _is_defined(one) and _key(one) in declared)]


def _is_defined(one: Shown) -> bool:
    # What a source registers for others is told of the source.
    registered = one.draft.public and one.draft.kind in _ONE_SIDED
    return not registered and one.place is not None and is_source(one.place.file)


def _takes_otherwise(one: Shown) -> bool:
    return one.draft.kind in _TAKEN


def _came_or_went(one: Shown) -> bool:
    return one.draft.kind in _ONE_SIDED and one.draft.detail in _CALLED


def _key(one: Shown) -> tuple[FactKind, str, str | None]:
    return one.draft.kind, one.draft.name, one.draft.detail
