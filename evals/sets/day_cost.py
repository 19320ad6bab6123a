"""What a day costs: a cold run of the rules over all mirrors, beside the time that git alone needs for its patches.

Everything is measured by turns in one sitting, because other work on the machine slows all of it down; the processor
time of each turn, which suffers less from that, is told beside the figures.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from agent.errors import InputError
from agent.settings import RepoSpec
from agent.window import midnight
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import Row, between, days_of, first_parent_line, git_dir_of

_REPEATS = 3
_DAY, _FEW, _MANY = 100, 20, 200
"""How many commits a day should have, and a short and a long window of one repository."""
_LONGEST = 14
_LOOK_BACK = 400
_GRACE = 1.0
"""Seconds that a start may take beside importing the graph library."""
Lines = Mapping[RepoSpec, list[Row]]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a program used: the clock, the processor with everything the program ran, and memory at the peak."""

    clock: float
    processor: float
    megabytes: float = 0.0


async def run(bench: Bench) -> Figures:
    """Run one day of all mirrors, and a short and a long window of the busiest, each in a fresh process and home."""
    lines = {spec: await first_parent_line(_git_dir(spec)) for spec in bench.mirrors}
    day = days_of(bench.span) if bench.span else choose_days(lines, _DAY, longest=1)
    busiest = max(lines, key=lambda spec: len(_recent(lines[spec])))
    alone = {busiest: lines[busiest]}
    # Compiled modules are kept by any installation; whoever measures a fresh checkout has none yet.
    timed([sys.executable, "-c", "import gitzette.running"])
    beside, growth = list[float](), list[float]()
    for turn in range(_REPEATS):
        beside.append(await asyncio.to_thread(_day, bench, turn, lines, day))
        growth.append(await asyncio.to_thread(_growth, bench, turn, alone))
    return {
        "a day beside git alone, without imports and a second": measure(beside, Target(5, "at most")),
        "time per commit, a long window beside a short one": measure(growth, Target(2, "at most")),
    }


def choose_days(lines: Lines, wanted: int, *, longest: int) -> list[date]:
    """Choose the days in a row, as few as possible, that have about so many commits; of equals the latest."""
    landed = Counter(row.at.date() for line in lines.values() for row in _recent(line))
    if not landed:
        raise InputError("the mirrors have no commits to measure a day by")
    last = max(landed)
    ends = [last - timedelta(days=back) for back in range(1, _LOOK_BACK)]
    choices = [
        [end - timedelta(days=back) for back in reversed(range(length))]
        for length in range(1, longest + 1)
        for end in ends
    ]
    return min(choices, key=lambda days: abs(sum(landed[day] for day in days) - wanted))


def _recent(line: Sequence[Row]) -> list[Row]:
    since = max((row.at for row in line), default=None)
    return [row for row in line if since is not None and row.at > since - timedelta(days=_LOOK_BACK)]


def _day(bench: Bench, turn: int, lines: Lines, days: list[date]) -> float:
    """Time one turn: the import, git alone, the run."""
    start = timed([sys.executable, "-c", "import langgraph.graph"])
    floor = _floor(lines, days)
    spent = cold_run(bench.folder / f"day-cost-{turn}", lines, days)
    ratio = (spent.clock - start.clock - _GRACE) / floor.clock
    bench.say(
        f"day-cost: {_count(lines, days)} commits of {days[0]}: run {_told(spent)}, import {_told(start)}, "
        f"git {_told(floor)}: {ratio:.1f} x"
    )
    return ratio


def _growth(bench: Bench, turn: int, line: Lines) -> float:
    """Time a commit of a long window beside one of a short window; importing is not counted."""
    start = timed([sys.executable, "-c", "import langgraph.graph"])
    each = []
    for wanted, longest in ((_FEW, 1), (_MANY, _LONGEST)):
        days = choose_days(line, wanted, longest=longest)
        spent = cold_run(bench.folder / f"day-cost-{turn}-{wanted}", line, days)
        count = _count(line, days)
        each.append((spent.clock - start.clock) / count)
        bench.say(f"day-cost: {count} commits of {days[0]} to {days[-1]}: run {_told(spent)}, {each[-1]:.3f} s each")
    return each[1] / each[0]


def cold_run(folder: Path, lines: Lines, days: list[date]) -> Spent:
    """Report on some days of these repositories in a process and a home of its own."""
    folder.mkdir(parents=True)
    repos = [part for spec in lines for part in ("--repo", f"{spec.name}={spec.path}")]
    window = ["--since", days[0].isoformat(), "--until", (days[-1] + timedelta(days=1)).isoformat()]
    options = ["--tz", "UTC", "--analyst", "rules", "--out", str(folder / "out")]
    try:
        return timed([sys.executable, "-m", "gitzette", "run", *repos, *window, *options], folder)
    finally:
        shutil.rmtree(folder)


def _floor(lines: Lines, days: list[date]) -> Spent:
    """Let git find and print the same commits with their patches, one repository after the other."""
    first, after = (midnight(day, "UTC").timestamp() for day in (days[0], days[-1] + timedelta(days=1)))
    window = [f"--since=@{int(first)} +0000", f"--until=@{int(after) - 1} +0000", "HEAD"]
    spent = []
    for spec in lines:
        command = ["git", "--git-dir", str(_git_dir(spec)), "log", "-z", "--raw", "-p", "--first-parent"]
        spent.append(timed([*command, *window]))
    return Spent(sum(one.clock for one in spent), sum(one.processor for one in spent))


def timed(command: Sequence[str], folder: Path | None = None) -> Spent:
    """Run a program to its end, with nothing of this environment but the search path."""
    git = shutil.which("git")
    environment = {
        "PATH": os.pathsep.join([str(Path(git or "git").parent), os.defpath]),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    if folder is not None:
        environment |= {"HOME": str(folder), "TMPDIR": str(folder), "GITZETTE_HOME": str(folder / "home")}
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    clock = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise InputError(f"{command[0]} ended with {process.returncode}: {told.decode('utf-8', 'replace').strip()}")
    return Spent(clock, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _count(lines: Lines, days: list[date]) -> int:
    return sum(len(between(line, days, "UTC")) for line in lines.values())


def _git_dir(spec: RepoSpec) -> Path:
    assert spec.path is not None
    return git_dir_of(spec.path)


def _told(spent: Spent) -> str:
    return f"{spent.clock:.2f} s ({spent.processor:.2f} s of processor)"


DAY_COST = EvalSet("day-cost", "a cold day over all mirrors, beside git alone", run, needs_mirrors=True)
