"""The gate of the harness: what may never be wrong, how far a figure may fall, and which case broke it."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.domain.base import ConfigError, InputError
from evals.figures import CRASHED, MEASURED, Figure, Results

LIMITS = Path(__file__).with_name("limits.toml")
PREVIOUS = Path(__file__).with_name("previous.json")
_CASES = 5


class LimitsFile(BaseModel):
    """The file of limits, as it is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sets: tuple[str, ...]
    invariants: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    drops: dict[str, float] = Field(
        default_factory=dict
    )  # By `set/metric`, by set, or by `default` for all others

    def drop(self, name: str, metric: str) -> float:
        """Tell how far a figure may fall."""
        return self.drops.get(
            f"{name}/{metric}", self.drops.get(name, self.drops.get("default", 0.0))
        )


@dataclass(frozen=True)
class Breach:
    """One thing that does not hold: where, which case, and why."""

    set: str
    metric: str
    case: str
    why: str

    def __str__(self) -> str:
        return f"{self.set}: {self.metric}: {f'case {self.case}: ' if self.case else ''}{self.why}"


def load_limits(file: Path = LIMITS) -> LimitsFile:
    """Read the limits."""
    try:
        return LimitsFile.model_validate(tomllib.loads(file.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigError(f"{file.name}: {error}") from error


def load_figures(file: Path) -> Mapping[str, Mapping[str, Any]]:
    """Read the figures of another run, as `--json` prints them or `--accept` keeps them, by set and metric."""
    try:
        found: Mapping[str, Mapping[str, Any]] = json.loads(file.read_text("utf-8"))["sets"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file} holds no figures: {error}") from error
    return found


def breaches(
    results: Results, limits: LimitsFile, previous: Mapping[str, Mapping[str, float]]
) -> list[Breach]:
    """List everything that must not be: crashes, broken invariants, figures that fell too far."""
    found = list(_crashes(results))
    ended = {
        name: figures for name, figures in results.items() if name not in {one.set for one in found}
    }
    for name, metrics in limits.invariants.items():
        for metric in metrics if name in ended else ():
            found += _invariant(name, metric, ended[name].get(metric))
    for name, figures in ended.items():
        for metric, old in previous.get(name, {}).items():
            found += _fall(name, metric, old, figures.get(metric), limits.drop(name, metric))
    return found


def _crashes(results: Results) -> Iterator[Breach]:
    for name, figures in results.items():
        for metric, figure in figures.items():
            crashes = [score for score in figure.scores if score.verdict == CRASHED]
            yield from (Breach(name, metric, score.case, score.reason) for score in crashes)


def _invariant(name: str, metric: str, figure: Figure | None) -> Iterator[Breach]:
    if figure is None or not figure.n:
        yield Breach(name, metric, "", "was not measured")
        return
    wrong = [score for score in figure.scores if figure.is_wrong(score)]
    yield from (Breach(name, metric, score.case, score.reason) for score in wrong[:_CASES])
    if len(wrong) > _CASES:
        yield Breach(name, metric, "", f"and {len(wrong) - _CASES} more")


def _fall(
    name: str, metric: str, old: float, figure: Figure | None, allowed: float
) -> Iterator[Breach]:
    if figure is None or figure.value is None:
        yield Breach(name, metric, "", f"is not measured any more; it was {old}")
        return
    fall = old - figure.value if figure.sense == "at least" else figure.value - old
    if fall > allowed + 1e-9:
        first = f"; first: {figure.worst[0]}" if figure.worst else ""
        yield Breach(name, metric, "", f"was {old:.4g} and is {figure.value:.4g}{first}")


def shares(results: Results) -> dict[str, Any]:
    """Give what the repository keeps: the value of every share; what the clock measures differs from day to day."""
    kept = {
        name: {metric: one.value for metric, one in figures.items() if _is_share(one)}
        for name, figures in results.items()
    }
    return {"sets": {name: metrics for name, metrics in kept.items() if metrics}}


def _is_share(figure: Figure) -> bool:
    return bool(figure.scores) and all(score.verdict != MEASURED for score in figure.scores)


def changes(results: Results, before: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """List figures that differ from another run, and those whose intervals do not overlap."""
    for name, figures in results.items():
        for metric, figure in figures.items():
            old = before.get(name, {}).get(metric)
            if (
                old is None
                or figure.value is None
                or old["value"] is None
                or old["value"] == figure.value
            ):
                continue
            apart = figure.low > old["high"] or figure.high < old["low"]
            sure = "clearly" if apart else "within the intervals"
            yield f"{name}: {metric}: was {old['value']:.4g} (n={old['n']}), is {figure.value:.4g}, {sure}"
