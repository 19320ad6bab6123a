"""Plots as SVG: bars that are drawn by code, named for those who do not see them, and repeated as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gitzette.site.html import Child, Markup, tag

_WIDTH, _HEIGHT = 720, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 6, 10, 26
_MOST_LABELS = 8


@dataclass(frozen=True)
class Bar:
    """One bar: what stands under it, what it is called in full, and its parts from the bottom up."""

    label: str
    name: str
    parts: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Bars with the names of their parts."""

    id: str
    title: str
    note: str
    parts: Mapping[str, str]
    """The name of each part, in the order in which they lie on one another; the key is also its colour."""
    bars: Sequence[Bar]
    column: str
    percent: bool = False
    table: str = ""


def drawn(plot: Plot, level: str = "h2") -> Markup:
    """Draw a plot with its heading, its legend and its table."""
    return tag(
        "figure",
        tag("figcaption", tag(level, plot.title, id=f"{plot.id}-title"), tag("p", plot.note)),
        _legend(plot) if len(plot.parts) > 1 else None,
        _svg(plot),
        _table(plot) if plot.table else None,
        class_="plot",
    )


def _legend(plot: Plot) -> Markup:
    entries = [tag("li", tag("span", class_=f"swatch p-{key}"), " ", name) for key, name in plot.parts.items()]
    return tag("ul", entries, class_="legend", aria_hidden="true")


def _svg(plot: Plot) -> Markup:
    top = 100.0 if plot.percent else _round_up(max((sum(bar.parts.values()) for bar in plot.bars), default=0))
    across = (_WIDTH - _LEFT - _RIGHT) / max(1, len(plot.bars))
    return tag(
        "svg",
        tag("title", plot.title),
        tag("desc", plot.note),
        _grid(top, percent=plot.percent),
        [_bar(plot, bar, at, across, top) for at, bar in enumerate(plot.bars)],
        _names(plot.bars, across),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"{plot.title}. {plot.note}",
        class_="bars",
    )


def _grid(top: float, *, percent: bool) -> list[Child]:
    found: list[Child] = []
    for step in range(5):
        value = top * step / 4
        y = _y(value, top)
        if value != int(value):
            continue
        found.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="grid"))
        words = f"{value:.0f}{' %' if percent else ''}"
        found.append(tag("text", words, x=_LEFT - 6, y=y + 4, text_anchor="end"))
    return found


def _bar(plot: Plot, bar: Bar, at: int, across: float, top: float) -> Markup:
    x, width = _LEFT + at * across, max(1.0, min(across * 0.78, 46))
    left = round(x + (across - width) / 2, 1)
    below = 0.0
    drawn_parts: list[Child] = []
    for key in plot.parts:
        value = bar.parts.get(key, 0)
        if value:
            y = _y(below + value, top)
            height = round(_y(below, top) - y, 1)
            drawn_parts.append(tag("rect", x=left, y=y, width=round(width, 1), height=height, class_=f"p-{key}"))
            below += value
    told = ", ".join(f"{name} {bar.parts[key]:g}" for key, name in plot.parts.items() if bar.parts.get(key))
    return tag("g", tag("title", f"{bar.name}: {told or 0}"), drawn_parts)


def _names(bars: Sequence[Bar], across: float) -> list[Child]:
    """Write under the bars as many names as there is room for."""
    every = -(-len(bars) // _MOST_LABELS) or 1
    return [
        tag("text", bar.label, x=round(_LEFT + (at + 0.5) * across, 1), y=_HEIGHT - 8, text_anchor="middle")
        for at, bar in enumerate(bars)
        if at % every == 0
    ]


def _table(plot: Plot) -> Markup:
    head = tag("tr", tag("th", plot.column, scope="col"), [tag("th", one, scope="col") for one in plot.parts.values()])
    rows = [
        tag("tr", tag("th", bar.name, scope="row"), [tag("td", f"{bar.parts.get(key, 0):g}") for key in plot.parts])
        for bar in plot.bars
    ]
    table = tag("table", tag("caption", plot.title, class_="unseen"), tag("thead", head), tag("tbody", rows))
    scroll = tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=plot.title)
    return tag("details", tag("summary", plot.table), scroll, class_="table")


def _y(value: float, top: float) -> float:
    return round(_HEIGHT - _BOTTOM - value / top * (_HEIGHT - _TOP - _BOTTOM), 1)


def _round_up(value: float) -> float:
    """Choose the end of an axis: a number that four steps divide well."""
    ends = sorted(factor * 10**power for factor in (4, 8, 12, 20, 40, 60) for power in range(8))
    return next((float(end) for end in ends if end >= value), value)
