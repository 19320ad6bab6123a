"""The weights of landed commits for those who depend on the repository; the table is in docs/facts.md."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import get_args

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactSheet, Severity
from agent.domain.ledger import Noise, Purpose, Tier, Triage
from agent.triage.title_conventions import (
    CHORES,
    Area,
    Heading,
    area,
    is_breaking,
    names_advisory,
    purposes_of,
    read_heading,
)

_NOISE_OF_FACT: dict[str, Noise] = {f"only-{noise}": noise for noise in get_args(Noise)}
_NOISE_OF_AREA: dict[Area, Noise] = {Area.TESTS: "tests", Area.DOCS: "docs", Area.CI: "ci"}
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|github-actions|copybara)\b|[- ]bot$", re.IGNORECASE
)

HIGH = 5.0
"""From this weight on a commit is something to act on."""
_MID = 2.5  # From this weight on it is worth knowing.

# A day on which everything is urgent shows nobody what to do first.
_LARGEST_URGENT_SHARE = 0.25
_URGENT_ALWAYS_ALLOWED = 3

_POINTS_FOR_CLOSING_ISSUES = 1.5
_POINTS_FOR_TESTS = 0.2  # A change of the product that comes with tests of its own
_MOST_POINTS_FOR_SIZE = 0.8
_LIMIT_WITHOUT_URGENCY = 3.8  # Further reasons hardly count above this.
_LIMIT_WITHOUT_PRODUCT = 1.5
_LARGE_CHORE = 50  # Lines of the product; a chore that reworks more than these is not folded.

MAY_BREAK = "may break names"
"""The reason of a patch that takes names away; whole files show whether users reach them."""

POINTS = {
    "security": 6.0,
    "revert": 5.5,
    "breaks what users set": 5.0,
    "marked breaking": 5.0,
    "new version": 4.5,
    "breaks exported names": 4.0,
    "fix": 3.5,
    "deprecation": 3.0,
    "new model": 3.0,
    "release": 2.5,
    "feature": 2.5,
    "changes defaults": 2.5,
    "changes what users call": 2.5,
    "undoes a change": 2.5,
    "new for users": 2.0,
    "lands again": 2.0,
    "performance": 1.8,
    "changes values": 1.5,
    "dependencies": 1.5,
    MAY_BREAK: 1.2,
    "new names": 1.2,
    "new errors": 1.0,
    "dependency": 0.5,
    "refactor": 0.3,
}
URGENT = {"release", "undoes a change"} | {name for name, points in POINTS.items() if points >= 4}
"""Only with one of these can a commit be of the top tier, however much else it does."""

_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-", "metric-")
_CALLED = (
    "parameter-default-",
    "field-default-",
    "choices-changed",
    "registration-changed",
)
_NEW_FOR_USERS = (
    "registered",
    "flag-added",
    "env-added",
    "route-added",
    "metric-added",
    "contents-added",
    "file-added kernel",
    "file-added operator",
)
_BY_SEVERITY: Mapping[Severity, Mapping[str, tuple[str, ...]]] = {
    Severity.BREAKING: {"breaks what users set": _SET_BY_USERS, "breaks exported names": ("",)},
    Severity.MAY_BREAK: {MAY_BREAK: ("",)},
    Severity.BEHAVIOUR: {
        "changes defaults": _SET_BY_USERS,
        "changes what users call": _CALLED,
        "changes values": ("constant-changed", "limit-changed"),
        # Facts of earlier versions have no other word for what may break.
        MAY_BREAK: ("symbol-", "parameter-", "field-", "enum-member-"),
    },
    Severity.ADDITIVE: {
        "new model": ("file-added model",),
        "new for users": _NEW_FOR_USERS,
        "new names": ("",),
    },
}
"""How the kinds of facts begin that are a reason; of each severity only the first reason that holds counts."""
_HISTORY = ("revert", "reland", "partial-revert", "partial-reland")
_BESIDE = {
    "deprecation": ("deprecated",),
    "new version": ("version-changed",),
    "new errors": ("error-added",),
    "dependencies": ("dependency-", "image-changed"),
    "undoes a change": ("revert", "partial-revert"),
    "lands again": ("reland", "partial-reland"),
}
"""Reasons that count beside those."""


def weigh(
    change: Change, sheet: FactSheet | None, *, labels: Sequence[str] = (), closes: bool = False
) -> Triage:
    """Score a commit by what its diff does, what its author declares and whether it closes issues."""
    heading = read_heading(change.commit.title)
    facts = sheet.facts if sheet else ()
    lines = _lines_by_area(change.files)
    purposes = _purposes(heading, labels)
    reasons = _reasons(change, facts, heading, purposes, labels)
    if closes and CHORES.issuperset(purposes):
        reasons.add("fix")

    reasons_by_weight = sorted(reasons, key=lambda name: (-POINTS[name], name))
    score = _score(reasons_by_weight, lines, closes=closes)
    if closes:
        reasons_by_weight.append("closes issues")
    if change.files and Area.PRODUCT not in lines and not _announces(heading):
        score = min(score, _LIMIT_WITHOUT_PRODUCT)

    # A merge may be empty by its nature.
    is_empty = not change.files and not change.incomplete and len(change.commit.parents) == 1
    is_revert = any(fact.kind in ("revert", "partial-revert") for fact in facts)
    return Triage(
        sha=change.commit.sha,
        score=round(score, 3),
        reasons=tuple(reasons_by_weight),
        purpose="revert" if is_revert else next(iter(purposes), None),
        noise="empty" if sheet and is_empty else _noise(change, facts, heading, lines),
    )


def _purposes(heading: Heading, labels: Sequence[str]) -> tuple[Purpose, ...]:
    """Return what title and labels declare, without labels that machines put on by the paths."""
    labelled = [purpose for purpose in purposes_of(labels) if purpose not in CHORES]
    return (*heading.purposes, *labelled)


def _reasons(
    change: Change,
    facts: Sequence[Fact],
    heading: Heading,
    purposes: Sequence[Purpose],
    labels: Sequence[str],
) -> set[str]:
    """Return the reasons of the table that hold for a commit."""
    reasons = set(_reasons_in_facts(facts))
    for purpose in purposes:
        if purpose in POINTS:
            reasons.add(purpose)
    if heading.breaking or is_breaking(labels):
        reasons.add("marked breaking")
    if names_advisory(change.commit.message):
        reasons.add("security")
    return reasons


def _score(reasons: Sequence[str], lines: Mapping[Area, int], *, closes: bool) -> float:
    """Add up the points of the reasons, which stand heaviest first.

    The heaviest reason counts in full and the others by half: doing much is not the same as
    mattering.
    """
    points = [POINTS[name] for name in reasons]
    score = math.fsum(points[:1]) + math.fsum(points[1:]) / 2
    product_lines = lines.get(Area.PRODUCT, 0)
    score += min(_MOST_POINTS_FOR_SIZE, math.log10(1 + product_lines) / 4)
    if product_lines and Area.TESTS in lines:
        score += _POINTS_FOR_TESTS
    if closes:
        score += _POINTS_FOR_CLOSING_ISSUES
    if URGENT.intersection(reasons):
        return score
    limit = max(_LIMIT_WITHOUT_URGENCY, *points, 0.0)
    return min(score, limit + (score - limit) / 10)


def _reasons_in_facts(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield what the diff does, each reason once: ten renamed flags are not ten times as urgent."""
    for severity, reasons in _BY_SEVERITY.items():
        kinds = {f"{fact.kind} {fact.detail}" for fact in facts if fact.severity is severity}
        for reason, prefixes in reasons.items():
            if any(kind.startswith(prefixes) for kind in kinds):
                yield reason
                break

    noticed_kinds = set()
    for fact in facts:
        if fact.severity is Severity.BEHAVIOUR or fact.kind in _HISTORY:
            noticed_kinds.add(fact.kind)
    for reason, prefixes in _BESIDE.items():
        if any(kind.startswith(prefixes) for kind in noticed_kinds):
            yield reason
    if any(_is_version(fact) for fact in facts):
        yield "new version"


