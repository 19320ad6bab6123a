"""What facts cost: a month of each mirror by both routes, beside the time of reading that month, on one core.

Ratios are of processor time, this process's and that of the git it runs: what several cores do at once adds up, and
waiting for other work on the machine does not count. The longest commit is measured by the clock, as somebody who waits
for it would.
"""

import gc
import resource
import time
from dataclasses import dataclass
from pathlib import Path

from agent.domain import Change
from agent.ids import RepoId
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
        turns = [await _turn(spec.name, spec.path, window) for _ in range(_REPEATS)]
        reading, by_hunks, by_blobs, longest = (min(figures) for figures in zip(*turns, strict=True))
        hunks.append(by_hunks / reading)
        blobs.append(by_blobs / reading)
        worst.append(longest)
    return {
        "hunk route beside reading, mirrors": measure(hunks, Target(2, "at most")),
        "blob route beside reading, mirrors": measure(blobs, Target(15, "at most")),
        "seconds of the longest commit, mirrors": measure(worst, Target(2, "at most")),
    }


@dataclass(frozen=True, slots=True)
class _Spent:
    """What one commit cost by one route."""

    processor: float
    clock: float


def _seconds() -> float:
    """Say how much of the processor this process and the programs it ran have used so far."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


async def _month(bench: Bench, path: Path) -> Window:
    line = await first_parent_line(git_dir_of(path))
    days = days_of(bench.span) if bench.span else last_days(max(row.at for row in line), _DAYS)
    return Window.days(days[0], days[-1], "UTC")


async def _turn(repo: RepoId, path: Path, window: Window) -> tuple[float, float, float, float]:
    """Time reading, both routes, and the longest commit of the two."""
    source = GitSource(repo, path)
    started = _seconds()
    landing = await source.landed(window)
    changes = [change async for change in source.changes([row.commit.sha for row in landing.rows])]
    reading = _seconds() - started
    by_hunks = [_spent_on_hunks(change) for change in changes]
    started = _seconds()
    by_blobs = [await _spent_on_blobs(source, change) for change in changes]
    # What a git used that stays for the next question is known once it is gone.
    del source
    gc.collect()
    blobs = _seconds() - started
    longest = max((spent.clock for spent in (*by_hunks, *by_blobs)), default=0.0)
    return reading, sum(one.processor for one in by_hunks), blobs, longest


def _spent_on_hunks(change: Change) -> _Spent:
    started, at = _seconds(), time.perf_counter()
    read_facts(change)
    return _Spent(_seconds() - started, time.perf_counter() - at)


async def _spent_on_blobs(source: GitSource, change: Change) -> _Spent:
    """Time a commit with the fetching of its blobs."""
    started, at = _seconds(), time.perf_counter()
    read_facts(change, await source.blobs(change, paths_to_read(change)))
    return _Spent(_seconds() - started, time.perf_counter() - at)


FACTS_COST = EvalSet("facts-cost", "a month of commits turned into facts, beside reading them", run, needs_mirrors=True)
