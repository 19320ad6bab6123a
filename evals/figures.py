"""Scores and the figures made of them: how many, how sure, and whether that is enough."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

MEASURED = "measured"  # The verdict on a quantity that is neither right nor wrong by itself

CRASHED = "crashed"  # The verdict on a case, or a set, that did not come to its end
_Z = 1.96  # Of an interval at 95 %


@dataclass(frozen=True)
class Exhibit:
    """What was judged, beside what it was judged by, so that a person can see whether the verdict is right."""

    claim: str
    evidence: str


@dataclass(frozen=True)
class Score:
    """What a scorer says of one thing: the reason first, then the value; None when it cannot tell."""

    reason: str
    value: float | None
    case: str = ""  # Which case of the set, by a name that stays the same from run to run
    verdict: str = ""  # What was said in one word, where there are more words than right and wrong
    shown: Exhibit | None = None


@dataclass(frozen=True)
class Target:
    """What a figure must reach."""

    limit: float
    sense: Literal["at least", "at most"] = "at least"

    def met(self, value: float) -> bool:
        """Tell whether a value is good enough."""
        return value >= self.limit if self.sense == "at least" else value <= self.limit


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
        """Tell whether a score is of the kind that there should be fewer of."""
        if score.verdict == MEASURED:
            return self.ok is False
        return (
            (score.value or 0.0) < 1.0 if self.sense == "at least" else (score.value or 0.0) > 0.0
        )

    @property
    def worst(self) -> tuple[str, ...]:
        """The reasons of the first few failures."""
        return tuple(
            one.reason for one in self.scores if one.verdict != MEASURED and self.is_wrong(one)
        )[:5]

    def as_json(self) -> dict[str, Any]:
        """Give the figure as plain data, without its scores."""
        return {key: value for key, value in asdict(self).items() if key != "scores"} | {
            "worst": list(self.worst)
        }


Figures = Mapping[str, Figure]
Results = Mapping[str, Figures]  # Figures by set


def share(scores: Iterable[Score], target: Target = ALL) -> Figure:
    """Average scores between 0 and 1, with Wilson's interval; a score that could not be given counts 0."""
    each = tuple(scores)
    if not each:
        return Figure(None, 0, None, None, target.limit, target.sense, None)
    n, mean = len(each), sum(score.value or 0.0 for score in each) / len(each)
    centre = (mean + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = (
        _Z * math.sqrt(max(0.0, mean * (1 - mean)) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    )
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return Figure(mean, n, low, high, target.limit, target.sense, target.met(mean), each)


def measure(values: Sequence[float], target: Target = SHOWN) -> Figure:
    """Take the median of a measured quantity, with its smallest and largest value."""
    if not values:
        return Figure(None, 0, None, None, target.limit, target.sense, None)
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    each = tuple(Score("as measured", value, verdict=MEASURED) for value in values)
    return Figure(
        median,
        len(each),
        ordered[0],
        ordered[-1],
        target.limit,
        target.sense,
        target.met(median),
        each,
    )


def crashed(case: str, reason: str) -> Figures:
    """Give what stands in the place of the figures of a set that did not come to its end."""
    return {"ran to its end": share([Score(reason, 0.0, case, CRASHED)])}
