"""How much a landed commit matters to those who depend on the repository, and why; the table is in docs/facts.md."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactKind, FactSheet, Severity
from agent.domain.ledger import Noise, Purpose, Tier, Triage
from agent.triage.conventions import CHORES, Area, Heading, area, is_breaking, purposes_of, read_heading

_ONLY: dict[FactKind, Noise] = {
    FactKind.ONLY_TESTS: "tests",
    FactKind.ONLY_DOCS: "docs",
    FactKind.ONLY_CI: "ci",
    FactKind.ONLY_FORMATTING: "formatting",
    FactKind.ONLY_COMMENTS: "comments",
}
_ASIDE: dict[Area, Noise] = {Area.TESTS: "tests", Area.DOCS: "docs", Area.CI: "ci"}
_OF_CHORE: dict[Purpose, Noise] = {"docs": "docs", "tests": "tests", "ci": "ci"}
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|github-actions|pre-commit-ci|copybara|mergify)\b|[- ]bot$", re.IGNORECASE
)
HIGH, _MID = 5.0, 2.5  # From which weight on a commit belongs to a tier
# A day on which everything is urgent tells nobody what to do first.
_MOST_HIGH, _LEAST_ALLOWED = 0.25, 3
_CLOSES_ISSUES = 1.5
# Without an urgent reason further ones hardly count above this; without product nothing does above the other.
_NOT_URGENT, _NOT_PRODUCT = 3.8, 1.5
# Chores and the work of machines fold unless they rework a good part of the product.
_LARGE_CHORE = 50


def weigh(change: Change, sheet: FactSheet | None, *, labels: Sequence[str] = (), closes: bool = False) -> Triage:
    """Score one commit by what its diff does, what its author declares, and whether it closes issues."""
    heading = read_heading(change.commit.title)
    facts = sheet.facts if sheet else ()
    lines = lines_by_area(change.files)
    found = {
        *reasons_in_facts(facts, refactored="refactor" in heading.purposes),
        *reasons_in_words(heading, labels, closes=closes),
    }
    reasons = sorted(found, key=lambda name: (-POINTS[name], name))
    score = _sum(reasons) + min(0.4, math.log10(1 + lines.get(Area.PRODUCT, 0)) / 8)
    if closes:
        reasons.append("closes issues")
        score += _CLOSES_ISSUES
    if not URGENT & found:
        limit = max(_NOT_URGENT, *(POINTS[name] for name in found), 0.0)
        score = min(score, limit + (score - limit) / 10)
    if change.files and Area.PRODUCT not in lines and not _announces(heading):
        score = min(score, _NOT_PRODUCT)
    return Triage(
        sha=change.commit.sha,
        score=round(score, 3),
        reasons=tuple(reasons),
        purpose=_main_purpose(facts, (*heading.purposes, *label_purposes(labels))),
        noise="empty" if sheet and _is_empty(change) else _noise(change, facts, heading, lines),
    )


def _sum(reasons: Sequence[str]) -> float:
    """Count the weightiest reason in full and the others by half: doing much is not the same as mattering."""
    points = [POINTS[name] for name in reasons]
    return math.fsum(points[:1]) + math.fsum(points[1:]) / 2


def rank(weighed: Iterable[Triage]) -> tuple[Triage, ...]:
    """Give every commit of a repository its tier, heaviest first."""
    ordered = sorted(weighed, key=lambda one: -one.score)
    telling = sum(one.noise is None for one in ordered)
    allowed = max(_LEAST_ALLOWED, math.ceil(telling * _MOST_HIGH))
    ranked: list[Triage] = []
    high = 0
    for one in ordered:
        tier = _tier(one, room=high < allowed)
        high += tier is Tier.HIGH
        ranked.append(one.model_copy(update={"tier": tier}))
    return tuple(sorted(ranked, key=lambda one: (list(Tier).index(one.tier), one.noise is not None)))


def lifted(table: Sequence[Triage], used: Collection[str]) -> tuple[Triage, ...]:
    """Put the commits that the reader's own code is about before all others, as something to act on."""
    most = max((one.score for one in table), default=0.0)
    concerned = [
        one.model_copy(update={"tier": Tier.HIGH, "noise": None, "score": round(one.score + most, 3)})
        for one in table
        if one.sha in used
    ]
    return (*concerned, *(one for one in table if one.sha not in used))


