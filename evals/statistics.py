"""How sure a figure is: intervals by drawing again, differences of pairs, and passing every time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

_DRAWS = 1_000
_MOST = 2_000
"""Of more values than this, so many are drawn: an interval needs no more."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def bootstrap(values: Sequence[float], seed: int = 1) -> Estimate:
    """Estimate the mean by drawing from the values again and again; the same seed gives the same interval."""
    if not values:
        raise ValueError("nothing to draw from")
    mean = sum(values) / len(values)
    if len(set(values)) == 1:
        return Estimate(mean, mean, mean, len(values))
    dice = Random(seed)  # noqa: S311 -- not a secret
    size = min(len(values), _MOST)
    # Means of fewer values scatter more than those of all of them, by this much.
    shrink = math.sqrt(size / len(values))
    means = sorted(mean + (sum(dice.choices(values, k=size)) / size - mean) * shrink for _ in range(_DRAWS))
    return Estimate(mean, means[int(0.025 * _DRAWS)], means[int(0.975 * _DRAWS) - 1], len(values))


def paired(new: Sequence[float], old: Sequence[float], seed: int = 1) -> Estimate:
    """Estimate how much better the new values are than the old ones of the same cases."""
    if len(new) != len(old):
        raise ValueError(f"{len(new)} cases are no pairs of {len(old)}")
    return bootstrap([one - other for one, other in zip(new, old, strict=True)], seed)


def pass_hat(passed: Sequence[Sequence[bool]], k: int) -> float:
    """Give the chance that k trials of a case all pass, over all cases: C(c, k) / C(n, k) each."""
    if not passed or any(len(trials) < k for trials in passed):
        raise ValueError(f"every case needs {k} trials")
    each = [math.comb(sum(trials), k) / math.comb(len(trials), k) for trials in passed]
    return sum(each) / len(each)
