"""What users set or run into as before, only in another file: nobody outside sees where it is read or raised."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace

from agent.facts import COMMANDS, METRICS, FactKind
from tools.diff.audience import SCRIPT
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.headers import is_source
from tools.diff.homes import Homes, plain_words
from tools.diff.namespaces import is_still_opened
from tools.diff.options import joined
from tools.diff.variables import declares, is_only_set

_WENT = {
    FactKind.ERROR_REMOVED: FactKind.ERROR_ADDED,
    FactKind.ENV_REMOVED: FactKind.ENV_ADDED,
    FactKind.FLAG_REMOVED: FactKind.FLAG_ADDED,
    FactKind.ROUTE_REMOVED: FactKind.ROUTE_ADDED,
    FactKind.UNREGISTERED: FactKind.REGISTERED,
}
_ENTRIES = (FactKind.REGISTERED, FactKind.UNREGISTERED)
_IN_PARTS = "LIBRARY_FRAGMENT"
_CAME = frozenset(_WENT.values())
_RAISED = (FactKind.ERROR_ADDED, FactKind.ERROR_REMOVED)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_VARIABLE = re.compile(r"[a-z_]\w*$")
_SENTENCE = re.compile(r"\b[A-Za-z]+ [a-z]+ [a-z]+\b")
_SEVERAL = 2
_MOST_ERRORS = 800
"""Errors of a commit whose words are looked for in all of it; with more of them that takes as long as the reading."""


def without_unmoved(shown: Sequence[Shown], homes: Homes) -> list[Shown]:
    """Leave out what is still set or met; a variable that stays beside a new one was not renamed."""
    listed = {(one.draft.name, one.place.file) for one in shown if one.draft.kind is FactKind.REGISTERED and one.place}
    # What stands in another table of the same file can still be chosen.
    shown = [one for one in shown if not _is_listed(one, listed)]
    here = {_met(one.draft, one.draft.old, _WENT[one.draft.kind]) for one in shown if one.draft.kind in _WENT}
    there = {_met(one.draft, one.draft.new, one.draft.kind) for one in shown if one.draft.kind in _CAME}
    both = here & there
    few = sum(one.draft.kind in _RAISED for one in shown) <= _MOST_ERRORS
    left = [one for one in joined(shown, homes) if not _is_unmoved(one, both, homes, few=few)]
    left = _without_renamed_variables(left)
    return _with_variables_that_stay(_without_further_reads(left), homes)


def _without_renamed_variables(shown: list[Shown]) -> list[Shown]:
    """Leave out checks of a function that ask the same as before of a variable that goes by another name."""
    changed = {id(one): way for one in shown if (way := _exchange(one)) is not None}
    often = Counter(changed.values())
    return [one for one in shown if id(one) not in changed or often[changed[id(one)]] < _SEVERAL] if often else shown


def _exchange(one: Shown) -> tuple[str | None, ...] | None:
    """Say in which function's condition which name alone became which, throughout."""
    draft = one.draft
    if draft.kind is not FactKind.ERROR_CHANGED or one.place is None or not draft.old or not draft.new:
        return None
    if _SENTENCE.search(draft.old) or not draft.detail:
        return None
    mine, its = _TOKEN.findall(draft.old), _TOKEN.findall(draft.new)
    exchanged = {pair for pair in zip(mine, its, strict=False) if pair[0] != pair[1]}
    if len(mine) != len(its) or len(exchanged) != 1:
        return None
    ((old, new),) = exchanged
    # What has all of the old name and more is the same by a name of its own; another name may well be another thing.
    longer = new.startswith(f"{old}_") and _VARIABLE.match(old) is not None
    return (one.place.file, draft.detail, old, new) if longer and old not in its and new not in mine else None


def _without_further_reads(shown: list[Shown]) -> list[Shown]:
    """Tell a new variable by its declaration, and not besides by code that reads it with a default of its own."""
    came = [one for one in shown if one.draft.kind is FactKind.ENV_ADDED and one.place is not None]
    declared = {one.draft.name: one for one in came if one.place and declares(one.draft.name, one.place.lines)}
    return [one for one in shown if one not in came or declared.get(one.draft.name, one) is one] if declared else shown