def _tier(one: Triage, *, room: bool) -> Tier:
    if one.noise is not None:
        return Tier.LOW
    if one.score >= HIGH and room:
        return Tier.HIGH
    return Tier.MID if one.score >= _MID else Tier.LOW


def _main_purpose(facts: Sequence[Fact], purposes: Sequence[Purpose]) -> Purpose | None:
    if any(fact.kind is FactKind.REVERT for fact in facts):
        return "revert"
    return purposes[0] if purposes else None


def _announces(heading: Heading) -> bool:
    """Tell documents that users must read from documents that they may."""
    return heading.breaking or "deprecation" in heading.purposes


def _is_empty(change: Change) -> bool:
    """Tell a commit that was read and changes nothing; a merge may be one by its nature."""
    return not change.files and not change.incomplete and len(change.commit.parents) == 1


def _noise(change: Change, facts: Sequence[Fact], heading: Heading, lines: Mapping[Area, int]) -> Noise | None:
    """Find what is folded away: by its diff, else by an author who is a machine, else by its own words."""
    only = next((_ONLY[fact.kind] for fact in facts if fact.kind in _ONLY), None)
    aside = only or _aside(lines)
    if aside is not None:
        return None if aside == "docs" and _announces(heading) else aside
    # That some line of a function changed is so of every chore.
    if any(fact.severity is not Severity.INTERNAL and fact.kind is not FactKind.CODE_CHANGED for fact in facts):
        return None
    if _BOT.search(change.commit.author.name) and lines.get(Area.PRODUCT, 0) <= _LARGE_CHORE:
        return "bot"
    return _chore(heading, lines)


def _chore(heading: Heading, lines: Mapping[Area, int]) -> Noise | None:
    """Believe an author who calls it a chore; `[CI][Bugfix]` of nothing but the product is none."""
    first = next(iter(heading.purposes), None)
    if first not in CHORES or ("fix" in heading.purposes and lines.keys() == {Area.PRODUCT}):
        return None
    if first in _OF_CHORE:
        return _OF_CHORE[first]
    small = lines.get(Area.PRODUCT, 0) <= _LARGE_CHORE
    return "chore" if small and set(heading.purposes) <= CHORES | {"refactor"} else None


def _aside(lines: Mapping[Area, int]) -> Noise | None:
    """Name what a commit is about that touches nothing but tests, documents and workflows."""
    if not lines or not lines.keys() <= _ASIDE.keys():
        return None
    return _ASIDE[max(lines, key=lambda kind: lines[kind])]


POINTS = {
    "security": 6.0,
    "revert": 5.5,
    "breaks what users set": 5.0,
    "marked breaking": 5.0,
    "new version": 4.5,
    "breaks exported names": 4.0,
    "deprecation": 3.0,
    "fix": 3.0,
    "new model": 3.0,
    "release": 2.5,
    "performance": 2.5,
    "feature": 2.5,
    "changes defaults": 2.5,
    "changes what users call": 2.5,
    "new for users": 2.5,
    "deprecates": 2.5,
    "undoes a change": 2.5,
    "lands again": 2.0,
    "changes values": 1.5,
    "dependencies": 1.5,
    "may break names": 1.2,
    "new names": 1.2,
    "dependency": 0.5,
    "refactor": 0.3,
}
URGENT = frozenset(
    (
        *("security", "revert", "breaks what users set", "marked breaking", "new version"),
        *("release", "breaks exported names", "undoes a change"),
    )
)
"""Only with one of these can a commit be of the top tier, however much else it does."""

