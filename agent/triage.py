"""How much a landed commit matters to those who depend on the repository, and why; the table is in docs/triage.md."""

import math
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from agent.conventions import CHORES, Purpose, read_heading
from agent.domain import Change, Frozen
from agent.facts import Fact, FactKind, FactSheet, Severity
from agent.settings import Tiers


class Tier(StrEnum):
    """What a reader should do about a commit; the same meaning in every repository."""

    HIGH = "high"
    """Act, or at least read: something that worked may stop working, or a release, revert or security fix."""
    MID = "mid"
    """Worth knowing: users can notice it."""
    LOW = "low"
    """One line is enough."""
    NOISE = "noise"
    """Folded together with its like."""


class Noise(StrEnum):
    """What is folded together."""

    BOT = "bot"
    CI = "ci"
    DOCS = "docs"
    TESTS = "tests"
    FORMATTING = "formatting"
    CHORE = "chore"
    LEFT_OUT = "left out"
    """Touches only paths that the configuration leaves out; see agent/filters.py."""


class Triage(Frozen):
    """One commit's weight."""

    sha: str
    score: float
    reasons: tuple[str, ...]
    """What the score comes from, heaviest first; each is a name of the table."""
    purpose: Purpose | None
    noise: Noise | None = None
    tier: Tier = Tier.LOW


_ONLY = {
    FactKind.ONLY_TESTS: Noise.TESTS,
    FactKind.ONLY_DOCS: Noise.DOCS,
    FactKind.ONLY_CI: Noise.CI,
    FactKind.ONLY_FORMATTING: Noise.FORMATTING,
    FactKind.ONLY_COMMENTS: Noise.DOCS,
}
_PURPOSE_POINTS = {
    Purpose.SECURITY: 5.0,
    Purpose.REVERT: 3.0,
    Purpose.RELEASE: 2.0,
    Purpose.FIX: 2.0,
    Purpose.FEATURE: 1.5,
    Purpose.DEPRECATION: 2.0,
    Purpose.PERFORMANCE: 1.5,
    Purpose.DEPENDENCY: 0.5,
    Purpose.REFACTOR: 0.5,
}
_SET_BY_USERS = ("flag-", "env-", "config-key-", "route-", "limit-")
_NEW_FOR_USERS = (FactKind.REGISTERED, FactKind.FLAG_ADDED, FactKind.ENV_ADDED, FactKind.ROUTE_ADDED)
_NEW_ROLES = ("model", "kernel", "operator")
# Trouble that users would have met, in the words of those who mended it.
_GRAVE = re.compile(
    r"\b(?:crash\w*|segfault\w*|hang(?:s|ing)?|dead ?lock\w*|corrupt\w*|nan|inf(?:inite)? loop|race|oom|out of memory"
    r"|memory leak\w*|leak(?:s|ed|ing)?|regression\w*|wrong (?:results?|outputs?)|incorrect\w*|data loss"
    r"|illegal memory|accuracy (?:drop|issue|bug)\w*|numerical\w*)\b|崩溃|死锁|泄漏|精度",
    re.IGNORECASE,
)
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|github-actions|pre-commit-ci|copybara|mergify)\b|-bot$", re.IGNORECASE
)
_TIERS = Tiers()
# A day on which everything is urgent tells nobody what to do first.
_MOST_HIGH, _LEAST_ALLOWED = 0.25, 3


def weigh(change: Change, sheet: FactSheet | None, *, labels: Sequence[str] = (), fixes: int = 0) -> Triage:
    """Score one commit by what its diff does, what its author says, and the issues it closes."""
    commit = change.commit
    heading = read_heading(commit.title)
    facts = sheet.facts if sheet else ()
    points = dict(_fact_points(facts))
    purposes = [*heading.purposes, *_label_purposes(labels)]
    if purposes:
        best = max(purposes, key=lambda purpose: _PURPOSE_POINTS.get(purpose, 0.0))
        points[best.value] = _PURPOSE_POINTS.get(best, 0.0)
    if heading.breaking:
        points["marked breaking"] = 4.0
    if _GRAVE.search(commit.title) and Purpose.FIX in purposes:
        points["grave"] = 1.5
    if fixes:
        points["closes issues"] = 1.0
    points["size"] = min(1.0, math.log10(1 + change.additions + change.deletions) / 4)
    noise = _noise(change, facts, purposes)
    reasons = sorted((name for name, value in points.items() if value >= 0.5), key=lambda name: -points[name])
    return Triage(
        sha=commit.sha,
        score=round(sum(points.values()), 3),
        reasons=tuple(reasons),
        purpose=_main_purpose(facts, purposes),
        noise=noise,
    )


