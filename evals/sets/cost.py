"""What it costs: facts beside reading, a cold day beside git, ten thousand commits beside a thousand, tokens of a day.

Turns alternate, because other work on the machine slows all of it down.
"""

import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import reduce
from operator import or_
from pathlib import Path

from agent.domain.base import InputError
from agent.domain.window import Window, midnight
from agent.prompting import message_tokens, tokens_of
from agent.settings.values import RepoSpec
from evals.figures import SHOWN, Figure, Figures, Target, measure
from evals.harness import Bench, evalset, specs_of
from evals.model_server.honest import honest, prompt_of
from evals.model_server.server import ModelServer
from evals.model_server.talk import ModelRequest
from evals.sets.oracle import (
    FirstParentCommit,
    ask_git,
    between,
    days_of,
    first_parent_line,
    git_dir_of,
    path_of,
)
from evals.worlds.gold import gold_window
from tools.diff.sheet import gather, look_up, paths_to_read
from tools.git.source import GitSource

DAYS = ("2026-02-03", "2026-07-20")
_REPEATS, _MONTH = 3, 31
_GRACE = 3.0  # Seconds that a start may take beside the work
_SHORT, _LONG = 1_000, 10_000


@dataclass(frozen=True, slots=True)
class ProgramCost:
    """What a program used: the clock, the processor with everything the program ran, and memory at the peak."""

    clock: float
    processor: float
    megabytes: float = 0.0


@evalset(
    "facts-cost", "a month of commits turned into facts, beside reading them", needs_mirrors=True
)
async def facts_cost(bench: Bench) -> Figures:
    """Turn a month of each mirror into facts by whole files, beside reading it; the best of some turns counts."""
    ratios: list[float] = []
    for spec in bench.mirrors:
        days = days_of(bench, await first_parent_line(spec), _MONTH)
        turns = [await _turn(spec, Window.days(days[0], days[-1], "UTC")) for _ in range(_REPEATS)]
        reading, facts = (min(figures) for figures in zip(*turns, strict=True))
        bench.say(
            f"facts-cost: {spec.name}, {days[0]} to {days[-1]}: reading {reading:.2f} s, facts {facts:.2f} s"
        )
        ratios.append(facts / reading)
    return {"whole files beside reading, mirrors": measure(ratios, Target(4, "at most"))}


async def _turn(spec: RepoSpec, window: Window) -> tuple[float, float]:
    """Time reading, and what facts take besides; as in a daily run, the trees are looked through once for all names."""
    source, started = GitSource(spec.name, path_of(spec)), _processor()
    landing = await source.landed(window)
    changes = [change async for change in source.changes([row.commit.sha for row in landing.rows])]
    read = _processor()
    gathered = [
        gather(change, await source.blobs(change, paths_to_read(change))) for change in changes
    ]
    parents, names = changes[-1].commit.parents, reduce(or_, (one.names for one in gathered))
    trees = await look_up(source, parents[0] if parents else None, changes[0].commit.sha, names)
    for one in gathered:
        one.sheet(trees)
    return read - started, _processor() - read


def _processor() -> float:
    """Say how much of the processor this process and the programs that it ran have used so far."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@evalset("day-cost", "a cold day over all mirrors, beside git alone", needs_mirrors=True)
async def day_cost(bench: Bench) -> Figures:
    """Report on days of all mirrors without a model, each in a fresh process and home, beside git and its patches."""
    lines = [await first_parent_line(spec) for spec in bench.mirrors]
    # Compiled modules are kept by any installation; whoever measures a fresh checkout has none yet.
    timed([sys.executable, "-c", "import gitzette.running"])
    figures = {}
    for day in days_of(bench) if bench.span else map(date.fromisoformat, DAYS):
        ratios = []
        for _ in range(_REPEATS):
            floor = await asyncio.to_thread(_git_alone, bench.mirrors, day)
            spent = await asyncio.to_thread(cold_run, bench.folder / "cold", bench.mirrors, [day])
            ratios.append((spent.clock - _GRACE) / floor)
            count = sum(len(between(line, [day])) for line in lines)
            bench.say(
                f"day-cost: {count} commits of {day}: run {spent}, git {floor:.2f} s: {ratios[-1]:.1f} x"
            )
        figures[f"{day} beside git alone, without {_GRACE:.0f} s"] = measure(
            ratios, Target(5, "at most")
        )
    return figures


@evalset("long-window", "ten thousand commits beside a thousand", needs_mirrors=True, by_name=True)
async def long_window(bench: Bench) -> Figures:
    """Report on a short and on a long window of the longest mirror, each in a process and a home of its own."""
    lines = {spec: await first_parent_line(spec) for spec in bench.mirrors}
    longest = max(lines, key=lambda spec: len(lines[spec]))
    each, spent = list[float](), ProgramCost(0, 0)
    for wanted in (_SHORT, _LONG):
        days = last_days_with(lines[longest], wanted)
        spent = await asyncio.to_thread(cold_run, bench.folder / "cold", [longest], days)
        count = len(between(lines[longest], days))
        each.append(spent.processor / count)
        bench.say(
            f"long-window: {count} commits of {longest.name}, {days[0]} to {days[-1]}: {spent}"
        )
    return {
        "megabytes at the peak, ten thousand commits": measure(
            [spent.megabytes], Target(600, "at most")
        ),
        "processor time of a commit, beside a thousand": measure(
            [each[1] / each[0]], Target(1.5, "at most")
        ),
    }


def last_days_with(line: list[FirstParentCommit], wanted: int) -> list[date]:
    """Choose whole days that end before the newest commit's and hold about so many commits."""
    last = line[0].at.date() - timedelta(days=1)
    landed = [row.at.date() for row in line if row.at.date() <= last]
    first = landed[min(wanted, len(landed)) - 1]
    return [first + timedelta(days=offset) for offset in range((last - first).days + 1)]