def _is_version(fact: Fact) -> bool:
    """Return True for another value of a module's `__version__`, where Python packages keep it."""
    return fact.kind == "constant-changed" and fact.name.rpartition(".")[2] == "__version__"


def _lines_by_area(files: Iterable[FileChange]) -> dict[Area, int]:
    """Count the changed lines of each area that is touched; a file without lines counts as one."""
    counts: dict[Area, int] = {}
    for file in files:
        file_area = area(file.path)
        changed_lines = max(1, file.additions + file.deletions)
        counts[file_area] = counts.get(file_area, 0) + changed_lines
    return counts


def rank(weighed: Iterable[Triage]) -> tuple[Triage, ...]:
    """Return the commits of a repository with their tiers, heaviest first."""
    by_weight = sorted(weighed, key=lambda triage: (triage.noise is not None, -triage.score))
    noticeable = sum(triage.noise is None for triage in by_weight)
    urgent_allowed = max(_URGENT_ALWAYS_ALLOWED, math.ceil(noticeable * _LARGEST_URGENT_SHARE))
    ranked = []
    for position, triage in enumerate(by_weight):
        tier = _tier(triage, may_be_urgent=position < urgent_allowed)
        ranked.append(triage.model_copy(update={"tier": tier}))
    tiers = list(Tier)
    ranked.sort(key=lambda triage: tiers.index(triage.tier))
    return tuple(ranked)


