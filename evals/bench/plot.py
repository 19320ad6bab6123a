"""The suite as one picture: for every part a bar for each size, on a scale of powers of ten, with the limit across."""

import math
import re
from collections.abc import Iterator, Mapping

from evals.bench.suite import FLOORS
from evals.figures import Figure

_WIDE, _LEFT, _TOP, _ROW, _BAR = 760, 250, 34, 46, 11
_DECADES = 3
"""From one time the floor to a thousand times; what is shorter or longer is cut."""
_SHADES = ("#9ecae1", "#4292c6", "#084594")
_FONT = 'font-family="sans-serif" font-size="11" fill="#444"'


def drawn(figures: Mapping[str, Figure]) -> str:
    """Draw the ratios of a run."""
    parts = {part: list(_ratios(part, figures)) for part in FLOORS}
    shown = {part: ratios for part, ratios in parts.items() if ratios}
    high = _TOP + _ROW * len(shown) + 22
    rows = [line for place, (part, ratios) in enumerate(shown.items()) for line in _row(place, part, ratios)]
    grid = [line for power in range(_DECADES + 1) for line in _mark(10**power, high)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {high}" role="img">'
    title = "<title>What each part costs beside its floor, at one, ten and a hundred times the size</title>"
    ground = f'<rect width="{_WIDE}" height="{high}" fill="#fff"/>'
    return "\n".join([head, title, ground, *_legend(), *grid, *rows, "</svg>", ""])


def _ratios(part: str, figures: Mapping[str, Figure]) -> Iterator[float]:
    for name, figure in figures.items():
        if re.fullmatch(rf"{re.escape(part)} beside .*", name) and figure.value is not None:
            yield figure.value


def _across(ratio: float) -> float:
    share = min(1.0, max(0.0, math.log10(max(ratio, 1e-9)) / _DECADES))
    return share * (_WIDE - _LEFT - 60)


def _row(place: int, part: str, ratios: list[float]) -> Iterator[str]:
    floor, most = FLOORS[part]
    y = _TOP + place * _ROW
    yield f'<text x="8" y="{y + 12}" {_FONT} font-weight="bold">{part}</text>'
    yield f'<text x="8" y="{y + 27}" {_FONT}>beside {floor}</text>'
    for turn, ratio in enumerate(ratios):
        top, long = y + turn * (_BAR + 1), max(1.0, _across(ratio))
        shade = _SHADES[turn % len(_SHADES)]
        yield f'<rect x="{_LEFT}" y="{top}" width="{long:.1f}" height="{_BAR}" fill="{shade}"/>'
        yield f'<text x="{_LEFT + long + 4:.1f}" y="{top + 9}" {_FONT}>{ratio:.2g} ×</text>'
    limit = _LEFT + _across(most)
    yield f'<line x1="{limit:.1f}" x2="{limit:.1f}" y1="{y - 3}" y2="{y + 3 * (_BAR + 1)}" stroke="#c00"/>'


def _mark(ratio: int, high: int) -> Iterator[str]:
    x = _LEFT + _across(ratio)
    yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6}" y2="{high - 18}" stroke="#ddd"/>'
    yield f'<text x="{x - 8:.1f}" y="{high - 5}" {_FONT}>{ratio} ×</text>'


def _legend() -> Iterator[str]:
    for turn, name in enumerate(("20 commits", "200", "2,000")):
        x = _LEFT + turn * 90
        yield f'<rect x="{x}" y="8" width="{_BAR}" height="{_BAR}" fill="{_SHADES[turn]}"/>'
        yield f'<text x="{x + 16}" y="17" {_FONT}>{name}</text>'
    yield f'<text x="{_LEFT + 270}" y="17" {_FONT}>red: what is allowed</text>'
