"""Checks that another function or file makes now: whoever runs into one meets the same refusal as before."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.grouping import Shown
from tools.diff.homes import Homes, plain_words
from tools.diff.likeness import likeness
from tools.diff.site_heirs import is_same_macro

_MOST_PAIRS = 2_000
_ALIKE, _RELATED = 0.8, 0.6
_LETTERS = re.compile(r"[^\W\d_]")
_TELLING = 12
"""Letters of a message that hardly two checks have by chance."""
_NAMES = re.compile(r"(?!(?:not|and|or|in|is|None|True|False)\b)[A-Za-z_]\w*(?:\(\)|\.\w+)*")
_ASSERTED = "AssertionError"


def settle_checks(shown: Sequence[Shown], homes: Homes) -> list[Shown]:
    """Leave out checks that moved, and those that come and go with a function and were only kept for this comparison.

    A check that fails with another class of error where it is made now has changed.
    """
    gone = [one for one in shown if one.draft.kind is FactKind.ERROR_REMOVED]
    come = [one for one in shown if one.draft.kind is FactKind.ERROR_ADDED]
    pairs = dict[int, Shown]()
    if gone and come and len(gone) * len(come) <= _MOST_PAIRS:
        pairs = {id(one): other for one, other in _pairs(gone, come, homes)}
    moved = [one for one in gone if one.place is not None and _is_made_elsewhere(one, homes)]
    taken = {*pairs, *map(id, pairs.values()), *map(id, moved)}
    kept = [one for one in shown if id(one) not in taken and not one.draft.silent]
    kept += [
        replace(one, draft=one.draft._replace(silent=False))
        for one in come
        if one.draft.silent and id(one) not in taken and (one.draft.debut or _is_a_helpers(one, homes))
    ]
    changed = (_changed(one, pairs[id(one)]) for one in gone if id(one) in pairs and not one.draft.silent)
    return kept + [one for one in changed if one is not None]


def _is_a_helpers(one: Shown, homes: Homes) -> bool:
    """Tell whether a new private function makes a check for functions of other files that were there before."""
    return one.place is not None and homes.helps(one.draft.detail or "", one.place.file)


def _is_made_elsewhere(one: Shown, homes: Homes) -> bool:
    """Tell whether new files have the lines of a check, or the method that made it leaves its work to its base now."""
    assert one.place is not None
    owner, _, method = (one.draft.detail or "").rpartition(".")
    delegates = bool(owner) and homes.delegates(owner.rpartition(".")[2], method, one.place.file)
    return delegates or homes.has_lines(one.place.lines)


def _pairs(gone: Sequence[Shown], come: Sequence[Shown], homes: Homes) -> Iterator[tuple[Shown, Shown]]:
    """Pair each check that went with the one most like it that came; several may have become one."""
    for one in gone:
        rivals = [(_how_alike(one, other, homes), other) for other in come]
        score, best = max(rivals, key=lambda rival: rival[0])
        if score > 0:
            yield one, best


def _how_alike(one: Shown, other: Shown, homes: Homes) -> float:
    """Say how alike two checks are; 0 where they are not the same."""
    before, after = plain_words(one.draft.old) or "", plain_words(other.draft.new) or ""
    moved_along = one.draft.silent or other.draft.silent
    if moved_along and len(_LETTERS.findall(before)) < _TELLING and not _is_called(one, other, homes):
        # Everybody raises `NotImplementedError` somewhere.
        return 0.0
    same_class = is_same_macro(one.draft.name, other.draft.name)
    if same_class and before == after:
        return 1.0
    if not before or not after:
        return 0.0
    if same_class and one.draft.name == _ASSERTED and moved_along and _NAMES.sub("x", before) == _NAMES.sub("x", after):
        return 1.0
    if not moved_along and _place(one) == _place(other):
        return 0.0
    if len(before) >= _TELLING and after.startswith(before):
        return _ALIKE
    # Of a helper that is called in its stead nobody expects the same words.
    least = _RELATED if same_class and moved_along and _is_called(one, other, homes) else _ALIKE
    found = likeness(before, after, least)
    return found if found >= least else 0.0


def _is_called(one: Shown, other: Shown, homes: Homes) -> bool:
    """Tell whether the file that lost a check calls the function that makes it now."""
    function = (other.draft.detail or "").rpartition(".")[2]
    return bool(function) and one.place is not None and homes.calls(function, one.place.file)


def _place(one: Shown) -> tuple[str | None, str | None]:
    return one.place.file if one.place else None, one.draft.detail


def _changed(one: Shown, other: Shown) -> Shown | None:
    if is_same_macro(one.draft.name, other.draft.name) or one.place is None:
        return None
    old, new = f"{one.draft.name}: {one.draft.old}", f"{other.draft.name}: {other.draft.new}"
    draft = one.draft._replace(kind=FactKind.ERROR_CHANGED, name=other.draft.name, old=old, new=new)
    return Shown(draft, one.place)
