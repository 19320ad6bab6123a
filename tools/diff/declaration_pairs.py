"""Pairs of old and new declarations: under the same name, under another, or in another file."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tools.diff.facts_by_declaration_kind import ROWS

if TYPE_CHECKING:
    from tools.diff.located_differences import FoundDeclaration

_ALIKE = 0.5  # The share of common lines from which git calls a file renamed
_MIN_LINES = 3  # Shorter functions are alike by chance
_MIN_LINE_LENGTH = 3  # A single bracket says nothing
_NUMBER = re.compile(r"\d+")
_MAX_COMPARED = (
    40  # Unmatched declarations of a kind in one module that are compared with one another
)
_NAME_WORD = re.compile(r"[^\W_]+")
_SETTINGS = ("env", "flag", "metric")
_BESIDE_EACH_OTHER = ("parameter", "field", "member")


class Pair(NamedTuple):
    """An old declaration and the new one that it became."""

    old: "FoundDeclaration"
    new: "FoundDeclaration"


@dataclass
class PairedDeclarations:
    """The common declarations of two groups, and those that only one of them has."""

    pairs: list[Pair] = field(default_factory=list)
    removed: list["FoundDeclaration"] = field(default_factory=list)
    added: list["FoundDeclaration"] = field(default_factory=list)


def paired(
    old: Sequence["FoundDeclaration"], new: Sequence["FoundDeclaration"]
) -> PairedDeclarations:
    """Pair declarations of one name: equal ones first, then those that share a part, then in their order."""
    pairing = PairedDeclarations(removed=list(old), added=list(new))
    for fits in (_are_equal, _share_a_part, _are_no_errors):
        for before in tuple(pairing.removed):
            after = next((other for other in pairing.added if fits(before, other)), None)
            if after is not None:
                pairing.pairs.append(Pair(before, after))
                pairing.removed.remove(before)
                pairing.added.remove(after)
    return pairing


def _are_equal(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    return old.kind == new.kind and old.parts == new.parts


def _share_a_part(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    return old.kind == new.kind and bool(_comparable_parts(old) & _comparable_parts(new))


def _comparable_parts(declared: "FoundDeclaration") -> set[tuple[str, str]]:
    """Return the parts of a declaration; in the words of an error, a limit does not count."""
    if declared.kind != "error":
        return set(declared.parts.items())
    return {(part, _NUMBER.sub("0", text)) for part, text in declared.parts.items()}


def _are_no_errors(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    """Two errors that share no words and no condition are two errors; all else is paired in order."""
    return old.kind != "error" and new.kind != "error"


def renamed(
    removed: Sequence["FoundDeclaration"],
    added: Sequence["FoundDeclaration"],
    owner_of: Callable[["FoundDeclaration"], Hashable],
) -> Iterator[Pair]:
    """Pair what went with what came: the same name in another file, or the same text under another name."""
    left = list(added)
    for pair in _moved(removed, added):
        left.remove(pair.new)
        yield pair
    unmoved = [old for old in removed if not _is_elsewhere(old, added)]
    old_groups = _grouped(unmoved, owner_of)
    new_groups = _grouped(left, owner_of)
    for key, olds in old_groups.items():
        news = new_groups.get(key, [])
        if ROWS[olds[0].kind].renamed is None:
            continue  # Nobody asks whether one entry of a list became another
        # Of several that went and came beside each other nobody can say which is which.
        is_single = len(olds) == len(news) == 1 or olds[0].kind not in _BESIDE_EACH_OTHER
        if is_single and len(olds) <= _MAX_COMPARED and len(news) <= _MAX_COMPARED:
            yield from _alike(olds, news)


def _grouped(
    declarations: Sequence["FoundDeclaration"], owner_of: Callable[["FoundDeclaration"], Hashable]
) -> dict[Hashable, list["FoundDeclaration"]]:
    groups: dict[Hashable, list[FoundDeclaration]] = defaultdict(list)
    for declared in declarations:
        groups[declared.kind, owner_of(declared)].append(declared)
    return groups


def _is_elsewhere(old: "FoundDeclaration", added: Sequence["FoundDeclaration"]) -> bool:
    return old.declaration.is_scope and any(_has_same_name(old, new) for new in added)


def _has_same_name(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    return old.kind == new.kind and old.path == new.path and old.module != new.module


def _moved(
    removed: Sequence["FoundDeclaration"], added: Sequence["FoundDeclaration"]
) -> Iterator[Pair]:
    """Pair what has the same name in one other file of the commit and nowhere else."""
    new_counts = Counter((new.kind, new.path) for new in added)
    old_counts = Counter((old.kind, old.path) for old in removed)
    for old in removed:
        key = (old.kind, old.path)
        can_move = old.declaration.is_scope or old.kind == "constant"
        if not can_move or new_counts[key] != 1 or old_counts[key] != 1:
            continue
        for new in added:
            if _has_same_name(old, new):
                yield Pair(old, new)


class _Candidate(NamedTuple):
    """A pair that may be one declaration under two names."""

    likeness: float
    old: "FoundDeclaration"
    new: "FoundDeclaration"


def _alike(
    olds: Sequence["FoundDeclaration"], news: Sequence["FoundDeclaration"]
) -> Iterator[Pair]:
    """Pair the most alike first; what is no scope only where all but its name is the same."""
    lines = {}
    for declared in (*olds, *news):
        if declared.declaration.is_scope:
            lines[id(declared)] = _lines(declared)
    candidates: list[_Candidate] = []
    for old in olds:
        for new in news:
            likeness = _likeness(old, new, lines)
            if likeness >= _ALIKE:
                candidates.append(_Candidate(likeness, old, new))
    candidates.sort(key=lambda pair: (-pair.likeness, pair.old.declaration.position))
    taken: set[int] = set()
    for candidate in candidates:
        if id(candidate.old) in taken or id(candidate.new) in taken:
            continue
        taken |= {id(candidate.old), id(candidate.new)}
        yield Pair(candidate.old, candidate.new)


def _likeness(
    old: "FoundDeclaration", new: "FoundDeclaration", lines: Mapping[int, Counter[str]]
) -> float:
    if old.kind in _BESIDE_EACH_OTHER and not _is_used_alike(old, new):
        return 0.0
    if old.kind == "parameter":
        is_same_position = old.declaration.position == new.declaration.position
        return 1.0 if is_same_position and old.parts == new.parts else 0.0
    if old.declaration.text == new.declaration.text:
        # Many settings are read in the same words.
        return _name_likeness(old.name, new.name) if old.kind in _SETTINGS else 1.0
    if not old.declaration.is_scope:
        return 0.0
    before = lines[id(old)]
    after = lines[id(new)]
    if min(before.total(), after.total()) < _MIN_LINES:
        return 0.0
    return (before & after).total() / max(before.total(), after.total())


def _name_likeness(old: str, new: str) -> float:
    """Return the share of the words of the longer name that the other name has, too."""
    before = Counter(_NAME_WORD.findall(old.lower()))
    after = Counter(_NAME_WORD.findall(new.lower()))
    return (before & after).total() / max(before.total(), after.total(), 1)


def _is_used_alike(old: "FoundDeclaration", new: "FoundDeclaration") -> bool:
    """Return True if a line that used the old name uses the new one now.

    That one field goes and another of the same type comes beside it is no proof of a new name.
    """
    word = re.compile(rf"(?<!\w){re.escape(old.name)}(?!\w)")
    removed = old.versions.patch.lines("old")
    added = {line[1:].strip() for line in new.versions.patch.lines("new").values()}
    for number, line in removed.items():
        if number == old.declaration.line or not word.search(line):
            continue
        if word.sub(new.name, line[1:].strip()) in added:
            return True
    return False


def _lines(declared: "FoundDeclaration") -> Counter[str]:
    """Count the lines of a declaration without their indentation and without single brackets."""
    declaration = declared.declaration
    source = declaration.source[declaration.start : declaration.end]
    lines = (line.strip() for line in source.decode("utf-8", "replace").split("\n"))
    return Counter(line for line in lines if len(line) >= _MIN_LINE_LENGTH)
