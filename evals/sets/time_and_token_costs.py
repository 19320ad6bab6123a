"""Costs in time and tokens: of facts beside reading, of a cold day beside git, of long windows, of a day.

Turns alternate, because other work on the machine slows down all of them.
"""

import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import reduce
from operator import or_
from pathlib import Path
from typing import NamedTuple

from agent.domain.errors import InputError
from agent.domain.window import Window, midnight
from agent.settings.values import RepoSpec
from agent.token_estimates import message_tokens, tokens_of
from evals.figures import SHOWN, Figure, Figures, Target, measure
from evals.harness import Bench, evalset, specs_of
from evals.mirror_commits import (
    FirstParentCommit,
    ask_git,
    between,
    days_of,
    first_parent_line,
    git_dir_of,
    path_of,
)
from evals.model_server.honest import honest, prompt_of
from evals.model_server.requests_and_answers import ModelRequest
from evals.model_server.server import ModelServer
from evals.worlds.true_ledger import gold_window
from tools.diff.commit_facts import gather
from tools.diff.files_read_for_facts import look_up, paths_to_read
from tools.git.source import GitSource

DAYS = ("2026-02-03", "2026-07-20")
_REPEATS = 3
_MONTH = 31
_STARTUP_SECONDS = 3.0  # What a process may take before it works
_SHORT = 1_000  # Commits of the short window
_LONG = 10_000
_MAX_TOKEN_RATIO = 3.5  # Tokens sent and received, beside the evidence that the writer is shown
_CONTEXT = 65_536
_SHOW = ("show", "-m", "--first-parent", "-M", "--format=%B")
_STARTUP = (sys.executable, "-c", "import gitzette.commands.run")
_DISCARD = subprocess.DEVNULL


@dataclass(frozen=True, slots=True)
class ProgramCost:
    """The resources of a program with its children: seconds and peak of memory."""

    clock: float
    processor: float
    megabytes: float = 0.0


class FactsTurn(NamedTuple):
    """Seconds of processor time for reading commits, and for turning them into facts."""

    reading: float
    facts: float


class LandedCommit(NamedTuple):
    """A commit of a repository."""

    spec: RepoSpec
    sha: str


@evalset(
    "facts-cost", "a month of commits turned into facts, beside reading them", needs_mirrors=True
)
async def facts_cost(bench: Bench) -> Figures:
    """Turn a month of each mirror into facts by whole files; the best of some turns counts."""
    ratios: list[float] = []
    for spec in bench.mirrors:
        days = days_of(bench, await first_parent_line(spec), _MONTH)
        window = Window.days(days[0], days[-1], "UTC")
        turns = [await _facts_turn(spec, window) for _ in range(_REPEATS)]
        reading = min(turn.reading for turn in turns)
        facts = min(turn.facts for turn in turns)
        seconds = f"reading {reading:.2f} s, facts {facts:.2f} s"
        bench.say(f"facts-cost: {spec.name}, {days[0]} to {days[-1]}: {seconds}")
        ratios.append(facts / reading)
    return {"whole files beside reading, mirrors": measure(ratios, Target(4, "at most"))}


async def _facts_turn(spec: RepoSpec, window: Window) -> FactsTurn:
    """Time reading, and what facts take besides.

    As in a daily run, the trees are searched once for all names.
    """
    source = GitSource(spec.name, path_of(spec))
    started = _processor_seconds()
    landing = await source.landed(window)
    shas = [row.commit.sha for row in landing.rows]
    changes = [change async for change in source.changes(shas)]
    read = _processor_seconds()
    gathered = []
    for change in changes:
        blobs = await source.blobs(change, paths_to_read(change))
        gathered.append(gather(change, blobs))
    names = reduce(or_, (sheet.names for sheet in gathered))
    parents = changes[-1].commit.parents
    trees = await look_up(source, parents[0] if parents else None, changes[0].commit.sha, names)
    for sheet in gathered:
        sheet.sheet(trees)
    return FactsTurn(read - started, _processor_seconds() - read)


def _processor_seconds() -> float:
    """Return the processor time that this process and its children have used so far."""
    seconds = 0.0
    for process in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(process)
        seconds += used.ru_utime + used.ru_stime
    return seconds


@evalset("day-cost", "a cold day over all mirrors, beside git alone", needs_mirrors=True)
async def day_cost(bench: Bench) -> Figures:
    """Report on days of all mirrors without a model, each in a new process and home.

    Compared with git alone, which prints the same commits with their patches.
    """
    lines = [await first_parent_line(spec) for spec in bench.mirrors]
    # Any installation has compiled modules; a new checkout has none yet.
    timed(_STARTUP)
    figures: dict[str, Figure] = {}
    for day in days_of(bench) if bench.span else map(date.fromisoformat, DAYS):
        count = sum(len(between(line, [day])) for line in lines)
        turns = []
        for _ in range(_REPEATS):
            turn = await asyncio.to_thread(_day_turn, bench.folder / "cold", bench.mirrors, day)
            turns.append(turn)
            bench.say(f"day-cost: {count} commits of {day}: {turn}")
        figures |= _day_figures(day, turns)
    return figures


