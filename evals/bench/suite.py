"""Bench: every part of a run beside a named floor in the same sitting, and what one more thing costs as days grow."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from evals.bench.asking import asking
from evals.bench.stages import Cost, Yard, start_up
from evals.figures import Figure, Target, measure
from evals.harness import Bench, EvalSet, Figures

SIZES, _FEW = (20, 200, 2_000), (20, 200)
"""One, ten and a hundred times as much."""
FLOORS: Mapping[str, tuple[str, float]] = {
    "start-up": ("Python that does nothing", 10),
    "reading": ("git log -p", 8),
    "facts": ("reading the same commits", 5),
    "linking": ("cutting the texts into words", 30),
    "gate": ("cutting the evidence into words", 300),
    "day": ("reading the commits and their facts", 8),
    "ask": ("one search for the same words", 20),
}
"""What each part is held against, and how many times that it may take: half as much again as when this was written.

The commits are small, so git has little to do; what a real day costs beside git is what `day-cost` tells.
"""
GROWTH = 2.0
"""How much more one thing may cost where there are a hundred times as many."""
Costs = dict[str, dict[int, Cost]]


async def run(bench: Bench) -> Figures:
    """Measure every part at every size."""
    costs: Costs = {"start-up": {1: start_up()}}
    for size in _FEW if bench.small else SIZES:
        with tempfile.TemporaryDirectory(dir=bench.folder) as name:
            for part, cost in (await _measured(bench, Path(name), size)).items():
                costs.setdefault(part, {})[size] = cost
        told = ", ".join(f"{part} {sizes[size].ratio:.1f} x" for part, sizes in costs.items() if size in sizes)
        bench.say(f"bench: {size} commits: {told}")
    return figures_of(costs)


async def _measured(bench: Bench, folder: Path, size: int) -> dict[str, Cost]:
    yard = Yard(folder, size)
    return {
        "reading": await yard.reading(),
        "facts": yard.facts(),
        "linking": yard.linking(),
        "gate": yard.gate(),
        "day": await yard.day(bench.system),
        "ask": await asking(folder, size),
    }


def figures_of(costs: Costs) -> dict[str, Figure]:
    """Give the ratios at each size, and how the cost of one thing grew."""
    figures: dict[str, Figure] = {}
    for part, sizes in costs.items():
        floor, most = FLOORS[part]
        for size, cost in sizes.items():
            name = f"{part} beside {floor}" + (f", {size}" if size > 1 else "")
            figures[name] = measure([cost.ratio], Target(most, "at most"))
        if len(sizes) > 1:
            first, last = sizes[min(sizes)], sizes[max(sizes)]
            times = max(sizes) // min(sizes)
            figures[f"{part}: one of {times} x as many"] = measure([last.each / first.each], Target(GROWTH, "at most"))
    return figures


BENCH = EvalSet("bench", "what each part costs beside a named floor, and how that grows", run, by_name=True)
