"""What facts cost: a month of each mirror turned into facts by whole files, beside the time of reading that month.

The ratio is of processor time, this process's and that of the git it runs: waiting for other work on the machine does
not count. As in a daily run, the trees around the month are looked through once for all names that matter.
"""

import gc
import resource
from functools import reduce
from operator import or_
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.window import Window
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import days_of, first_parent_line, git_dir_of, last_days
from tools.diff.sheet import gather, look_up, paths_to_read
from tools.git.source import GitSource

_REPEATS = 3
_DAYS = 31


async def run(bench: Bench) -> Figures:
    """Take the best of some turns of each, in turns, because other work on the machine disturbs all."""
    ratios: list[float] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        window = await _month(bench, spec.path)
        turns = [await _turn(spec.name, spec.path, window) for _ in range(_REPEATS)]
        reading, facts = (min(figures) for figures in zip(*turns, strict=True))
        bench.say(f"facts-cost: {spec.name}, {window.label}: reading {reading:.2f} s, facts {facts:.2f} s")
        ratios.append(facts / reading)
    return {"whole files beside reading, mirrors": measure(ratios, Target(4, "at most"))}


def _seconds() -> float:
    """Say how much of the processor this process and the programs it ran have used so far."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


async def _month(bench: Bench, path: Path) -> Window:
    line = await first_parent_line(git_dir_of(path))
    days = days_of(bench.span) if bench.span else last_days(max(row.at for row in line), _DAYS)
    return Window.days(days[0], days[-1], "UTC")


async def _turn(repo: RepoId, path: Path, window: Window) -> tuple[float, float]:
    """Time reading, and what facts take besides."""
    source = GitSource(repo, path)
    started = _seconds()
    landing = await source.landed(window)
    changes = [change async for change in source.changes([row.commit.sha for row in landing.rows])]
    reading = _seconds() - started
    started = _seconds()
    gathered = [gather(change, await source.blobs(change, paths_to_read(change))) for change in changes]
    newest, oldest = changes[0].commit, changes[-1].commit
    names = reduce(or_, (one.names for one in gathered))
    trees = await look_up(source, oldest.parents[0] if oldest.parents else None, newest.sha, names)
    for one in gathered:
        one.sheet(trees)
    # What a git used that stays for the next question is known once it is gone.
    del source
    gc.collect()
    return reading, _seconds() - started


FACTS_COST = EvalSet("facts-cost", "a month of commits turned into facts, beside reading them", run, needs_mirrors=True)
