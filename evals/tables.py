"""How an evaluation reads on a terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evals.figures import Figure
from evals.gate import Breach, Change
from evals.results import Results

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


def as_json(results: Results) -> str:
    """Print the figures as data."""
    sets = {name: {metric: f.as_json() for metric, f in figures.items()} for name, figures in results.items()}
    return json.dumps({"sets": sets}, indent=1, ensure_ascii=False) + "\n"


def as_table(results: Results, previous: Mapping[str, Any] | None = None, *, colour: bool = False) -> str:
    """Print the figures as lines, with what the last release had; a shortfall is red where there are colours."""
    before = (previous or {}).get("sets", {})
    lines: list[str] = []
    for name, figures in results.items():
        lines.append(name if figures else f"{name}: skipped")
        for metric, figure in figures.items():
            line = f"  {_verdict(figure):<5} {_value(figure):>9}  n={figure.n:<6} {metric} ({_target(figure)})"
            if (old := before.get(name, {}).get(metric)) is not None:
                line += f", b3 {old:.4g}"
            lines.append(f"{_RED}{line}{_PLAIN}" if colour and figure.ok is False else line)
            lines += [f"          {reason}" for reason in figure.worst[:5]]
    return "\n".join(lines) + "\n"


def as_changes(changes: Sequence[Change]) -> str:
    """Print what is different from another run, case by case."""
    lines = ["beside the other run"]
    for one in changes:
        if one.better or one.worse:
            told = f"{one.mean:+.4f} ({one.low:+.4f} to {one.high:+.4f}), {one.pairs} pairs"
            lines.append(f"  {one.set}: {one.metric}: {told}; {len(one.worse)} worse, {len(one.better)} better")
            lines += [f"          worse: {case}" for case in one.worse[:5]]
    same = sum(not one.better and not one.worse for one in changes)
    return "\n".join([*lines, f"  {same} figures are the same, case by case"]) + "\n"


def as_breaches(found: Sequence[Breach]) -> str:
    """Print what the gate holds against a change."""
    if not found:
        return "gate: everything holds\n"
    return "".join(f"gate: {one}\n" for one in found)


def _verdict(figure: Figure) -> str:
    return {True: "ok", False: "FAIL", None: "none"}[figure.ok]


def _value(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.4g}"


def _target(figure: Figure) -> str:
    interval = "" if figure.low is None else f", {figure.low:.4g} to {figure.high:.4g}"
    return f"{figure.sense} {figure.target:g}{interval}"
