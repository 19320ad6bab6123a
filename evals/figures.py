"""Scores, and the figures computed from them: value, interval, and whether the target is met."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

MEASURED = "measured"  # The verdict on a quantity that is neither right nor wrong by itself
CRASHED = "crashed"  # The verdict on a case, or a set, that did not run to its end
_Z = 1.96  # The normal quantile of an interval at 95 %
_MAX_REASONS = 5  # Failures that a figure explains


@dataclass(frozen=True)
class Exhibit:
    """A claim next to its evidence, so that a person can check the verdict."""

    claim: str
    evidence: str


@dataclass(frozen=True)
class Score:
    """The verdict of a scorer on one case: the reason, then the value; None if it cannot decide."""

    reason: str
    value: float | None
    case: str = ""  # The case of the set, by a name that stays the same from run to run
    verdict: str = ""  # One word, where right and wrong are not enough
    shown: Exhibit | None = None


@dataclass(frozen=True)
class Target:
    """The value that a figure must reach, or may not exceed."""

    limit: float
    sense: Literal["at least", "at most"] = "at least"

    def met(self, value: float) -> bool:
        """Return True if a value is good enough."""
        if self.sense == "at least":
            return value >= self.limit
        return value <= self.limit


ALL = Target(1.0)
NONE = Target(0.0, "at most")
SHOWN = Target(0.0)  # Nothing to reach: the figure is only printed


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
    scores: tuple[Score, ...] = ()

    def is_wrong(self, score: Score) -> bool:
        """Return True if a score keeps the figure from its best value."""
        if score.verdict == MEASURED:
            return self.ok is False
        value = score.value or 0.0
        if self.sense == "at least":
            return value < 1.0
        return value > 0.0

    @property
    def worst(self) -> tuple[str, ...]:
        """The reasons of the first few failures."""
        reasons = []
        for score in self.scores:
            if score.verdict != MEASURED and self.is_wrong(score):
                reasons.append(score.reason)
        return tuple(reasons[:_MAX_REASONS])

    def as_json(self) -> dict[str, Any]:
        """Return the figure as plain data, without its scores."""
        data = asdict(self)
        del data["scores"]
        return data | {"worst": list(self.worst)}


Figures = Mapping[str, Figure]
Results = Mapping[str, Figures]  # Figures by set


def share(scores: Iterable[Score], target: Target = ALL) -> Figure:
    """Average scores between 0 and 1, with Wilson's interval; a missing value counts as 0."""
    counted = tuple(scores)
    if not counted:
        return _nothing(target)
    n = len(counted)
    mean = sum(score.value or 0.0 for score in counted) / n
    z_squared = _Z * _Z
    centre = (mean + z_squared / (2 * n)) / (1 + z_squared / n)
    variance = max(0.0, mean * (1 - mean)) / n + z_squared / (4 * n * n)
    half_width = _Z * math.sqrt(variance) / (1 + z_squared / n)
    return Figure(
        value=mean,
        n=n,
        low=max(0.0, centre - half_width),
        high=min(1.0, centre + half_width),
        target=target.limit,
        sense=target.sense,
        ok=target.met(mean),
        scores=counted,
    )


def measure(values: Sequence[float], target: Target = SHOWN) -> Figure:
    """Return the median of a measured quantity, with its smallest and largest value."""
    if not values:
        return _nothing(target)
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    return Figure(
        value=median,
        n=len(ordered),
        low=ordered[0],
        high=ordered[-1],
        target=target.limit,
        sense=target.sense,
        ok=target.met(median),
        scores=tuple(Score("as measured", value, verdict=MEASURED) for value in values),
    )


def _nothing(target: Target) -> Figure:
    """Return the figure of a metric that has no cases."""
    return Figure(None, 0, None, None, target.limit, target.sense, None)


def crashed(case: str, reason: str) -> Figures:
    """Return the figures of a set that did not run to its end."""
    return {"ran to its end": share([Score(reason, 0.0, case, CRASHED)])}
