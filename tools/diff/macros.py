"""Macros and flags with which a build, or a package at run time, compiles: its users have what is made otherwise."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.homes import Homes
from tools.diff.readers.definitions import DEFINE, FLAGS
from tools.diff.reading import Site
from tools.diff.severity import COMPILER, DEFINITION

_GIVEN = (DEFINE, *FLAGS)
_SETTINGS = (FactKind.CONFIG_ADDED, FactKind.CONFIG_REMOVED, FactKind.CONFIG_CHANGED)


def given(
    drafts: Iterable[Draft], old: Sequence[Site], new: Sequence[Site], is_told: Callable[[Draft], bool]
) -> Iterator[Draft]:
    """Call a macro by its name, whichever function lists it; what all functions of a file share, each of them has."""
    macros = [[site for site in sites if site.name.startswith(_GIVEN)] for sites in (old, new)]
    shared = [{site.name for site in sites if not site.scope} for sites in macros]
    some = {(site.name, site.scope) for sites in macros for site in sites if site.condition}
    for draft in drafts:
        if draft.kind not in _SETTINGS or not draft.name.startswith(_GIVEN):
            yield draft
            continue
        # With a value of its own in some case, it has none of which another could take the place.
        mixed = draft.kind is FactKind.CONFIG_CHANGED and (draft.name, draft.detail or "") in some
        had = bool(draft.detail) and draft.name in _elsewhere(draft, shared)
        if is_told(draft) and not mixed and not had:
            detail = DEFINITION if draft.name.startswith(DEFINE) else COMPILER
            yield draft._replace(name=draft.name.removeprefix(DEFINE), detail=detail)


def _elsewhere(draft: Draft, shared: Sequence[set[str]]) -> set[str]:
    """Choose the version that does not have the macro in its function."""
    return shared[0] if draft.kind is FactKind.CONFIG_ADDED else shared[1]


def without_moved(shown: Sequence[Shown], homes: Homes) -> list[Shown]:
    """Leave out macros and flags that the commit only lists elsewhere, or no longer does so twice."""
    return [one for one in shown if one.draft.detail not in (DEFINITION, COMPILER) or not _is_moved(one.draft, homes)]


def _is_moved(draft: Draft, homes: Homes) -> bool:
    if draft.kind is FactKind.CONFIG_CHANGED:
        return False
    sign = "-" if draft.kind is FactKind.CONFIG_ADDED else r"\+"
    if draft.detail == COMPILER:
        lost, got = (
            homes.count(re.compile(rf"^{sign}.*[\"']-?{re.escape(draft.name)}[\"'=]", re.MULTILINE), draft.name)
            for sign in ("-", r"\+")
        )
        # What each of several functions gave, and one place gives now, is there for others as well.
        gathered = draft.kind is FactKind.CONFIG_ADDED and lost > got
        return bool(lost and got) and not gathered
    listed = re.compile(rf"^{sign}\s*(?:.*-D|.*definitions\s*\(.*\b)?{re.escape(draft.name)}\b", re.MULTILINE)
    return homes.shows(listed, draft.name)