class DayTurn(NamedTuple):
    """The cost of a day: git alone, starting up, in a new home, and once more in the same home."""

    git: ProgramCost
    startup: ProgramCost
    cold: ProgramCost
    again: ProgramCost


def _day_turn(folder: Path, specs: Sequence[RepoSpec], day: date) -> DayTurn:
    git = _git_alone(specs, day)
    startup = timed(_STARTUP)
    folder.mkdir(parents=True)
    command = _run_command(folder, specs, [day])
    try:
        cold = timed(command, folder)
        again = timed(command, folder)
    finally:
        shutil.rmtree(folder)
    return DayTurn(git, startup, cold, again)


def _day_figures(day: date, turns: Sequence[DayTurn]) -> dict[str, Figure]:
    clock: list[float] = []
    processor: list[float] = []
    again: list[float] = []
    for turn in turns:
        clock.append((turn.cold.clock - _STARTUP_SECONDS) / turn.git.clock)
        processor.append(turn.cold.processor / turn.git.processor)
        again.append((turn.again.processor - turn.startup.processor) / turn.git.processor)
    return {
        f"{day} beside git alone, without {_STARTUP_SECONDS:.0f} s": measure(
            clock, Target(5, "at most")
        ),
        f"{day}, processor time beside git alone": measure(processor, Target(12, "at most")),
        f"{day} once more, processor time beyond starting up, beside git alone": measure(
            again, Target(3.5, "at most")
        ),
    }


@evalset("long-window", "ten thousand commits beside a thousand", needs_mirrors=True, by_name=True)
async def long_window(bench: Bench) -> Figures:
    """Report on a short and a long window of the longest mirror, each in a new process and home."""
    lines = {spec: await first_parent_line(spec) for spec in bench.mirrors}
    longest = max(lines, key=lambda spec: len(lines[spec]))
    short = await _window_cost(bench, longest, lines[longest], _SHORT)
    long = await _window_cost(bench, longest, lines[longest], _LONG)
    ratio = long.seconds_per_commit / short.seconds_per_commit
    return {
        "megabytes at the peak, ten thousand commits": measure(
            [long.megabytes], Target(600, "at most")
        ),
        "processor time of a commit, beside a thousand": measure([ratio], Target(1.5, "at most")),
    }


class WindowCost(NamedTuple):
    """The cost of a window of many commits."""

    seconds_per_commit: float  # Of processor time
    megabytes: float


async def _window_cost(
    bench: Bench, spec: RepoSpec, line: list[FirstParentCommit], commits: int
) -> WindowCost:
    days = last_days_with(line, commits)
    spent = await asyncio.to_thread(cold_run, bench.folder / "cold", [spec], days)
    count = len(between(line, days))
    bench.say(f"long-window: {count} commits of {spec.name}, {days[0]} to {days[-1]}: {spent}")
    return WindowCost(spent.processor / count, spent.megabytes)


def last_days_with(line: list[FirstParentCommit], commits: int) -> list[date]:
    """Return whole days before that of the newest commit, with about so many commits."""
    last = line[0].at.date() - timedelta(days=1)
    landed = [row.at.date() for row in line if row.at.date() <= last]
    first = landed[min(commits, len(landed)) - 1]
    return [first + timedelta(days=offset) for offset in range((last - first).days + 1)]


def cold_run(folder: Path, specs: Sequence[RepoSpec], days: Sequence[date]) -> ProgramCost:
    """Report on some days of these repositories in a new process and home."""
    folder.mkdir(parents=True)
    try:
        return timed(_run_command(folder, specs, days), folder)
    finally:
        shutil.rmtree(folder)


def _run_command(folder: Path, specs: Sequence[RepoSpec], days: Sequence[date]) -> list[str]:
    """Return the command that reports on some days of these repositories by rules."""
    command = [sys.executable, "-m", "gitzette", "run"]
    for spec in specs:
        command += ["--repo", f"{spec.name}={path_of(spec).resolve()}"]
    day_after = days[-1] + timedelta(days=1)
    command += ["--since", days[0].isoformat(), "--until", day_after.isoformat()]
    return [*command, "--tz", "UTC", "--analyst", "rules", "--out", str(folder / "out")]


