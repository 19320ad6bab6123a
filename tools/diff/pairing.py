"""Which old declaration is which new one: under the same name, under another, or in another file."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.diff.kinds import FoundDeclaration

ALIKE = 0.5  # The share of common lines from which git calls a file renamed; the same is asked of functions and classes
_FEWEST_LINES = 3
_NUMBER = re.compile(r"\d+")
_MOST = 40  # Unmatched declarations of a kind in one module that are compared with one another
_BESIDE_EACH_OTHER = ("parameter", "field", "member")
Pair = tuple["FoundDeclaration", "FoundDeclaration"]


def paired(
    old: Sequence["FoundDeclaration"], new: Sequence["FoundDeclaration"]
) -> tuple[list[Pair], list["FoundDeclaration"], list["FoundDeclaration"]]:
    """Pair declarations of one name: equal ones first, then those that share a part, then in their order."""
    pairs: list[Pair] = []
    gone, come = list(old), list(new)
    for fits in (_equal, _share, _same_kind):
        for one in tuple(gone):
            if partner := next((other for other in come if fits(one, other)), None):
                pairs.append((one, partner))
                gone.remove(one)
                come.remove(partner)
    return pairs, gone, come


def _equal(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    return old.one.kind == new.one.kind and old.one.parts == new.one.parts


def _share(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    return old.one.kind == new.one.kind and bool(_parts(old) & _parts(new))


def _parts(found: "FoundDeclaration") -> set[tuple[str, str]]:
    """Give the parts of a declaration; of words, a limit in them does not count."""
    numbers = found.one.kind == "error"
    return {
        (part, _NUMBER.sub("0", text) if numbers else text)
        for part, text in found.one.parts.items()
    }


def _same_kind(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    """Pair what is left in its order; of errors, two that share no words and no condition are two errors."""
    return old.one.kind != "error" and new.one.kind != "error"


def renamed(
    gone: Sequence["FoundDeclaration"],
    come: Sequence["FoundDeclaration"],
    owner_of: Callable[["FoundDeclaration"], Hashable],
) -> Iterator[Pair]:
    """Pair what went with what came: the same name in another file, or the same text under another name."""
    left = list(come)
    for old, new in _moved(gone, come):
        left.remove(new)
        yield old, new
    unmoved = [
        old for old in gone if not old.one.is_scope or not any(_same_name(old, new) for new in come)
    ]
    groups: dict[tuple[str, Hashable], tuple[list[FoundDeclaration], list[FoundDeclaration]]] = (
        defaultdict(lambda: ([], []))
    )
    for place, found in ((0, unmoved), (1, left)):
        for one in found:
            groups[one.one.kind, owner_of(one)][place].append(one)
    for (kind, _), (olds, news) in groups.items():
        # Of several that went and came beside each other nobody can say which is which.
        single = len(olds) == len(news) == 1 or kind not in _BESIDE_EACH_OTHER
        if single and len(olds) <= _MOST and len(news) <= _MOST:
            yield from _alike(olds, news)


def _same_name(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    return (
        old.one.kind == new.one.kind and old.one.path == new.one.path and old.module != new.module
    )


def _moved(
    gone: Sequence["FoundDeclaration"], come: Sequence["FoundDeclaration"]
) -> Iterator[Pair]:
    """Pair what has the same name in one other file of the commit and nowhere else."""
    names = Counter((new.one.kind, new.one.path) for new in come)
    olds = Counter((old.one.kind, old.one.path) for old in gone)
    for old in gone:
        key = (old.one.kind, old.one.path)
        if (old.one.is_scope or key[0] == "constant") and names[key] == olds[key] == 1:
            yield from ((old, new) for new in come if _same_name(old, new))


def _alike(
    olds: Sequence["FoundDeclaration"], news: Sequence["FoundDeclaration"]
) -> Iterator[Pair]:
    """Pair the most alike first; something that is not a scope only where all but its name is the same."""
    lines = {id(one): _lines(one) for one in (*olds, *news) if one.one.is_scope}
    scored = [
        (_likeness(old, new, lines), old.one.position, old, new) for old in olds for new in news
    ]
    taken: set[int] = set()
    for score, _, old, new in sorted(scored, key=lambda one: (-one[0], one[1])):
        if score >= ALIKE and not {id(old), id(new)} & taken:
            taken |= {id(old), id(new)}
            yield old, new


def _likeness(
    old: "FoundDeclaration", new: "FoundDeclaration", lines: Mapping[int, Counter[str]]
) -> float:
    if old.one.kind == "parameter":
        same = old.one.parts == new.one.parts and old.one.position == new.one.position
        return 1.0 if same else 0.0
    if old.one.text == new.one.text:
        return 1.0
    if not old.one.is_scope:
        return 0.0
    before, after = lines[id(old)], lines[id(new)]
    if min(before.total(), after.total()) < _FEWEST_LINES:
        return 0.0
    return (before & after).total() / max(before.total(), after.total())


def _lines(found: "FoundDeclaration") -> Counter[str]:
    """Count the lines of a declaration without their indentation; empty ones and single brackets say nothing."""
    text = found.one.source[found.one.start : found.one.end].decode("utf-8", "replace")
    return Counter(line for raw in text.split("\n") if len(line := raw.strip()) > 2)