def _with_variables_that_stay(shown: Sequence[Shown], homes: Homes) -> list[Shown]:
    """Tell a variable as new that was taken for the new name of another, where the other one is still named."""
    told = (one.draft for one in shown if one.draft.kind is FactKind.ENV_RENAMED)
    new = {draft.name for draft in told if draft.old and homes.names(draft.old)}
    if not new:
        return list(shown)
    stays = [one for one in shown if one.draft.kind is not FactKind.ENV_DEFAULT or one.draft.name not in new]
    return [
        replace(one, draft=one.draft._replace(kind=FactKind.ENV_ADDED, old=None, new=None))
        if one.draft.kind is FactKind.ENV_RENAMED and one.draft.name in new
        else one
        for one in stays
    ]


def _is_listed(one: Shown, listed: Set[tuple[str, str]]) -> bool:
    if one.draft.kind is not FactKind.UNREGISTERED or one.place is None:
        return False
    return (one.draft.name, one.place.file) in listed


def _is_found_by_name(draft: Draft, homes: Homes) -> bool:
    """Tell whether a class that was registered under its own name is in a new table now, for when it is asked for."""
    listed = re.compile(rf"^\+\s+[\"']{re.escape(draft.name)}[\"']\s*:", re.MULTILINE)
    return draft.old == draft.name and homes.shows(listed, draft.name)


def _is_unmoved(one: Shown, both: Set[object], homes: Homes, *, few: bool) -> bool:
    draft = one.draft
    if draft.kind is FactKind.UNREGISTERED and _is_found_by_name(draft, homes):
        return True
    # A variable that the commit shows to be read elsewhere, before it or after it, has neither come nor gone.
    asked = draft.kind in (FactKind.ENV_ADDED, FactKind.ENV_REMOVED)
    if asked and homes.reads(draft.name, before=draft.kind is FactKind.ENV_ADDED):
        return True
    if asked and one.place is not None and is_only_set(draft.name, one.place.file, one.place.lines):
        return True
    if draft.kind is FactKind.ENV_REMOVED and homes.names(draft.name):
        return True
    script = one.place.file if one.place is not None and one.place.file.endswith(SCRIPT) else ""
    if draft.kind is FactKind.ENV_REMOVED and script and homes.is_used_still(draft.name, script):
        return True
    if draft.kind is FactKind.SYMBOL_REMOVED and draft.detail == "macro" and _is_defined_elsewhere(one, homes):
        return True
    if draft.kind is FactKind.DEPENDENCY_REMOVED and one.place and homes.asks_for(draft.name, besides=one.place.file):
        return True
    if (draft.kind in _ENTRIES and _is_still_given(one, homes)) or is_still_opened(draft, homes):
        return True
    if draft.kind is FactKind.WARNING_ADDED:
        return homes.wrote_before(draft.new)
    if draft.kind in _WENT:
        raised = few and draft.kind is FactKind.ERROR_REMOVED
        return _met(draft, draft.old, _WENT[draft.kind]) in both or (
            raised and (homes.says(draft.old, came=True) or homes.still_says(draft.old))
        )
    if draft.kind in _CAME:
        raised = few and draft.kind is FactKind.ERROR_ADDED
        return _met(draft, draft.new, draft.kind) in both or (
            raised and (homes.says(draft.new, came=False) or homes.said_before(draft.new))
        )
    return False


def _is_defined_elsewhere(one: Shown, homes: Homes) -> bool:
    """Tell whether the commit defines a macro, that a source had for itself, in another place."""
    if one.place is None or not is_source(one.place.file):
        return False
    name = one.draft.name
    return homes.shows(re.compile(rf"^\+[ \t]*#[ \t]*define[ \t]+{re.escape(name)}\b", re.MULTILINE), name)


def _is_still_given(one: Shown, homes: Homes) -> bool:
    """Tell whether a name that is registered here, or no longer, is so elsewhere, or is that of a library in parts."""
    draft, came = one.draft, one.draft.kind is FactKind.REGISTERED
    if draft.detail in (METRICS, COMMANDS):
        return homes.quotes(draft.name, before=came)
    if (draft.detail or "").endswith(_IN_PARTS) or (not came and homes.is_alias(draft.name)):
        return True
    return one.place is not None and homes.registers(draft.name, one.place.file, before=came)


def _met(draft: Draft, value: str | None, kind: FactKind) -> object:
    # A variable that another file reads now is the same one, whatever stands in for it there.
    return kind, draft.name, None if kind is FactKind.ENV_ADDED else plain_words(value)