def _git_alone(specs: Sequence[RepoSpec], day: date) -> ProgramCost:
    """Measure the cost of git printing the same commits with their patches."""
    first = int(midnight(day, "UTC").timestamp())
    last = int(midnight(day + timedelta(days=1), "UTC").timestamp()) - 1
    log = ["log", "-z", "--raw", "-p", "--first-parent"]
    span = [f"--since=@{first} +0000", f"--until=@{last} +0000"]
    clock = 0.0
    processor = 0.0
    for spec in specs:
        git = ["git", "--git-dir", str(git_dir_of(spec).resolve())]
        spent = timed([*git, *log, *span, "HEAD"])
        clock += spent.clock
        processor += spent.processor
    return ProgramCost(clock, processor)


def timed(command: Sequence[str], folder: Path | None = None) -> ProgramCost:
    """Run a program to its end, with nothing of this environment but the search path."""
    environment = _environment(folder)
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=_DISCARD, stderr=subprocess.PIPE
    ) as process:
        errors = process.stderr.read() if process.stderr else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        message = errors.decode("utf-8", "replace").strip()
        raise InputError(f"{command[0]} ended with {process.returncode}: {message}")
    return ProgramCost(
        clock=time.perf_counter() - started,
        processor=used.ru_utime + used.ru_stime,
        megabytes=used.ru_maxrss / 1024,
    )


def _environment(folder: Path | None) -> dict[str, str]:
    git_folder = Path(shutil.which("git") or "git").parent
    environment = {
        "PATH": os.pathsep.join([str(git_folder), os.defpath]),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    if folder is not None:
        environment["HOME"] = str(folder)
        environment["TMPDIR"] = str(folder)
        environment["GITZETTE_HOME"] = str(folder / "home")
    return environment


@evalset("model-tokens", "what a busy day costs with a model, beside sending every diff")
async def model_tokens(bench: Bench) -> Figures:
    """Report on the busy day of the world, and on a busy day of the mirrors where they are given."""
    world = bench.world("full")
    day = date.fromisoformat(world.notes["busy day"])
    window = Window.days(day, day, "UTC")
    specs = specs_of(world)
    landed = []
    for spec in specs:
        for row in gold_window(world, spec.name, window.start, window.end):
            landed.append(LandedCommit(spec, row.sha))
    # Commits of a world are shorter than any prompt: only real ones have a target.
    figures = await _token_figures(bench, "world", specs, window, landed, SHOWN)
    if bench.mirrors:
        days = days_of(bench) if bench.span else [date.fromisoformat(DAYS[0])]
        window = Window.days(days[0], days[-1], "UTC")
        landed = []
        for spec in bench.mirrors:
            for sha in between(await first_parent_line(spec), days):
                landed.append(LandedCommit(spec, sha))
        target = Target(_MAX_TOKEN_RATIO, "at most")
        figures |= await _token_figures(bench, "mirrors", bench.mirrors, window, landed, target)
    return figures


async def _token_figures(
    bench: Bench,
    where: str,
    specs: Sequence[RepoSpec],
    window: Window,
    commits: Sequence[LandedCommit],
    target: Target,
) -> dict[str, Figure]:
    """Compare the tokens sent with all diffs, and all tokens with what the writer was shown."""
    with ModelServer(honest, context=_CONTEXT) as server:
        model = {"analyst": "model", "model": server.model, "model_url": server.url}
        with bench.settings(specs, source="git", **model) as settings:
            report, _ = await bench.system.report(settings, window)
        requests = list(server.asked)
    sent = sum(map(tokens_sent, requests))
    reader_view = evidence_shown(requests)
    received = report.account.spent.received
    for section in report.sections:
        received += section.account.spent.received
    diffs = 0
    for commit in commits:
        diffs += tokens_of(await ask_git(git_dir_of(commit.spec), *_SHOW, commit.sha))
    tokens = (
        f"{sent} sent in {len(requests)} calls, {received} received, {reader_view} shown, {diffs}"
    )
    bench.say(f"model-tokens: {where}: {tokens}")
    return {
        f"{where}: tokens sent beside all diffs": measure([sent / max(1, diffs)]),
        f"{where}: tokens beside the evidence that the writer is shown": measure(
            [(sent + received) / max(1, reader_view)], target
        ),
    }


def evidence_shown(requests: Sequence[ModelRequest]) -> int:
    """Count the tokens of evidence in the questions by which commits are explained."""
    tokens = 0
    for request in requests:
        prompt = prompt_of(request)
        if prompt.kind == "write":
            tokens += tokens_of(prompt.evidence)
    return tokens


def tokens_sent(request: ModelRequest) -> int:
    """Count the tokens of a request: the messages, the tools and the shape of the answer."""
    tokens = message_tokens(tuple(request.messages))
    for name in ("tools", "response_format"):
        if request.body.get(name):
            tokens += tokens_of(json.dumps(request.body[name]))
    return tokens
