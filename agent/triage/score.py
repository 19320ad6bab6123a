"""How much a landed commit matters to those who depend on the repository, and why; the table is in docs/facts.md."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import get_args

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactSheet, Severity
from agent.domain.ledger import Noise, Tier, Triage
from agent.triage.conventions import (
    CHORES,
    Area,
    Heading,
    area,
    is_breaking,
    names_advisory,
    purposes_of,
    read_heading,
)

_ONLY: dict[str, Noise] = {f"only-{noise}": noise for noise in get_args(Noise)}
_ASIDE: dict[Area, Noise] = {Area.TESTS: "tests", Area.DOCS: "docs", Area.CI: "ci"}
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|github-actions|copybara)\b|[- ]bot$", re.IGNORECASE
)
HIGH, _MID = 5.0, 2.5  # From which weight on a commit belongs to a tier
# A day on which everything is urgent tells nobody what to do first.
_MOST_HIGH, _LEAST_ALLOWED = 0.25, 3
_CLOSES_ISSUES = 1.5
# Without an urgent reason further ones hardly count above this; without product nothing does above the other.
_NOT_URGENT, _NOT_PRODUCT = 3.8, 1.5
# Chores and the work of machines fold unless they rework a good part of the product.
_LARGE_CHORE = 50

MAY_BREAK = "may break names"  # By the patch alone; whole files tell whether it does

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
    "undoes a change": 2.5,
    "lands again": 2.0,
    "changes values": 1.5,
    "new errors": 1.5,
    "dependencies": 1.5,
    MAY_BREAK: 1.2,
    "new names": 1.2,
    "dependency": 0.5,
    "refactor": 0.3,
}
URGENT = {"release", "undoes a change"} | {name for name, points in POINTS.items() if points >= 4}
"""Only with one of these can a commit be of the top tier, however much else it does."""

_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-")
_CALLED = (
    "parameter-default-",
    "field-changed",
    "signature-changed",
    "base-changed",
    "registration-changed",
)
_NEW_FOR_USERS = (
    "registered",
    "flag-added",
    "env-added",
    "route-added",
    "file-added kernel",
    "file-added operator",
)
_BY_SEVERITY = {
    Severity.BREAKING: {"breaks what users set": _SET_BY_USERS, "breaks exported names": ("",)},
    Severity.BEHAVIOUR: {
        "changes defaults": _SET_BY_USERS,
        "changes what users call": _CALLED,
        "changes values": ("constant-changed", "limit-changed"),
        MAY_BREAK: ("symbol-", "parameter-", "field-", "enum-member-"),
    },
    Severity.ADDITIVE: {
        "new model": ("file-added model",),
        "new for users": _NEW_FOR_USERS,
        "new names": ("",),
    },
}
"""How the kinds of facts begin that are a reason; of each severity only the first reason that holds counts."""
_HISTORY = ("revert", "reland")
_BESIDE = {
    "deprecation": ("deprecated",),
    "new version": ("version-changed",),
    "new errors": ("error-added",),
    "dependencies": ("dependency-", "image-changed"),
    "undoes a change": ("revert",),
    "lands again": ("reland",),
}
"""Reasons that count beside those."""


def weigh(
    change: Change, sheet: FactSheet | None, *, labels: Sequence[str] = (), closes: bool = False
) -> Triage:
    """Score one commit by what its diff does, what its author declares, and whether it closes issues."""
    heading = read_heading(change.commit.title)
    facts = sheet.facts if sheet else ()
    lines = _lines_by_area(change.files)
    # Labels for chores are put on by machines, by the paths touched.
    purposes = (*heading.purposes, *(one for one in purposes_of(labels) if one not in CHORES))
    found = {*_reasons_in_facts(facts), *(one for one in purposes if one in POINTS)}
    if heading.breaking or is_breaking(labels):
        found.add("marked breaking")
    if names_advisory(change.commit.message):
        found.add("security")
    if closes and CHORES.issuperset(purposes):
        found.add("fix")
    reasons = sorted(found, key=lambda name: (-POINTS[name], name))
    points = [POINTS[name] for name in reasons]
    # The weightiest reason counts in full and the others by half: doing much is not the same as mattering.
    score = math.fsum(points[:1]) + math.fsum(points[1:]) / 2
    score += min(0.4, math.log10(1 + lines.get(Area.PRODUCT, 0)) / 8) + _CLOSES_ISSUES * closes
    if not URGENT & found:
        limit = max(_NOT_URGENT, *points, 0.0)
        score = min(score, limit + (score - limit) / 10)
    if change.files and Area.PRODUCT not in lines and not _announces(heading):
        score = min(score, _NOT_PRODUCT)
    # A merge may be empty by its nature.
    empty = not change.files and not change.incomplete and len(change.commit.parents) == 1
    undoes = any(fact.kind == "revert" for fact in facts)
    return Triage(
        sha=change.commit.sha,
        score=round(score, 3),
        reasons=(*reasons, *(["closes issues"] if closes else ())),
        purpose="revert" if undoes else next(iter(purposes), None),
        noise="empty" if sheet and empty else _noise(change, facts, heading, lines),
    )


def _reasons_in_facts(facts: Sequence[Fact]) -> Iterator[str]:
    """Name what the diff does, each sort once: ten renamed parameters are no ten times as urgent as one."""
    for severity, table in _BY_SEVERITY.items():
        kinds = {f"{fact.kind} {fact.detail}" for fact in facts if fact.severity is severity}
        yield from [
            name for name, forms in table.items() if any(kind.startswith(forms) for kind in kinds)
        ][:1]
    told = {
        fact.kind for fact in facts if fact.severity is Severity.BEHAVIOUR or fact.kind in _HISTORY
    }
    yield from (
        name for name, forms in _BESIDE.items() if any(kind.startswith(forms) for kind in told)
    )
    if any(_is_version(fact) for fact in facts):
        yield "new version"


def _is_version(fact: Fact) -> bool:
    """Return True for another value of a module's `__version__`, where Python packages keep it."""
    return fact.kind == "constant-changed" and fact.name.rpartition(".")[2] == "__version__"


