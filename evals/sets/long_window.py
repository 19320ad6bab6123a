"""A long window: ten thousand commits of one repository come to an end, in little memory, and none costs more."""

import asyncio
from datetime import date, timedelta

from agent.settings.values import RepoSpec
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.day_cost import Spent, cold_run
from evals.sets.oracle import Row, between, first_parent_line, git_dir_of

_SHORT, _LONG = 1_000, 10_000
_MEGABYTES, _GROWTH = 600, 1.5


async def run(bench: Bench) -> Figures:
    """Report on a short and on a long window of the longest mirror, each in a process and a home of its own."""
    lines = {spec: await first_parent_line(git_dir_of(spec.path)) for spec in bench.mirrors if spec.path is not None}
    longest = max(lines, key=lambda spec: len(lines[spec]))
    each: list[float] = []
    memory: list[float] = []
    for wanted in (_SHORT, _LONG):
        days = last_days_with(lines[longest], wanted)
        spent, count = await asyncio.to_thread(_spent, bench, longest, lines[longest], days)
        each.append(spent.processor / count)
        memory.append(spent.megabytes)
        bench.say(
            f"long-window: {count} commits of {longest.name}, {days[0]} to {days[-1]}: {spent.clock:.0f} s "
            f"({spent.processor:.0f} s of processor, {each[-1] * 1000:.0f} ms each), {spent.megabytes:.0f} MB"
        )
    return {
        "megabytes at the peak, ten thousand commits": measure(memory[-1:], Target(_MEGABYTES, "at most")),
        "processor time of a commit, beside a thousand": measure([each[1] / each[0]], Target(_GROWTH, "at most")),
    }


def last_days_with(line: list[Row], wanted: int) -> list[date]:
    """Choose whole days that end before the newest commit's and hold about so many commits."""
    last = line[0].at.date() - timedelta(days=1)
    landed = [row.at.date() for row in line if row.at.date() <= last]
    first = landed[min(wanted, len(landed)) - 1]
    return [first + timedelta(days=offset) for offset in range((last - first).days + 1)]


def _spent(bench: Bench, spec: RepoSpec, line: list[Row], days: list[date]) -> tuple[Spent, int]:
    spent = cold_run(bench.folder / f"long-window-{len(days)}", {spec: line}, days)
    return spent, len(between(line, days, "UTC"))


LONG_WINDOW = EvalSet("long-window", "ten thousand commits beside a thousand", run, needs_mirrors=True, by_name=True)
