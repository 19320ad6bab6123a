"""How well a report cites, check by check: what exists, belongs there, was read, is quoted and counted right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.claims import Claim, Judgement, Verdict
from evals.figures import Score, Target, share
from evals.harness import Figures

Judge = Callable[[Claim], Judgement]

_ORDER = tuple(Verdict)
_ALL, _NEARLY = Target(1.0), Target(0.995)
_STEPS: tuple[tuple[str, Verdict, Target], ...] = (
    ("citations that exist", Verdict.NONEXISTENT, _ALL),
    ("citations within the window and the repositories", Verdict.OUT_OF_SCOPE, _ALL),
    ("citations that were read", Verdict.UNSEEN, _ALL),
    ("people, dates, numbers and states as they are", Verdict.METADATA, _NEARLY),
    ("quotations that are verbatim", Verdict.QUOTE, _NEARLY),
    ("numbers that stand in the evidence", Verdict.NUMBER, _NEARLY),
)
"""Each check with the verdict that fails it; who failed an earlier one is not asked again."""


@dataclass(frozen=True)
class Judged:
    """A claim in one language, what was said of it, and of each citation whether the claim needs it."""

    where: str
    claim: Claim
    judgement: Judgement
    needed: tuple[bool, ...] = ()


def judged_with(where: str, claim: Claim, judge: Judge) -> Judged:
    """Judge a claim, and once more without each of its citations: one that changes nothing is superfluous."""
    judgement = judge(claim)
    if not judgement.passed or len(claim.cites) < 2:
        return Judged(where, claim, judgement, (judgement.passed,) * len(claim.cites))
    without = (tuple(one for one in claim.cites if one != cite) for cite in claim.cites)
    needed = tuple(not judge(claim.model_copy(update={"cites": cites})).passed for cites in without)
    return Judged(where, claim, judgement, needed)


def citation_figures(judged: Sequence[Judged]) -> Figures:
    """Score every check, and what all of them come to: recall, precision and their mean."""
    figures = {name: share(_step(judged, failing), target) for name, failing, target in _STEPS}
    recall = share([Score(_told(one), float(one.judgement.passed)) for one in judged], Target(0.98))
    needed = [
        Score(f"{_told(one)}: {cite} is not needed", float(is_needed))
        for one in judged
        for cite, is_needed in zip(one.claim.cites, one.needed, strict=True)
    ]
    precision = share(needed, Target(0.98))
    contradicted = [Score(_told(one), float(one.judgement.verdict is Verdict.UNSUPPORTED)) for one in judged]
    return {
        **figures,
        "claims that their citations bear out (recall)": recall,
        "citations that their claim needs (precision)": precision,
        "citation F1": share(_mean(recall.value, precision.value, len(judged)), Target(0.98)),
        "claims that their citations do not bear out": share(contradicted, Target(0.005, "at most")),
    }


def _step(judged: Sequence[Judged], failing: Verdict) -> list[Score]:
    """Score one check over the claims that passed all before it; quotations only where there are some."""
    place = _ORDER.index(failing)
    asked = [one for one in judged if _ORDER.index(one.judgement.verdict) >= place or one.judgement.passed]
    if failing is Verdict.NONEXISTENT:
        asked = list(judged)
    if failing is Verdict.QUOTE:
        asked = [one for one in asked if one.claim.quotes]
    return [Score(_told(one), float(_ORDER.index(one.judgement.verdict) > place)) for one in asked]


def _mean(recall: float | None, precision: float | None, n: int) -> list[Score]:
    """Give the harmonic mean as one score; nothing where there was nothing to cite."""
    if recall is None or precision is None:
        return []
    value = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return [Score(f"of {n} claims", value)]


def _told(one: Judged) -> str:
    return f"{one.where}: {one.claim.id} {one.claim.predicate}: {one.judgement.verdict.value}: {one.judgement.reason}"
