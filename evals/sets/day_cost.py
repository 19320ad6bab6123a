"""What a day costs: a cold run of the rules over all mirrors, beside the time that git alone needs for its patches.

Both are measured by turns in one sitting, because other work on the machine slows all of it down; the processor time of
each turn, which suffers less from that, is told beside the figures.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from agent.domain.base import InputError
from agent.domain.window import midnight
from agent.settings.values import RepoSpec
from evals.figures import Figure, Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import Row, between, days_of, first_parent_line, git_dir_of

DAYS = ("2026-02-03", "2026-07-20")
_REPEATS = 3
_GRACE = 3.0
"""Seconds that a start may take beside the work."""
Lines = Mapping[RepoSpec, list[Row]]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a program used: the clock, the processor with everything the program ran, and memory at the peak."""

    clock: float
    processor: float
    megabytes: float = 0.0


async def run(bench: Bench) -> Figures:
    """Run days of all mirrors, each in a fresh process and home."""
    lines = {spec: await first_parent_line(_git_dir(spec)) for spec in bench.mirrors}
    days = days_of(bench.span) if bench.span else [date.fromisoformat(day) for day in DAYS]
    # Compiled modules are kept by any installation; whoever measures a fresh checkout has none yet.
    timed([sys.executable, "-c", "import gitzette.running"])
    figures: dict[str, Figure] = {}
    for day in days:
        ratios = [await asyncio.to_thread(_day, bench, turn, lines, day) for turn in range(_REPEATS)]
        name = f"{day} beside git alone, without {_GRACE:.0f} s"
        figures[name] = measure(ratios, Target(5, "at most"))
    return figures


def _day(bench: Bench, turn: int, lines: Lines, day: date) -> float:
    """Time one turn: git alone, the run."""
    floor = _floor(lines, [day])
    spent = cold_run(bench.folder / f"day-cost-{day}-{turn}", lines, [day])
    ratio = (spent.clock - _GRACE) / floor.clock
    count = sum(len(between(line, [day], "UTC")) for line in lines.values())
    reach = sum(min(row.at for row in line).date() <= day for line in lines.values() if line)
    bench.say(
        f"day-cost: {count} commits of {day} in {reach} of {len(lines)} mirrors that reach it: run {_told(spent)}, "
        f"git {_told(floor)}: {ratio:.1f} x"
    )
    return ratio


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


def _git_dir(spec: RepoSpec) -> Path:
    assert spec.path is not None
    return git_dir_of(spec.path)


def _told(spent: Spent) -> str:
    return f"{spent.clock:.2f} s ({spent.processor:.2f} s of processor)"


DAY_COST = EvalSet("day-cost", "a cold day over all mirrors, beside git alone", run, needs_mirrors=True)
