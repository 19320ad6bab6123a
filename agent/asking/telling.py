"""What an answer says of one commit: the facts that were asked for, its lineage, its own words."""

import re
from collections.abc import Sequence
from datetime import datetime

from agent.analyst import Material, Read
from agent.asking.deeds import kinds_of, of_kinds
from agent.asking.draft import Item
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Inquiry
from agent.asking.lexicon import DOES, FATE, SUCCESSOR
from agent.asking.names import plain
from agent.asking.quoting import changed_lines, spoken_of
from agent.card import Card
from agent.claims import Claim, Role
from agent.domain import Issue, PullRequest
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import Fact, FactKind, Severity
from agent.grouping import grouped
from agent.report import Depth
from agent.rules import claims_of, lineage_claim, statement
from agent.telling import Group, told_groups
from agent.triage import Tier, Triage
from agent.window import Window, zone

_MOST_FACTS = 3
_CAUSE = re.compile(
    r"\bfrom\b(?!.*\bto\b)|\b(?:due to|because|after|since|caused by|broken by|so that|workaround)\b"
    r"|\bto (?:avoid|prevent|fix|reduce|improve|save|get|make|stop|allow|support|resolve|address|speed|unblock)\b"
    r"|引起|导致|由于|避免|以免|防止",
    re.IGNORECASE,
)
_SETTABLE = (FactKind.FLAG_ADDED, FactKind.ENV_ADDED, FactKind.CONFIG_ADDED)
_ROOM = 12
_LINES, _PLACES = 4, 3
_SHORT = 3
"""Commits up to which an answer has room for lines of their diffs."""


def shown_facts(facts: Sequence[Fact], most: int = _MOST_FACTS, *, single: bool = False) -> tuple[Group, ...]:
    """Choose what is said of a commit: the facts given, in their order, as few sentences as they fit in.

    Where a value is asked for each fact has a sentence of its own, which tells the value too.
    """
    open_facts = [fact for fact in facts if fact.severity is not Severity.INTERNAL] or list(facts)
    groups = [(fact,) for fact in open_facts] if single else grouped(open_facts)
    return tuple(groups[:most])


