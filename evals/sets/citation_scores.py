"""How well a report cites, check by check: what exists, belongs there, was read, is quoted and counted right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.domain.claims import Claim, Judgement, Verdict
from evals.figures import Score, Target, share
from evals.harness import Figures

Judge = Callable[[Claim], Judgement]

_ORDER = tuple(Verdict)
_ALL, _NEARLY = Target(1.0), Target(0.995)
_STEPS: tuple[tuple[str, Verdict, Target], ...] = (
    ("citations that exist", Verdict.NONEXISTENT, _ALL),
    ("citations within the window and the repositories", Verdict.OUT_OF_SCOPE, _ALL),
    ("citations that were read", Verdict.UNSEEN, _ALL),
    ("quotations that are verbatim", Verdict.QUOTE, _NEARLY),
    ("numbers that stand in the evidence", Verdict.NUMBER, _NEARLY),
)
"""Each check with the verdict that fails it; who failed an earlier one is not asked again."""


@dataclass(frozen=True)
class Judged:
    """A claim in one language, and what was said of it."""

    where: str
    claim: Claim
    judgement: Judgement


def judged_with(where: str, claim: Claim, judge: Judge) -> Judged:
    """Check a claim."""
    return Judged(where, claim, judge(claim))


def citation_figures(judged: Sequence[Judged]) -> Figures:
    """Score every check, and what all of them come to."""
    figures = {name: share(_step(judged, failing), target) for name, failing, target in _STEPS}
    passed = share([Score(_told(one), float(one.judgement.passed)) for one in judged], Target(0.98))
    return {**figures, "claims that pass every check": passed}


def _step(judged: Sequence[Judged], failing: Verdict) -> list[Score]:
    """Score one check over the claims that passed all before it; quotations only where there are some."""
    place = _ORDER.index(failing)
    asked = [one for one in judged if _ORDER.index(one.judgement.verdict) >= place or one.judgement.passed]
    if failing is Verdict.NONEXISTENT:
        asked = list(judged)
    if failing is Verdict.QUOTE:
        asked = [one for one in asked if one.claim.quotes]
    return [Score(_told(one), float(_ORDER.index(one.judgement.verdict) > place)) for one in asked]


def _told(one: Judged) -> str:
    return f"{one.where}: {one.claim.id} {one.claim.predicate}: {one.judgement.verdict.value}: {one.judgement.reason}"
