"""How an evaluation reads: as a table on a terminal, as JSON, and as one HTML file that needs no network."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from evals.figures import Figure, Results
from evals.limits import Breach

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"
_MOST_RIGHT, _MOST_WRONG = 40, 500  # So many scores of each metric stand on the page


def as_json(results: Results) -> str:
    """Print the figures as data."""
    sets = {
        name: {metric: f.as_json() for metric, f in figures.items()}
        for name, figures in results.items()
    }
    return json.dumps({"sets": sets}, indent=1, ensure_ascii=False) + "\n"


def as_table(
    results: Results,
    previous: Mapping[str, Mapping[str, float]] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Print the figures as lines, with what the last release had; a shortfall is red where there are colours."""
    lines: list[str] = []
    for name, figures in results.items():
        lines.append(name if figures else f"{name}: skipped")
        for metric, figure in figures.items():
            line = f"  {_verdict(figure):<5} {_value(figure):>9}  n={figure.n:<6} {metric} ({_wanted(figure)})"
            if (old := (previous or {}).get(name, {}).get(metric)) is not None:
                line += f", before {old:.4g}"
            lines.append(f"{_RED}{line}{_PLAIN}" if colour and figure.ok is False else line)
            lines += [f"          {reason}" for reason in figure.worst]
    return "\n".join(lines) + "\n"


def as_breaches(found: Sequence[Breach]) -> str:
    """Print what the gate holds against a change."""
    return "".join(f"gate: {one}\n" for one in found) or "gate: everything holds\n"


def as_page(results: Results, about: Mapping[str, Any], changed: Sequence[str] = ()) -> str:
    """Write the page: figures with their intervals, what changed, and the scores beside their evidence."""
    env = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    env.globals.update(verdict=_verdict, value=_value, wanted=_wanted)
    # A score can hold anything, even the end of a script.
    data = json.dumps(list(_rows(results)), ensure_ascii=True).replace("<", "\\u003c")
    return env.get_template("results.html").render(
        results=results, about=about, changed=changed, data=data
    )


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    for name, figures in results.items():
        for metric, figure in figures.items():
            seen = {True: _MOST_WRONG, False: _MOST_RIGHT}
            for score in figure.scores:
                wrong = figure.is_wrong(score)
                seen[wrong] -= 1
                if seen[wrong] >= 0:
                    told = score.verdict or ("wrong" if wrong else "right")
                    yield asdict(score) | {
                        "set": name,
                        "metric": metric,
                        "wrong": wrong,
                        "verdict": told,
                    }


def _verdict(figure: Figure) -> str:
    return {True: "ok", False: "FAIL", None: "none"}[figure.ok]


def _value(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.4g}"


def _wanted(figure: Figure) -> str:
    interval = "" if figure.low is None else f", {figure.low:.4g} to {figure.high:.4g}"
    return f"{figure.sense} {figure.target:g}{interval}"
