"""An evaluation to look at: one HTML file that needs no network."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from evals.figures import Figure
from evals.gate import Change
from evals.results import Results, lines_of

_TEMPLATE = Path(__file__).with_name("page.html")
_MOST_RIGHT = 40
"""So many right scores of each metric are shown; all wrong ones are, up to a bound."""
_MOST_WRONG = 500
_WIDE, _HIGH = 140, 18


def page(
    results: Results,
    about: Mapping[str, Any],
    history: Sequence[Mapping[str, Any]] = (),
    changes: Sequence[Change] = (),
) -> str:
    """Write the page: figures with intervals and their history, what changed, and the scores."""
    rows, left = _scores(results)
    # A score can hold anything, even the end of a script.
    data = json.dumps(rows, ensure_ascii=True).replace("<", "\\u003c")
    told = " · ".join(f"{escape(str(name))} {escape(str(value))}" for name, value in about.items())
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        about=told,
        metrics=_metrics(results, history),
        changes=_changes(changes),
        left=f"{left} right scores are left out here; results.jsonl has all." if left else "",
        data=data,
    )


def _scores(results: Results) -> tuple[list[dict[str, Any]], int]:
    kept: list[dict[str, Any]] = []
    seen: dict[tuple[str, str, bool], int] = {}
    left = 0
    for line in lines_of(results):
        place = (line.set, line.metric, line.wrong)
        seen[place] = seen.get(place, 0) + 1
        if seen[place] <= (_MOST_WRONG if line.wrong else _MOST_RIGHT):
            kept.append(line.as_json())
        else:
            left += 1
    return kept, left


def _metrics(results: Results, history: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for name, figures in results.items():
        parts.append(f"<h2>{escape(name)}</h2>")
        if not figures:
            parts.append('<p class="none">skipped</p>')
            continue
        rows = [_row(name, metric, figure, history) for metric, figure in figures.items()]
        head = "<tr><th>metric</th><th>value</th><th>n</th><th>wanted</th><th>95 % interval</th><th>runs</th></tr>"
        parts.append(f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>")
    return "\n".join(parts)


def _row(name: str, metric: str, figure: Figure, history: Sequence[Mapping[str, Any]]) -> str:
    verdict = {True: "ok", False: "bad", None: "none"}[figure.ok]
    value = "–" if figure.value is None else f"{figure.value:.4g}"
    wanted = f"{figure.sense} {figure.target:g}"
    before = [run.get("sets", {}).get(name, {}).get(metric, {}).get("value") for run in history]
    cells = (
        f"<td>{escape(metric)}</td>",
        f'<td class="n {verdict}">{value}</td>',
        f'<td class="n">{figure.n}</td>',
        f"<td>{escape(wanted)}</td>",
        f"<td>{_interval(figure)}</td>",
        f"<td>{sparkline([one for one in before if one is not None])}</td>",
    )
    return f"<tr>{''.join(cells)}</tr>"


def _interval(figure: Figure) -> str:
    """Draw a share with its interval on a line from 0 to 1; what is no share gets its extremes in words."""
    if figure.value is None or figure.low is None or figure.high is None:
        return ""
    if not 0 <= figure.low <= figure.value <= figure.high <= 1:
        return f"{figure.low:.4g} to {figure.high:.4g}"
    low, high, at, goal = (round(x * _WIDE, 1) for x in (figure.low, figure.high, figure.value, min(1, figure.target)))
    middle = _HIGH / 2
    return (
        f'<svg width="{_WIDE + 4}" height="{_HIGH}" viewBox="-2 0 {_WIDE + 4} {_HIGH}" role="img">'
        f"<title>{figure.low:.4f} to {figure.high:.4f}</title>"
        f'<path d="M0 {middle}H{_WIDE}" stroke="currentColor" opacity=".25"/>'
        f'<path d="M{low} {middle}H{max(high, low + 1)}" stroke="currentColor" stroke-width="5" opacity=".5"/>'
        f'<path d="M{goal} 2V{_HIGH - 2}" stroke="#c0392b" stroke-dasharray="2"/>'
        f'<circle cx="{at}" cy="{middle}" r="3" fill="currentColor"/></svg>'
    )


def sparkline(values: Sequence[float]) -> str:
    """Draw how a figure went over the runs."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    scale = (_HIGH - 6) / (high - low) if high > low else 0
    step = _WIDE / (len(values) - 1)
    points = " ".join(f"{place * step:.1f},{_HIGH - 3 - (v - low) * scale:.1f}" for place, v in enumerate(values))
    title = f"{low:.4g} to {high:.4g} over {len(values)} runs"
    return (
        f'<svg width="{_WIDE}" height="{_HIGH}" role="img"><title>{title}</title>'
        f'<polyline points="{points}" fill="none" stroke="currentColor"/></svg>'
    )


def _changes(changes: Sequence[Change]) -> str:
    if not changes:
        return ""
    rows = []
    for one in changes:
        if not one.better and not one.worse:
            continue
        verdict = "bad" if one.mean < 0 else "ok"
        rows.append(
            f"<tr><td>{escape(one.set)} · {escape(one.metric)}</td>"
            f'<td class="n {verdict}">{one.mean:+.4f} ({one.low:+.4f} to {one.high:+.4f})</td>'
            f'<td class="n">{one.pairs}</td>'
            f"<td>{_cases(one.worse)}</td><td>{_cases(one.better)}</td></tr>"
        )
    same = sum(not one.better and not one.worse for one in changes)
    head = "<tr><th>metric</th><th>difference</th><th>pairs</th><th>worse</th><th>better</th></tr>"
    table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
    return f"<h2>Beside the other run</h2>{table}<p>{same} figures are the same, case by case.</p>"


def _cases(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - 10} more" if len(cases) > 10 else ""
    return escape(", ".join(cases[:10]) + more)