def facts_each(commits: int) -> int:
    """Tell how many facts of each commit an answer has room for."""
    return max(_MOST_FACTS, _ROOM // max(1, commits))


def commit_item(card: Card, groups: Sequence[Group], found: Findings, *, lineage: bool = False) -> Item:
    """Say of a commit what these facts say, and what became of it."""
    evidence = found.evidence.get(card.id)
    if evidence is None:
        return Item(cite=card.id)
    shown = set(evidence.facts)
    claims = [
        statement("fact", Role.CHANGE, kept, evidence)
        for group in groups
        if (kept := tuple(fact for fact in group if fact in shown))
    ]
    places = dict.fromkeys(place.file for group in groups for fact in group for place in fact.places[:1])
    claims += _lineage(card, evidence, found, always=lineage)
    return Item(cite=card.id, claims=_numbered(card, claims), places=tuple(places)[:_PLACES])


def shown_items(told: Sequence[tuple[Card, Sequence[Group]]], found: Findings) -> list[Item]:
    """Say of commits what these facts say; of a few, show words and lines too, and more of them where it is one."""
    if len(told) > _SHORT:
        return [commit_item(card, groups, found) for card, groups in told]
    return [_shown_item(card, groups, found, _LINES if len(told) == 1 else 1) for card, groups in told]


def _shown_item(card: Card, groups: Sequence[Group], found: Findings, most: int) -> Item:
    """Say of a commit what these facts say, and show its words and lines that have more of what is asked."""
    groups = groups or _of_kind(card, found)
    groups = (*groups, *_heirs(card, groups, found))
    item = commit_item(card, groups, found)
    evidence = found.evidence.get(card.id)
    if evidence is None:
        return item
    said = " ".join(claim.text.get(found.inquiry.lang, "") for claim in item.claims)
    facts = [fact for group in groups for fact in group]
    # That something is new does not say with which value, nor does a sentence that the value is too long for.
    # Nor does it say what something is called now that the old name is gone.
    gone = () if Act.RENAMED in found.inquiry.acts else ("-removed",)
    told = [fact for fact in facts if (fact.new and fact.new in said) or fact.kind.value.endswith(gone)]
    valued = any(not (found.inquiry.value and fact.kind.value.endswith("-added")) for fact in told)
    known = f"{card.title} {said}" if valued else ""
    lines = changed_lines(evidence, found.inquiry, known, most)
    words = spoken_of(evidence, found.inquiry, lines)
    claims = [*item.claims, *([words] if words else []), *lines]
    files = dict.fromkeys((*item.places, *(quote.file for line in lines for quote in line.quotes if quote.file)))
    return item.model_copy(update={"claims": _numbered(card, claims), "places": tuple(files)[:_PLACES]})


def _of_kind(card: Card, found: Findings) -> tuple[Group, ...]:
    """Give the few facts of the kind that is asked for, where none has the words of the question."""
    kinds = kinds_of(found.inquiry)
    facts = [fact for fact in card.facts if of_kinds(fact, kinds, found.inquiry.text)]
    return shown_facts(facts) if len(facts) <= _MOST_FACTS else ()


def _heirs(card: Card, groups: Sequence[Group], found: Findings) -> tuple[Group, ...]:
    """Give what users can set since the same commit, where it is asked what came for something that only went."""
    facts = [fact for group in groups for fact in group]
    if not SUCCESSOR.search(found.inquiry.text) or not facts:
        return ()
    if not all(fact.kind.value.endswith("-removed") for fact in facts):
        return ()
    return shown_facts([fact for fact in card.facts if fact.kind in _SETTABLE])


def dependency_facts(card: Card, found: Findings) -> tuple[Fact, ...]:
    """Give the facts of a commit about one of the repositories as a dependency."""
    short = {plain(one.repo.partition("/")[2]) for one in found.searched}
    return tuple(fact for fact in card.facts if fact.kind.value.startswith("dependency-") and plain(fact.name) in short)


def explained(card: Card, found: Findings) -> Item:
    """Say everything that the rules say of a commit in depth."""
    evidence = found.evidence.get(card.id)
    if evidence is None:
        return Item(cite=card.id)
    triage = Triage(sha=card.sha, score=0, reasons=(), purpose=None, tier=Tier.HIGH)
    material = Material(
        repo=card.repo,
        window=found.window,
        reads=[Read(evidence=evidence, triage=triage, depth=Depth.DEEP)],
        links=found.links,
        issues=[one for one in found.threads.values() if isinstance(one, Issue)],
        pulls={one.number: one for one in found.threads.values() if isinstance(one, PullRequest)},
        reverted={},
        background={},
    )
    own = list(claims_of(material.reads[0], material))
    if not any(claim.predicate in ("fact", "facts") for claim in own):
        own += [statement("fact", Role.CHANGE, group, evidence) for group in told_groups(evidence.facts)[:2]]
    said = spoken_of(evidence, found.inquiry, own)
    own += [said] if said else []
    shown = " ".join(quote.text for claim in own for quote in claim.quotes)
    own += [line for line in changed_lines(evidence, found.inquiry) if line.quotes[0].text not in shown]
    if found.inquiry.reason:
        # Who asks why reads the reason first.
        own.sort(key=lambda claim: not claim.speech)
    return Item(cite=card.id, claims=_numbered(card, [*own, *_lineage(card, evidence, found, always=True)]))


def gives_reason(item: Item, found: Findings) -> bool:
    """Tell whether a commit says why, in its author's words or in its title."""
    title = found.cards[item.cite].title
    return any(claim.speech for claim in item.claims) or bool(_CAUSE.search(title))


def asks_more(inquiry: Inquiry) -> bool:
    """Tell whether a question that asks why wants to know something else too, which can be told without a reason."""
    return inquiry.value or inquiry.when or bool(DOES.search(inquiry.text) or FATE.search(inquiry.text))


def _lineage(card: Card, evidence: CommitEvidence, found: Findings, *, always: bool) -> list[Claim]:
    """Say what undid the commit, or what it undoes or brings back, where the other one was read too."""
    claims = []
    if (by := found.undone.get(card.id)) and by in found.evidence:
        claims.append(lineage_claim("undone", evidence, by, earlier=False))
    if always:
        back: dict[str, list[EvidenceId]] = {
            "undoes": [old for old, new in found.undone.items() if new == card.id],
            "relands": [old for old, new in found.relanded.items() if new == card.id],
        }
        for predicate, others in back.items():
            claims += [
                lineage_claim(predicate, evidence, old, earlier=False) for old in others if old in found.evidence
            ]
    return claims


def _numbered(card: Card, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    return tuple(
        claim.model_copy(update={"id": f"{card.repo}@{card.sha[:12]}.{number}"})
        for number, claim in enumerate(claims, start=1)
    )


def whole_day(when: Window | datetime, tz: str = "UTC") -> str:
    """Write a day or a stretch of days as people read them."""
    if isinstance(when, Window):
        return when.label if when.whole_days else f"{_day(when.start, when.tz)}..{_day(when.end, when.tz)}"
    return _day(when, tz)


def _day(moment: datetime, tz: str) -> str:
    return f"{moment.astimezone(zone(tz)):%Y-%m-%d}"