def _lines_by_area(files: Iterable[FileChange]) -> dict[Area, int]:
    """Count the changed lines of each area that is touched; a file without lines counts as one."""
    counts: dict[Area, int] = {}
    for file in files:
        kind = area(file.path)
        counts[kind] = counts.get(kind, 0) + max(1, file.additions + file.deletions)
    return counts


def rank(weighed: Iterable[Triage]) -> tuple[Triage, ...]:
    """Give every commit of a repository its tier, heaviest first."""
    ordered = sorted(weighed, key=lambda one: (one.noise is not None, -one.score))
    allowed = max(_LEAST_ALLOWED, math.ceil(sum(one.noise is None for one in ordered) * _MOST_HIGH))
    tiers = [_tier(one, room=place < allowed) for place, one in enumerate(ordered)]
    ranked = [
        one.model_copy(update={"tier": tier}) for one, tier in zip(ordered, tiers, strict=True)
    ]
    return tuple(sorted(ranked, key=lambda one: list(Tier).index(one.tier)))


def _tier(one: Triage, *, room: bool) -> Tier:
    if one.noise is not None or one.score < _MID:
        return Tier.LOW
    return Tier.HIGH if one.score >= HIGH and room else Tier.MID


def lifted(table: Sequence[Triage], used: Collection[str]) -> tuple[Triage, ...]:
    """Put the commits that the reader's own code is about before all others, as something to act on."""
    most = max((one.score for one in table), default=0.0)
    concerned = [
        one.model_copy(
            update={"tier": Tier.HIGH, "noise": None, "score": round(one.score + most, 3)}
        )
        for one in table
        if one.sha in used
    ]
    return (*concerned, *(one for one in table if one.sha not in used))


def _announces(heading: Heading) -> bool:
    """Return True if the title announces a breaking change or a deprecation."""
    return heading.breaking or "deprecation" in heading.purposes


def _noise(
    change: Change, facts: Sequence[Fact], heading: Heading, lines: Mapping[Area, int]
) -> Noise | None:
    """Find what is folded away: by its diff, else by an author who is a machine, else by its own words."""
    aside = next((_ONLY[fact.kind] for fact in facts if fact.kind in _ONLY), None)
    if aside is None and lines and lines.keys() <= _ASIDE.keys():
        aside = _ASIDE[max(lines, key=lambda kind: lines[kind])]
    if aside is not None:
        return None if aside == "docs" and _announces(heading) else aside
    # That some line of a function changed is so of every chore.
    if any(
        fact.severity is not Severity.INTERNAL and fact.kind != "code-changed" for fact in facts
    ):
        return None
    small = lines.get(Area.PRODUCT, 0) <= _LARGE_CHORE
    if small and _BOT.search(change.commit.author.name):
        return "bot"
    # An author who calls it a chore is believed; `[CI][Bugfix]` of nothing but the product is none.
    first = next(iter(heading.purposes), None)
    if first not in CHORES or ("fix" in heading.purposes and lines.keys() == {Area.PRODUCT}):
        return None
    if first in ("docs", "tests", "ci"):
        return first
    return "chore" if small and CHORES.issuperset({*heading.purposes} - {"refactor"}) else None
