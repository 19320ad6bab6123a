"""What left one namespace of C++ for another in the same file: whoever names it writes another path now."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown
from tools.diff.heirs import Kept, own_name, owner_of
from tools.diff.homes import Homes
from tools.diff.hunks import Patch
from tools.diff.likeness import MOST_PAIRS
from tools.diff.namespaces import NAMESPACE
from tools.diff.reading import Symbol

_NAMED = ("function", "class", "struct", "enum")
_SPACE = "namespace "
_TAKEN = re.compile(r"^\+[ \t]*using[ \t]+[\w:]+::\w+[ \t]*;", re.MULTILINE)
_LOOKED_AT = 200
"""Lines of a declaration that are looked for on the other side."""

Pair = tuple[Symbol, Symbol]


def rehomed(
    went: Sequence[Symbol],
    came: Sequence[Symbol],
    before: Mapping[str, Symbol],
    after: Mapping[str, Symbol],
    kept: Kept | None,
) -> Iterator[Pair]:
    """Pair what went with what came under its name in another namespace.

    It has the same types, lines that stayed, or the same namespace right around it, of which one further out has
    another name.
    """
    gone, free = ([one for one in side if _is_in_a_space(one, before, after)] for side in (went, came))
    for one in gone if len(gone) * len(free) <= MOST_PAIRS else ():
        rivals = [other for other in free if (other.kind, own_name(other)) == (one.kind, own_name(one))]
        rivals = [other for other in rivals if one.public or not other.public]
        nearest = [other for other in rivals if _space(other) == _space(one)] if _space(one) else []
        rivals = nearest or rivals
        lines = [_stayed(one, other, kept) for other in rivals]
        if not rivals or (len(rivals) > 1 and lines.count(max(lines)) > 1):
            continue
        best = rivals[lines.index(max(lines))]
        if nearest or max(lines) > 0 or (one.params and _types(one) == _types(best)):
            free.remove(best)
            yield one, best


def is_debut(one: Symbol, other: Symbol) -> bool:
    """Tell whether users may have now by its name what was hidden in another namespace."""
    same = own_name(one) == own_name(other) and owner_of(one) != owner_of(other)
    return same and one.kind in _NAMED and other.public and not one.public


def told_as_moved(
    pairs: Iterable[Pair], before: Mapping[str, Symbol], after: Mapping[str, Symbol], patch: Patch
) -> Iterator[Draft]:
    """Tell of what has its name in another namespace now; what is in none may be in one that was not understood."""
    for one, other in pairs:
        old, new = owner_of(one), owner_of(other)
        moved = old and new and old != new and own_name(one) == own_name(other) and not (one.hunk or other.hunk)
        if moved and all(_is_in_a_space(each, before, after) for each in (one, other)):
            where = Where((one.start, one.head), _shown(other, patch))
            texts = _written(old), _written(new)
            yield Draft(FactKind.SYMBOL_MOVED, other.name, one.public, where, *texts, one.kind)


def without_named_as_before(shown: Sequence[Shown], homes: Homes) -> Sequence[Shown]:
    """Leave out what moved with a namespace that is told as renamed, or is taken back to where it was (`using`)."""
    moved = [
        one for one in shown if one.draft.kind is FactKind.SYMBOL_MOVED and (one.draft.old or "").startswith(_SPACE)
    ]
    if not moved:
        return shown
    named = [one.draft for one in shown if one.draft.kind is FactKind.SYMBOL_RENAMED and one.draft.detail == NAMESPACE]
    taken = homes.shows(_TAKEN, "using ")
    aside = {
        id(one)
        for one in moved
        if any(_exchanged(one.draft.old, draft) == one.draft.new for draft in named)
        or (taken and _is_taken_back(one.draft, homes))
    }
    return [one for one in shown if id(one) not in aside]


def _is_taken_back(draft: Draft, homes: Homes) -> bool:
    name = draft.name.rpartition(".")[2]
    return homes.shows(re.compile(rf"^\+[ \t]*using[ \t]+[\w:]+::{re.escape(name)}[ \t]*;", re.MULTILINE), name)


def _is_in_a_space(one: Symbol, before: Mapping[str, Symbol], after: Mapping[str, Symbol]) -> bool:
    """Tell whether what a symbol stands in is no class."""
    owner = owner_of(one)
    return one.kind in _NAMED and one.special is None and owner not in before and owner not in after


def _space(one: Symbol) -> str:
    """Name the namespace right around a symbol."""
    return owner_of(one).rpartition(".")[2]


def _stayed(one: Symbol, other: Symbol, kept: Kept | None) -> int:
    """Count the lines of a declaration that are in the other one still."""
    if kept is None:
        return 0
    lines = map(kept, range(one.start, min(one.end, one.start + _LOOKED_AT) + 1))
    return sum(line is not None and other.start <= line <= other.end for line in lines)


def _shown(other: Symbol, patch: Patch) -> tuple[int, int]:
    """Give the lines that show where something stands now: its head, or the line that opens the namespace around it."""
    if patch.shown("new", other.start, other.head):
        return other.start, other.head
    space = re.compile(rf".\s*(?:inline\s+)?namespace\s+(?:\w+::)*{re.escape(owner_of(other).rpartition('.')[2])}\b")
    opened = (number for number, line in patch.added.items() if number < other.start and space.match(line))
    line = max(opened, default=0)
    return (line, line) if line else (other.start, other.head)


def _types(one: Symbol) -> list[str | None]:
    return [param.annotation for param in one.params or ()]


def _written(space: str) -> str:
    return _SPACE + space.replace(".", "::")


def _exchanged(space: str | None, renamed: Draft) -> str:
    """Write a namespace as it is called after another one around it, or it itself, was renamed."""
    inside = (space or "").removeprefix(_SPACE)
    return _SPACE + f"::{inside}::".replace(f"::{renamed.old}::", f"::{renamed.new}::").strip(":")