def _tier(triage: Triage, *, may_be_urgent: bool) -> Tier:
    if triage.noise is not None or triage.score < _MID:
        return Tier.LOW
    if triage.score >= HIGH and may_be_urgent:
        return Tier.HIGH
    return Tier.MID


def lifted(table: Sequence[Triage], used: Collection[str]) -> tuple[Triage, ...]:
    """Return commits, those that the reader's own code uses first, as something to act on."""
    highest_score = max((triage.score for triage in table), default=0.0)
    concerned = []
    others = []
    for triage in table:
        if triage.sha not in used:
            others.append(triage)
            continue
        score = round(triage.score + highest_score, 3)
        concerned.append(
            triage.model_copy(update={"tier": Tier.HIGH, "noise": None, "score": score})
        )
    return (*concerned, *others)


def _announces(heading: Heading) -> bool:
    """Return True if the title announces a breaking change or a deprecation."""
    return heading.breaking or "deprecation" in heading.purposes


def _noise(
    change: Change, facts: Sequence[Fact], heading: Heading, lines: Mapping[Area, int]
) -> Noise | None:
    """Return what a commit is folded as: by its diff, by an author who is a machine, by its title."""
    noise = _noise_by_diff(facts, lines)
    if noise == "docs" and _announces(heading):
        return None
    if noise is not None:
        return noise
    if any(_is_noticeable(fact) for fact in facts):
        return None
    is_small = lines.get(Area.PRODUCT, 0) <= _LARGE_CHORE
    if is_small and _BOT.search(change.commit.author.name):
        return "bot"
    return _noise_by_title(heading, lines, is_small=is_small)


def _noise_by_diff(facts: Sequence[Fact], lines: Mapping[Area, int]) -> Noise | None:
    for fact in facts:
        if fact.kind in _NOISE_OF_FACT:
            return _NOISE_OF_FACT[fact.kind]
    if lines and lines.keys() <= _NOISE_OF_AREA.keys():
        largest_area = max(lines, key=lambda touched: lines[touched])
        return _NOISE_OF_AREA[largest_area]
    return None


def _is_noticeable(fact: Fact) -> bool:
    """Return True for what users can notice; that some line of a function changed is so of every chore."""
    return fact.severity is not Severity.INTERNAL and fact.kind != "code-changed"


def _noise_by_title(heading: Heading, lines: Mapping[Area, int], *, is_small: bool) -> Noise | None:
    """Believe an author who calls a commit a chore, unless it mends the product alone."""
    first_purpose = next(iter(heading.purposes), None)
    if first_purpose not in CHORES:
        return None
    if "fix" in heading.purposes and lines.keys() == {Area.PRODUCT}:
        return None
    if first_purpose in ("docs", "tests", "ci"):
        return first_purpose
    others = {*heading.purposes} - {"refactor"}
    return "chore" if is_small and CHORES.issuperset(others) else None
