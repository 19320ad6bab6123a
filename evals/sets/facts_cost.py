"""What facts cost: a month of each mirror by both routes, beside the time of reading that month, on one core.

Time is that of the processor, git's included: what several cores do at once adds up, and waiting for other work on the
machine does not count.
"""

import resource
from pathlib import Path

from agent.domain import Change
from agent.window import Window
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import days_of, first_parent_line, git_dir_of, last_days
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource

_REPEATS = 3
_DAYS = 31


async def run(bench: Bench) -> Figures:
    """Take the best of some turns of each, in turns, because other work on the machine disturbs all."""
    hunks: list[float] = []
    blobs: list[float] = []
    worst: list[float] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        window = await _month(bench, spec.path)
        bench.say(f"facts-cost: {spec.name}, {window.label}")
        turns = [await _turn(GitSource(spec.name, spec.path), window) for _ in range(_REPEATS)]
        reading, by_hunks, by_blobs, longest = (min(figures) for figures in zip(*turns, strict=True))
        hunks.append(by_hunks / reading)
        blobs.append(by_blobs / reading)
        worst.append(longest)
    return {
        "hunk route beside reading, mirrors": measure(hunks, Target(2, "at most")),
        "blob route beside reading, mirrors": measure(blobs, Target(15, "at most")),
        "seconds of the longest commit, mirrors": measure(worst, Target(2, "at most")),
    }


def _seconds() -> float:
    """Say how much time this process and the programs it ran have spent so far."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


async def _month(bench: Bench, path: Path) -> Window:
    line = await first_parent_line(git_dir_of(path))
    days = days_of(bench.span) if bench.span else last_days(max(row.at for row in line), _DAYS)
    return Window.days(days[0], days[-1], "UTC")


async def _turn(source: GitSource, window: Window) -> tuple[float, float, float, float]:
    """Time reading, both routes, and the longest commit of the two."""
    started = _seconds()
    landing = await source.landed(window)
    changes = [change async for change in source.changes([row.commit.sha for row in landing.rows])]
    reading = _seconds() - started
    by_hunks = [_seconds_of_hunks(change) for change in changes]
    by_blobs = [await _seconds_of_blobs(source, change) for change in changes]
    return reading, sum(by_hunks), sum(by_blobs), max((*by_hunks, *by_blobs), default=0.0)


def _seconds_of_hunks(change: Change) -> float:
    started = _seconds()
    read_facts(change)
    return _seconds() - started


async def _seconds_of_blobs(source: GitSource, change: Change) -> float:
    """Time a commit with the fetching of its blobs."""
    started = _seconds()
    read_facts(change, await source.blobs(change, paths_to_read(change)))
    return _seconds() - started


FACTS_COST = EvalSet("facts-cost", "a month of commits turned into facts, beside reading them", run, needs_mirrors=True)
