"""The formats of evaluation results: a table on a terminal, JSON, and one self-contained HTML file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from pydantic import JsonValue

from evals.figures import Figure, Results, Score
from evals.limits import Breach

_RED = "\x1b[31m"
_PLAIN = "\x1b[0m"
_MAX_RIGHT = 40  # Right scores of each metric that the page shows
_MAX_WRONG = 500


def as_json(results: Results, details: Mapping[str, JsonValue] | None = None) -> str:
    """Return the figures as JSON, and what sets found beside them if they did."""
    sets: dict[str, dict[str, Any]] = {}
    for name, figures in results.items():
        sets[name] = {metric: figure.as_json() for metric, figure in figures.items()}
    data: dict[str, Any] = {"sets": sets}
    if details:
        data["details"] = dict(details)
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def as_table(
    results: Results,
    previous: Mapping[str, Mapping[str, float]] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Return the figures as lines, with those of the last release; colours show shortfalls."""
    lines: list[str] = []
    for name, figures in results.items():
        lines.append(name if figures else f"{name}: skipped")
        previous_figures = (previous or {}).get(name, {})
        for metric, figure in figures.items():
            line = _figure_line(metric, figure, previous_figures.get(metric))
            if colour and figure.ok is False:
                line = f"{_RED}{line}{_PLAIN}"
            lines.append(line)
            lines += [f"          {reason}" for reason in figure.worst]
    return "\n".join(lines) + "\n"


def _figure_line(metric: str, figure: Figure, previous: float | None) -> str:
    value = f"{_verdict(figure):<5} {_value(figure):>9}"
    line = f"  {value}  n={figure.n:<6} {metric} ({_target(figure)})"
    if previous is None:
        return line
    return f"{line}, before {previous:.4g}"


def as_breaches(breaches: Sequence[Breach]) -> str:
    """Return what the gate objects to, a line each."""
    if not breaches:
        return "gate: everything holds\n"
    return "".join(f"gate: {breach}\n" for breach in breaches)


def as_page(results: Results, about: Mapping[str, Any], changed: Sequence[str] = ()) -> str:
    """Return the page: figures with intervals, what changed, and scores next to their evidence."""
    env = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    env.globals.update(verdict=_verdict, value=_value, wanted=_target)
    # A score can hold anything, even the end of a script.
    data = json.dumps(list(_rows(results)), ensure_ascii=True).replace("<", "\\u003c")
    return env.get_template("results.html").render(
        results=results, about=about, changed=changed, data=data
    )


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    for name, figures in results.items():
        for metric, figure in figures.items():
            for score in _listed_scores(figure):
                wrong = figure.is_wrong(score)
                verdict = score.verdict or ("wrong" if wrong else "right")
                location = {"set": name, "metric": metric}
                yield asdict(score) | location | {"wrong": wrong, "verdict": verdict}


def _listed_scores(figure: Figure) -> Iterator[Score]:
    """Yield the scores that the page shows: many of the wrong ones and some of the right ones."""
    left = {True: _MAX_WRONG, False: _MAX_RIGHT}
    for score in figure.scores:
        wrong = figure.is_wrong(score)
        if left[wrong]:
            left[wrong] -= 1
            yield score


def _verdict(figure: Figure) -> str:
    return {True: "ok", False: "FAIL", None: "none"}[figure.ok]


def _value(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.4g}"


def _target(figure: Figure) -> str:
    target = f"{figure.sense} {figure.target:g}"
    if figure.low is None:
        return target
    return f"{target}, {figure.low:.4g} to {figure.high:.4g}"
