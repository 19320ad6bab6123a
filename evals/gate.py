"""The gate of the harness: what may never be wrong, how far a figure may fall, and which case broke it."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.domain.base import ConfigError
from evals.figures import CRASHED, MEASURED, Figure, is_wrong
from evals.results import Results
from evals.statistics import paired

LIMITS = Path(__file__).with_name("limits.toml")
PREVIOUS = Path(__file__).with_name("previous.json")
_CASES = 5
DEFAULT = "default"


class Limits(BaseModel):
    """The file of limits, as it is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sets: tuple[str, ...]
    invariants: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    drops: dict[str, float] = Field(default_factory=dict)
    """By `set/metric`, by set, or for all others."""

    def drop(self, name: str, metric: str) -> float:
        """Tell how far a figure may fall."""
        return self.drops.get(f"{name}/{metric}", self.drops.get(name, self.drops.get(DEFAULT, 0.0)))


@dataclass(frozen=True)
class Breach:
    """One thing that does not hold: where, which case, and why."""

    set: str
    metric: str
    case: str
    why: str

    def __str__(self) -> str:
        return f"{self.set}: {self.metric}: {f'case {self.case}: ' if self.case else ''}{self.why}"


def load_limits(file: Path = LIMITS) -> Limits:
    """Read the limits."""
    try:
        return Limits.model_validate(tomllib.loads(file.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigError(f"{file.name}: {error}") from error


def breaches(results: Results, limits: Limits, previous: Mapping[str, Any] | None = None) -> list[Breach]:
    """List everything that must not be: crashes, broken invariants, figures that fell too far."""
    found = list(_crashes(results))
    ended = [name for name in results if name not in {one.set for one in found}]
    for name, metrics in limits.invariants.items():
        for metric in metrics if name in ended else ():
            found += _invariant(name, metric, results[name].get(metric))
    if previous is not None:
        found += _falls({name: results[name] for name in ended}, limits, previous)
    return found


def _crashes(results: Results) -> Iterator[Breach]:
    for name, figures in results.items():
        for metric, figure in figures.items():
            for score in figure.scores:
                if score.verdict == CRASHED:
                    yield Breach(name, metric, score.case, score.reason)


def _invariant(name: str, metric: str, figure: Figure | None) -> Iterator[Breach]:
    if figure is None or not figure.n:
        yield Breach(name, metric, "", "was not measured")
        return
    wrong = [(place, score) for place, score in enumerate(figure.scores) if is_wrong(figure, score)]
    for place, score in wrong[:_CASES]:
        yield Breach(name, metric, score.case or f"{place:05}", score.reason)
    if len(wrong) > _CASES:
        yield Breach(name, metric, "", f"and {len(wrong) - _CASES} more")
    if not wrong and figure.ok is False:
        yield Breach(name, metric, "", f"{figure.value} where {figure.sense} {figure.target} is wanted")


def _falls(results: Results, limits: Limits, previous: Mapping[str, Any]) -> Iterator[Breach]:
    """Compare each share with what it was; what is measured by the clock differs from machine to machine."""
    for name, metrics in previous.get("sets", {}).items():
        for metric, old in metrics.items() if name in results else ():
            figure = results[name].get(metric)
            if figure is None or figure.value is None:
                yield Breach(name, metric, "", f"is not measured any more; it was {old}")
                continue
            fall = old - figure.value if figure.sense == "at least" else figure.value - old
            if fall > limits.drop(name, metric) + 1e-9:
                yield Breach(name, metric, "", f"was {old:.4g} and is {figure.value:.4g}{_first_wrong(figure)}")


def _first_wrong(figure: Figure) -> str:
    return f"; first: {figure.worst[0]}" if figure.worst else ""


def shares(results: Results) -> dict[str, Any]:
    """Give the figures that are kept in the repository: shares only, each with its value."""
    kept = {
        name: {metric: one.value for metric, one in figures.items() if _is_share(one)}
        for name, figures in results.items()
    }
    return {"sets": {name: metrics for name, metrics in kept.items() if metrics}}


def _is_share(figure: Figure) -> bool:
    return figure.value is not None and bool(figure.scores) and all(s.verdict != MEASURED for s in figure.scores)


# ---------------------------------------------------------------- beside another run


@dataclass(frozen=True)
class Change:
    """A figure of this run beside that of another, case by case."""

    set: str
    metric: str
    pairs: int
    mean: float
    low: float
    high: float
    better: tuple[str, ...]
    worse: tuple[str, ...]

    @property
    def clearly_worse(self) -> bool:
        """Tell whether even the upper end of the interval is a fall."""
        return self.high < 0


def compared(results: Results, baseline: list[dict[str, Any]]) -> list[Change]:
    """Pair the cases of two runs, and tell what changed; better is always up."""
    old = {(one["set"], one["metric"], one["case"]): one for one in baseline if one["value"] is not None}
    found = []
    for name, figures in results.items():
        for metric, figure in figures.items():
            cases = [(score.case or f"{place:05}", score) for place, score in enumerate(figure.scores)]
            pairs = [(case, one, old[name, metric, case]) for case, one in cases if (name, metric, case) in old]
            rows = [(case, one.value, float(then["value"])) for case, one, then in pairs if one.value is not None]
            if rows:
                found.append(_change(name, metric, figure, rows))
    return found


def _change(name: str, metric: str, figure: Figure, rows: list[tuple[str, float, float]]) -> Change:
    sign = 1 if figure.sense == "at least" else -1
    estimate = paired([sign * now for _, now, _ in rows], [sign * then for _, _, then in rows])
    better = tuple(case for case, now, then in rows if sign * (now - then) > 0)
    worse = tuple(case for case, now, then in rows if sign * (now - then) < 0)
    return Change(name, metric, len(rows), estimate.mean, estimate.low, estimate.high, better, worse)
