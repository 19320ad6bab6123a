"""Scores and the figures made of them: how many, how sure, and whether that is enough."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from evals.statistics import bootstrap

MEASURED = "measured"
"""The verdict on a quantity that is neither right nor wrong by itself."""

CRASHED = "crashed"
"""The verdict on a case, or a set, that did not come to its end."""


@dataclass(frozen=True)
class Exhibit:
    """What was judged, beside what it was judged by, so that a person can see whether the verdict is right."""

    claim: str
    evidence: str
    marked: tuple[int, ...] = ()
    """The lines of the evidence that matter, counted from 0."""


@dataclass(frozen=True)
class Score:
    """What a scorer says of one thing: the reason first, then the value; None when it cannot tell."""

    reason: str
    value: float | None
    case: str = ""
    """Which case of the set, by a name that stays the same from run to run; empty: its place in the order."""
    verdict: str = ""
    """What was said in one word, where there are more words than right and wrong."""
    shown: Exhibit | None = None


@dataclass(frozen=True)
class Target:
    """What a figure must reach."""

    limit: float
    sense: Literal["at least", "at most"] = "at least"

    def met(self, value: float) -> bool:
        """Tell whether a value is good enough."""
        return value >= self.limit if self.sense == "at least" else value <= self.limit

    def missed_by(self, score: Score) -> bool:
        """Tell whether one score of a share is of the kind that there should be fewer of."""
        value = score.value or 0.0
        return value < 1.0 if self.sense == "at least" else value > 0.0


@dataclass(frozen=True)
class Figure:
    """A metric over its cases; `n` is 0 and `ok` None where there was nothing to measure."""

    value: float | None
    n: int
    low: float | None
    high: float | None
    target: float
    sense: str
    ok: bool | None
    worst: tuple[str, ...] = ()
    """The reasons of the first few failures."""
    scores: tuple[Score, ...] = ()
    """What it was made of, one by one."""

    def as_json(self) -> dict[str, object]:
        """Give the figure as plain data, without its scores."""
        return {name: value for name, value in asdict(replace(self, scores=())).items() if name != "scores"}


def share(scores: Sequence[Score], target: Target) -> Figure:
    """Average scores between 0 and 1; a score that could not be given counts 0.

    The interval at 95 % is Wilson's where each score is right or wrong, and drawn from the scores where some are
    partly right.
    """
    if not scores:
        return Figure(None, 0, None, None, target.limit, target.sense, None)
    values = [score.value or 0.0 for score in scores]
    n, mean = len(values), sum(values) / len(values)
    whole = all(value in (0.0, 1.0) for value in values)
    drawn = None if whole else bootstrap(values)
    low, high = (drawn.low, drawn.high) if drawn else _wilson(mean, n)
    failed = tuple(score.reason for score in scores if target.missed_by(score))
    met = target.met(mean)
    return Figure(mean, n, low, high, target.limit, target.sense, met, failed[:5], tuple(scores))


def is_wrong(figure: Figure, score: Score) -> bool:
    """Tell whether a score is of the kind that its figure should have fewer of; what was measured is right or wrong."""
    if score.verdict == MEASURED:
        return figure.ok is False
    sense: Literal["at least", "at most"] = "at most" if figure.sense == "at most" else "at least"
    return Target(figure.target, sense).missed_by(score)


def measure(values: Sequence[float], target: Target) -> Figure:
    """Take the median of a measured quantity, with its smallest and largest value."""
    if not values:
        return Figure(None, 0, None, None, target.limit, target.sense, None)
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    each = tuple(Score("as measured", value, verdict=MEASURED) for value in values)
    met = target.met(median)
    return Figure(median, len(ordered), ordered[0], ordered[-1], target.limit, target.sense, met, (), each)


def _wilson(mean: float, n: int) -> tuple[float, float]:
    z = 1.96
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def crashed(case: str, reason: str) -> Figure:
    """Give what stands in the place of the figures of a set that did not come to its end."""
    score = Score(reason, 0.0, case, CRASHED)
    return Figure(0.0, 1, 0.0, 1.0, 1.0, "at least", False, (reason,), (score,))