_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-")
_CALLED = {
    FactKind.PARAMETER_DEFAULT,
    FactKind.FIELD_CHANGED,
    FactKind.SIGNATURE_CHANGED,
    FactKind.BASE_CHANGED,
    FactKind.REGISTRATION_CHANGED,
}
_UNPROVED = ("symbol-", "parameter-", "field-", "enum-member-")
"""What breaks whoever reaches it, where nobody could see whether users do."""
_VALUES = {FactKind.CONSTANT_CHANGED, FactKind.LIMIT_CHANGED}
_NEW_FOR_USERS = (FactKind.REGISTERED, FactKind.FLAG_ADDED, FactKind.ENV_ADDED, FactKind.ROUTE_ADDED)
_NEW_ROLES = ("kernel", "operator")
_DEPENDENCIES = {
    FactKind.DEPENDENCY_CHANGED,
    FactKind.DEPENDENCY_ADDED,
    FactKind.DEPENDENCY_REMOVED,
    FactKind.IMAGE_CHANGED,
}


def reasons_in_words(heading: Heading, labels: Sequence[str], *, closes: bool) -> Iterator[str]:
    """Name what the author and the maintainers declare, by tags and labels, and by the issues that are closed."""
    said = {*heading.purposes, *label_purposes(labels)}
    if closes and not said - CHORES:
        said.add("fix")
    yield from (purpose for purpose in said if purpose in POINTS)
    if heading.breaking or is_breaking(labels):
        yield "marked breaking"


def label_purposes(labels: Sequence[str]) -> list[Purpose]:
    """Read the labels of the pull request; those for chores are put on by machines, by the paths touched."""
    return [purpose for purpose in purposes_of(labels) if purpose not in CHORES]


def reasons_in_facts(facts: Sequence[Fact], *, refactored: bool) -> Iterator[str]:
    """Name what the diff does, each sort once: ten renamed parameters are no ten times as urgent as one."""
    breaking = [fact for fact in facts if fact.severity is Severity.BREAKING]
    if any(fact.kind.startswith(_SET_BY_USERS) for fact in breaking):
        yield "breaks what users set"
    elif breaking:
        yield "breaks exported names"
    yield from _in_behaviour([fact for fact in facts if fact.severity is Severity.BEHAVIOUR])
    kinds = {fact.kind for fact in facts}
    if FactKind.REVERT in kinds:
        yield "undoes a change"
    if FactKind.RELAND in kinds:
        yield "lands again"
    additive = [fact for fact in facts if fact.severity is Severity.ADDITIVE]
    if any(fact.kind is FactKind.FILE_ADDED and fact.detail == "model" for fact in additive):
        yield "new model"
    elif not refactored and any(fact.kind in _NEW_FOR_USERS or fact.detail in _NEW_ROLES for fact in additive):
        yield "new for users"
    elif additive:
        yield "new names"


def _in_behaviour(facts: Sequence[Fact]) -> Iterator[str]:
    kinds = {fact.kind for fact in facts}
    if any(kind.startswith(_SET_BY_USERS) for kind in kinds):
        yield "changes defaults"
    elif kinds & _CALLED:
        yield "changes what users call"
    elif kinds & _VALUES:
        yield "changes values"
    elif any(kind.startswith(_UNPROVED) for kind in kinds):
        yield "may break names"
    if FactKind.DEPRECATED in kinds:
        yield "deprecates"
    if FactKind.VERSION_CHANGED in kinds:
        yield "new version"
    if kinds & _DEPENDENCIES:
        yield "dependencies"


def lines_by_area(files: Iterable[FileChange]) -> dict[Area, int]:
    """Count the changed lines of each area that is touched; a file without lines counts as one."""
    counts: dict[Area, int] = {}
    for file in files:
        kind = area(file.path)
        counts[kind] = counts.get(kind, 0) + max(1, file.additions + file.deletions)
    return counts
