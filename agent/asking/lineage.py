"""What took a change back and what brought it back again, by the facts of the commits that did."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.card import Card
from agent.evidence import EvidenceId
from agent.facts import Fact, FactKind
from agent.ids import RepoId

_PULL = re.compile(r"\s*\(?#\d+\)?\s*$")
_QUOTED = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*)*(?:revert|reland|reapply|re-land)\w*:?\s*[\"“'](?P<title>.+?)(?P<cut>…)?[\"”']?\s*(?:\(#\d+\)\s*)*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Lineage:
    """Which commits undid or brought back which."""

    undone: dict[EvidenceId, EvidenceId] = field(default_factory=dict)
    relanded: dict[EvidenceId, EvidenceId] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)
    """The commits on the other side."""


@dataclass(frozen=True)
class Finder:
    """Looks further commits up, each within one repository."""

    by_hash: Callable[[str], list[Card]]
    by_pull: Callable[[int, Sequence[RepoId]], list[Card]]
    by_title: Callable[[str, RepoId], list[Card]]


def lineage_of(cards: Sequence[Card], undoing: Sequence[Card], find: Finder) -> Lineage:
    """Connect these commits with those that undo or re-land something, in both directions."""
    lineage = Lineage()
    known = {card.id: card for card in (*cards, *undoing)}
    wanted = {card.id for card in cards}
    for card in {one.id: one for one in (*undoing, *cards)}.values():
        for fact in card.facts:
            if fact.kind not in (FactKind.REVERT, FactKind.RELAND):
                continue
            old = _origin(card, fact, known, find.by_hash)
            if old is None and card.id in wanted:
                old = _looked_up(card, fact, find)
            if old is None or old.id == card.id:
                continue
            table = lineage.undone if fact.kind is FactKind.REVERT else lineage.relanded
            table.setdefault(old.id, card.id)
            known[old.id] = old
    for name, by in list(lineage.undone.items()):
        if (name in wanted or by in wanted) and (again := _returned(known[name], known[by], find)):
            lineage.relanded.setdefault(name, again.id)
            known[again.id] = again
    _follow(lineage, known, wanted)
    return lineage


def _looked_up(card: Card, fact: Fact, find: Finder) -> Card | None:
    """Look for the commit that is taken back where it was not among those at hand."""
    number = fact.name.rpartition("#")[2]
    if number.isdecimal():
        return next(iter(find.by_pull(int(number), [card.repo])), None)
    quoted = _QUOTED.match(card.title)
    wanted = _bare(quoted["title"] if quoted else fact.name)
    same = [one for one in find.by_title(wanted, card.repo) if one.at < card.at]
    if quoted:
        return next((one for one in same if _is_quoted(one.title, quoted)), None)
    return next((one for one in same if _bare(one.title) == wanted), None)


def _returned(old: Card, by: Card, find: Finder) -> Card | None:
    """Find what landed under the same title after the change was undone."""
    later = [one for one in find.by_title(_bare(old.title), old.repo) if one.at > by.at]
    return min((one for one in later if _bare(one.title) == _bare(old.title)), key=lambda one: one.at, default=None)


def _is_quoted(title: str, quoted: re.Match[str]) -> bool:
    """Tell whether a title is the one that another quotes; what was too long for it is cut."""
    wanted = _bare(quoted["title"])
    return _bare(title).startswith(wanted) if quoted["cut"] else _bare(title) == wanted


def _bare(title: str) -> str:
    """Give a title without marks of code, and without the numbers of pull requests behind it."""
    title = title.replace("`", "")
    while (shorter := _PULL.sub("", title).strip()) != title:
        title = shorter
    return title


def _origin(card: Card, fact: Fact, known: dict[EvidenceId, Card], by_hash: Callable[[str], list[Card]]) -> Card | None:
    """Find the commit that is taken back: by its hash, its pull request or its title."""
    if fact.old and re.fullmatch("[0-9a-f]{7,40}", fact.old):
        found = [one for one in by_hash(fact.old) if one.repo == card.repo]
        if found:
            return found[0]
    number = fact.name.rpartition("#")[2]
    earlier = [one for one in known.values() if one.repo == card.repo and one.at <= card.at and one.id != card.id]
    if number.isdecimal():
        return next((one for one in earlier if one.pull == int(number)), None)
    if (quoted := _QUOTED.match(card.title)) is not None:
        return next((one for one in earlier if _is_quoted(one.title, quoted)), None)
    return next((one for one in earlier if _bare(one.title) == _bare(fact.name)), None)


def _follow(lineage: Lineage, known: dict[EvidenceId, Card], wanted: set[EvidenceId]) -> None:
    """Keep what hangs together with the commits asked for, and note the other ends."""
    edges = [*lineage.undone.items(), *lineage.relanded.items()]
    reached, before = set(wanted), -1
    while len(reached) != before:
        before = len(reached)
        for old, new in edges:
            if old in reached or new in reached:
                reached |= {old, new}
    for table in (lineage.undone, lineage.relanded):
        for old in [name for name in table if name not in reached]:
            del table[old]
    lineage.cards.extend(known[name] for name in sorted(reached - wanted) if name in known)