def rank(weighed: Iterable[Triage], tiers: Tiers = _TIERS) -> tuple[Triage, ...]:
    """Give every commit of a repository its tier, heaviest first."""
    ordered = sorted(weighed, key=lambda one: -one.score)
    telling = sum(one.noise is None for one in ordered)
    allowed = max(_LEAST_ALLOWED, math.ceil(telling * _MOST_HIGH))
    ranked: list[Triage] = []
    for one in ordered:
        high = sum(other.tier is Tier.HIGH for other in ranked)
        ranked.append(one.model_copy(update={"tier": _tier(one, tiers, room=high < allowed)}))
    return tuple(sorted(ranked, key=lambda one: list(Tier).index(one.tier)))


def _tier(one: Triage, tiers: Tiers, *, room: bool) -> Tier:
    if one.noise is not None:
        return Tier.NOISE
    if one.score >= tiers.high and room:
        return Tier.HIGH
    return Tier.MID if one.score >= tiers.mid else Tier.LOW


def _fact_points(facts: Sequence[Fact]) -> Iterable[tuple[str, float]]:
    """Count each sort of fact once by its best: ten renamed parameters are no ten times as urgent as one."""
    breaking = [fact for fact in facts if fact.severity is Severity.BREAKING]
    if any(fact.kind.startswith(_SET_BY_USERS) for fact in breaking):
        yield "breaks what users set", 4.0
    elif any(_exported(fact) for fact in breaking):
        yield "breaks exported names", 3.5
    elif breaking:
        yield "breaks names", 2.5
    behaviour = [fact for fact in facts if fact.severity is Severity.BEHAVIOUR]
    if any(fact.kind.startswith(_SET_BY_USERS) for fact in behaviour):
        yield "changes defaults", 2.0
    if any(fact.kind is FactKind.DEPRECATED for fact in behaviour):
        yield "deprecates", 2.0
    if any(fact.kind is FactKind.VERSION_CHANGED for fact in behaviour):
        yield "new version", 3.0
    if any(fact.kind in (FactKind.DEPENDENCY_CHANGED, FactKind.DEPENDENCY_ADDED) for fact in behaviour):
        yield "dependencies", 1.0
    if any(fact.kind is FactKind.REVERT for fact in facts):
        yield "undoes a change", 1.5
    if any(fact.kind is FactKind.RELAND for fact in facts):
        yield "lands again", 1.5
    additive = [fact for fact in facts if fact.severity is Severity.ADDITIVE]
    if any(fact.kind in _NEW_FOR_USERS or fact.detail in _NEW_ROLES for fact in additive):
        yield "new for users", 1.5
    elif additive:
        yield "new names", 0.7


def _exported(fact: Fact) -> bool:
    """Tell what users import or include directly from what lies deep inside."""
    return any(
        place.file.endswith("__init__.py") or "include/" in place.file or place.file.count("/") <= 1
        for place in fact.places
    )


def _label_purposes(labels: Sequence[str]) -> list[Purpose]:
    """Read the labels of the pull request like tags of the subject."""
    return [purpose for label in labels for purpose in read_heading(f"[{label}] x").purposes]


def _main_purpose(facts: Sequence[Fact], purposes: Sequence[Purpose]) -> Purpose | None:
    if any(fact.kind is FactKind.REVERT for fact in facts):
        return Purpose.REVERT
    return purposes[0] if purposes else None


def _noise(change: Change, facts: Sequence[Fact], purposes: Sequence[Purpose]) -> Noise | None:
    """Find what is folded away: by its diff, else by an author who is a machine, else by its own words."""
    for fact in facts:
        if fact.kind in _ONLY:
            return _ONLY[fact.kind]
    telling = any(fact.severity is not Severity.INTERNAL for fact in facts)
    if telling:
        return None
    if _BOT.search(change.commit.author.name):
        return Noise.BOT
    if purposes and all(purpose in CHORES for purpose in purposes):
        return {Purpose.DOCS: Noise.DOCS, Purpose.TESTS: Noise.TESTS, Purpose.CI: Noise.CI}.get(
            purposes[0], Noise.CHORE
        )
    return None
