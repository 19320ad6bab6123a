"""The limits of the gate: invariants, how far each figure may fall, and which case broke it."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.domain.errors import ConfigError, InputError
from evals.figures import CRASHED, MEASURED, Figure, Results

LIMITS = Path(__file__).with_name("limits.toml")
PREVIOUS = Path(__file__).with_name("previous.json")
_MAX_CASES = 5  # Broken cases of an invariant that are named
_ROUNDING = 1e-9


class LimitsFile(BaseModel):
    """The file of limits, as it is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sets: tuple[str, ...]
    invariants: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    # By `set/metric`, by set, or by `default` for all others.
    drops: dict[str, float] = Field(default_factory=dict)

    def drop(self, name: str, metric: str) -> float:
        """Return how far a figure may fall."""
        for key in (f"{name}/{metric}", name, "default"):
            if key in self.drops:
                return self.drops[key]
        return 0.0


@dataclass(frozen=True)
class Breach:
    """A limit that is broken: in which set and case, and why."""

    set: str
    metric: str
    case: str
    why: str

    def __str__(self) -> str:
        case = f"case {self.case}: " if self.case else ""
        return f"{self.set}: {self.metric}: {case}{self.why}"


def load_limits(file: Path = LIMITS) -> LimitsFile:
    """Read the limits."""
    try:
        return LimitsFile.model_validate(tomllib.loads(file.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigError(f"{file.name}: {error}") from error


def load_figures(file: Path) -> Mapping[str, Mapping[str, Any]]:
    """Read the figures of another run by set and metric, as `--json` or `--accept` writes them."""
    try:
        sets: Mapping[str, Mapping[str, Any]] = json.loads(file.read_text("utf-8"))["sets"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file} holds no figures: {error}") from error
    return sets


def breaches(
    results: Results, limits: LimitsFile, previous: Mapping[str, Mapping[str, float]]
) -> list[Breach]:
    """List crashes, broken invariants and figures that fell too far."""
    broken = list(_crashes(results))
    crashed_sets = {breach.set for breach in broken}
    complete = {name: results[name] for name in results if name not in crashed_sets}
    for name, metrics in limits.invariants.items():
        if name not in complete:
            continue
        for metric in metrics:
            broken += _invariant(name, metric, complete[name].get(metric))
    for name, figures in complete.items():
        for metric, old in previous.get(name, {}).items():
            broken += _fall(name, metric, old, figures.get(metric), limits.drop(name, metric))
    return broken


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
    wrong = [score for score in figure.scores if figure.is_wrong(score)]
    for score in wrong[:_MAX_CASES]:
        yield Breach(name, metric, score.case, score.reason)
    if len(wrong) > _MAX_CASES:
        yield Breach(name, metric, "", f"and {len(wrong) - _MAX_CASES} more")


def _fall(
    name: str, metric: str, old: float, figure: Figure | None, allowed: float
) -> Iterator[Breach]:
    if figure is None or figure.value is None:
        yield Breach(name, metric, "", f"is not measured any more; it was {old}")
        return
    fall = old - figure.value if figure.sense == "at least" else figure.value - old
    if fall > allowed + _ROUNDING:
        first = f"; first: {figure.worst[0]}" if figure.worst else ""
        yield Breach(name, metric, "", f"was {old:.4g} and is {figure.value:.4g}{first}")


def shares(results: Results) -> dict[str, Any]:
    """Return what the repository keeps: the value of every share.

    What the clock measures is left out, since it differs from day to day.
    """
    sets: dict[str, dict[str, float | None]] = {}
    for name, figures in results.items():
        values = {metric: figure.value for metric, figure in figures.items() if _is_share(figure)}
        if values:
            sets[name] = values
    return {"sets": sets}


def _is_share(figure: Figure) -> bool:
    return bool(figure.scores) and all(score.verdict != MEASURED for score in figure.scores)


def changes(results: Results, before: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the figures that differ from another run, and whether their intervals overlap."""
    for name, figures in results.items():
        for metric, figure in figures.items():
            old = before.get(name, {}).get(metric)
            if old is None or old["value"] is None or figure.value is None:
                continue
            if old["value"] == figure.value:
                continue
            apart = figure.low > old["high"] or figure.high < old["low"]
            certainty = "clearly" if apart else "within the intervals"
            was = f"was {old['value']:.4g} (n={old['n']})"
            yield f"{name}: {metric}: {was}, is {figure.value:.4g}, {certainty}"