def cold_run(folder: Path, specs: Sequence[RepoSpec], days: Sequence[date]) -> ProgramCost:
    """Report on some days of these repositories in a process and a home of its own."""
    folder.mkdir(parents=True)
    repos = [
        part for spec in specs for part in ("--repo", f"{spec.name}={path_of(spec).resolve()}")
    ]
    window = ["--since", days[0].isoformat(), "--until", (days[-1] + timedelta(days=1)).isoformat()]
    options = ["--tz", "UTC", "--analyst", "rules", "--out", str(folder / "out")]
    try:
        return timed([sys.executable, "-m", "gitzette", "run", *repos, *window, *options], folder)
    finally:
        shutil.rmtree(folder)


def _git_alone(specs: Sequence[RepoSpec], day: date) -> float:
    """Let git find and print the same commits with their patches, one repository after the other."""
    first, after = (int(midnight(one, "UTC").timestamp()) for one in (day, day + timedelta(days=1)))
    log = [
        "log",
        "-z",
        "--raw",
        "-p",
        "--first-parent",
        f"--since=@{first} +0000",
        f"--until=@{after - 1} +0000",
    ]
    return sum(
        timed(["git", "--git-dir", str(git_dir_of(spec).resolve()), *log, "HEAD"]).clock
        for spec in specs
    )


def timed(command: Sequence[str], folder: Path | None = None) -> ProgramCost:
    """Run a program to its end, with nothing of this environment but the search path."""
    path = os.pathsep.join([str(Path(shutil.which("git") or "git").parent), os.defpath])
    environment = {"PATH": path, "PYTHONPATH": str(Path(__file__).parents[2])}
    if folder is not None:
        environment |= {
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "GITZETTE_HOME": str(folder / "home"),
        }
    started, pipe, none = time.perf_counter(), subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=none, stderr=pipe
    ) as process:
        told = process.stderr.read() if process.stderr else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise InputError(
            f"{command[0]} ended with {process.returncode}: {told.decode('utf-8', 'replace').strip()}"
        )
    return ProgramCost(
        time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    )


_MOST = 3.5  # Tokens of a whole model_tokens, sent and received, beside the evidence that its writer is shown
_CONTEXT = 65_536
Commits = Collection[tuple[RepoSpec, str]]


@evalset("model-tokens", "what a busy day costs with a model, beside sending every diff")
async def model_tokens(bench: Bench) -> Figures:
    """Report on the busy day of the world, and on a busy day of the mirrors where they are given."""
    world = bench.world("full")
    day = date.fromisoformat(world.notes["busy day"])
    window, specs = Window.days(day, day, "UTC"), specs_of(world)
    rows = [
        (spec, row.sha)
        for spec in specs
        for row in gold_window(world, spec.name, window.start, window.end)
    ]
    figures = await _cost(bench, "world", specs, window, rows, SHOWN)
    if bench.mirrors:
        days = days_of(bench) if bench.span else [date.fromisoformat(DAYS[0])]
        lines = {spec: await first_parent_line(spec) for spec in bench.mirrors}
        landed = [(spec, sha) for spec, line in lines.items() for sha in between(line, days)]
        window = Window.days(days[0], days[-1], "UTC")
        # Commits of a world are shorter than any prompt: only real ones have a target.
        figures |= await _cost(
            bench, "mirrors", bench.mirrors, window, landed, Target(_MOST, "at most")
        )
    return figures


async def _cost(
    bench: Bench,
    where: str,
    specs: Sequence[RepoSpec],
    window: Window,
    commits: Commits,
    target: Target,
) -> dict[str, Figure]:
    """Hold what was sent to every diff, and all that it took to what the writer was shown."""
    with ModelServer(honest, context=_CONTEXT) as server:
        model = {"analyst": "model", "model": server.model, "model_url": server.url}
        with bench.settings(specs, source="git", **model) as settings:
            report, _ = await bench.system.report(settings, window)
        asked = list(server.asked)
    sent, shown = sum(map(tokens_sent, asked)), evidence_shown(asked)
    received = sum(
        one.spent.received
        for one in (report.account, *(section.account for section in report.sections))
    )
    show = ("show", "-m", "--first-parent", "-M", "--format=%B")
    diffs = sum([tokens_of(await ask_git(git_dir_of(spec), *show, sha)) for spec, sha in commits])
    bench.say(
        f"model-tokens: {where}: {sent} sent in {len(asked)} calls, {received} received, {shown} shown, {diffs}"
    )
    return {
        f"{where}: tokens sent beside all diffs": measure([sent / max(1, diffs)]),
        f"{where}: tokens beside the evidence that the writer is shown": measure(
            [(sent + received) / max(1, shown)], target
        ),
    }


def evidence_shown(asked: Sequence[ModelRequest]) -> int:
    """Count the evidence in the questions by which commits are explained."""
    return sum(tokens_of(one.evidence) for one in map(prompt_of, asked) if one.kind == "write")


def tokens_sent(asked: ModelRequest) -> int:
    """Count what one question takes: the messages, the tools and the shape of the answer."""
    extras = [
        json.dumps(asked.body[name])
        for name in ("tools", "response_format")
        if asked.body.get(name)
    ]
    return message_tokens(tuple(asked.messages)) + sum(map(tokens_of, extras))
