"""Macros with which a build, or a compiler at run time, compiles: whoever uses what is compiled has it otherwise."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.homes import Homes
from tools.diff.readers.definitions import DEFINE
from tools.diff.reading import Site
from tools.diff.severity import DEFINITION

_SETTINGS = (FactKind.CONFIG_ADDED, FactKind.CONFIG_REMOVED, FactKind.CONFIG_CHANGED)


def given(
    drafts: Iterable[Draft], old: Sequence[Site], new: Sequence[Site], is_told: Callable[[Draft], bool]
) -> Iterator[Draft]:
    """Call a macro by its name, whichever function lists it; what all functions of a file share, each of them has."""
    macros = [[site for site in sites if site.name.startswith(DEFINE)] for sites in (old, new)]
    shared = [{site.name for site in sites if not site.scope} for sites in macros]
    some = {(site.name, site.scope) for sites in macros for site in sites if site.condition}
    for draft in drafts:
        if draft.kind not in _SETTINGS or not draft.name.startswith(DEFINE):
            yield draft
            continue
        # With a value of its own in some case, it has none of which another could take the place.
        mixed = draft.kind is FactKind.CONFIG_CHANGED and (draft.name, draft.detail or "") in some
        had = bool(draft.detail) and draft.name in _elsewhere(draft, shared)
        if is_told(draft) and not mixed and not had:
            yield draft._replace(name=draft.name.removeprefix(DEFINE), detail=DEFINITION)


def _elsewhere(draft: Draft, shared: Sequence[set[str]]) -> set[str]:
    """Choose the version that does not have the macro in its function."""
    return shared[0] if draft.kind is FactKind.CONFIG_ADDED else shared[1]


def without_moved(shown: Sequence[Shown], homes: Homes) -> list[Shown]:
    """Leave out macros that the commit only lists elsewhere, or no longer does so twice."""
    return [one for one in shown if one.draft.detail != DEFINITION or not _is_moved(one.draft, homes)]


def _is_moved(draft: Draft, homes: Homes) -> bool:
    if draft.kind is FactKind.CONFIG_CHANGED:
        return False
    sign = "-" if draft.kind is FactKind.CONFIG_ADDED else r"\+"
    listed = re.compile(rf"^{sign}\s*(?:.*-D|.*definitions\s*\(.*\b)?{re.escape(draft.name)}\b", re.MULTILINE)
    return homes.shows(listed, draft.name)
