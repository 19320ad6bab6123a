"""Kills: a run that is killed and resumed gives the same report and repeats no recorded call."""

import asyncio
import random
import shutil
import time
from asyncio.subprocess import Process
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from agent.domain.errors import StorageError
from evals.figures import Figures, Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, evalset, serving, start_gitzette
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.parallel_cases import processor_count
from evals.worlds.data_model import World
from memory.runs import FINISHED
from memory.store import open_memory

_FEW = 2
_MANY = 50
_POLL_SECONDS = 0.002
_MAX_SECONDS = 120  # Of a run
Tree = Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class KillStage:
    """A world on loopback, and a home in which the day before was reported."""

    folder: Path
    server: GitHubServer
    model: ModelServer
    world: World
    seconds: float = 0.0  # How long an undisturbed run works, from its first file to its end
    calm: Tree  # What an undisturbed run leaves in the output folder


@dataclass(frozen=True)
class Trial:
    """The faults of a killed run, and whether it was resumed halfway."""

    complaint: str = ""
    resumed: bool = False


class RunState(NamedTuple):
    """The progress of the newest run of a home before it was killed."""

    begun: bool = False
    finished: bool = False
    answers: Mapping[str, str] = {}  # When each recorded answer was given, by the key of the call


class ProcessEnd(NamedTuple):
    """The end of a process."""

    status: int
    message: str  # Its last line on stderr


@evalset("kills", "killed at random moments and taken up again")
async def run(bench: Bench) -> Figures:
    """Kill runs at random moments, as many at once as there are processors."""
    world = bench.world("demo")
    slots = asyncio.Semaphore(processor_count())
    with serving(world.repos, world.now) as server, ModelServer(honest, context=65_536) as model:
        stage = await prepare(bench.folder / "kills", server, model, world)

        async def trial_at(number: int) -> Trial:
            async with slots:
                return await killed_at(stage, number)

        trials = await asyncio.gather(*map(trial_at, range(bench.count(_FEW, _MANY))))
    scores: list[Score] = []
    resumed: list[Score] = []
    for number, trial in enumerate(trials):
        case = f"moment {number}"
        outcome = f"{case}: {trial.complaint or 'well'}"
        scores.append(Score(outcome, float(not trial.complaint), case))
        unfit = f"{case}: died with nothing done, or when all was done"
        resumed.append(Score(unfit, float(trial.resumed), case))
    return {
        "killed and taken up: the same report, nothing asked twice": share(scores),
        "died with something done": share(resumed, Target(0.5)),
    }


async def prepare(
    folder: Path, server: GitHubServer, model: ModelServer, world: World
) -> KillStage:
    """Report on the day before, keep that home, and run undisturbed for comparison."""
    before = date.fromisoformat(world.notes["reported day"]) - timedelta(days=1)
    stage = KillStage(folder=folder, server=server, model=model, world=world, calm={})
    (folder / "base").mkdir(parents=True)
    await _succeeded(await _start(stage, "base", day=before.isoformat()))
    shutil.copytree(folder / "base", folder / "calm")
    process = await _start(stage, "calm")
    await _until_begun(process, folder / "calm")
    started = time.monotonic()
    await _succeeded(process)
    return replace(stage, seconds=time.monotonic() - started, calm=_tree(folder / "calm" / "out"))


async def killed_at(stage: KillStage, number: int) -> Trial:
    """Start the run, kill it at a random moment, resume it and check the result."""
    name = f"trial-{number}"
    shutil.copytree(stage.folder / "base", stage.folder / name)
    process = await _start(stage, name)
    await _until_begun(process, stage.folder / name)
    await asyncio.sleep(random.Random(number).uniform(0, stage.seconds))  # noqa: S311 -- not a secret
    if process.returncode is None:
        process.kill()
    await process.wait()
    return await _resumed(stage, name)


async def _resumed(stage: KillStage, name: str) -> Trial:
    folder = stage.folder / name
    partial = _partial_file(folder / "out", stage)
    if partial:
        return Trial(f"{partial} is neither what it was nor what it will be")
    killed = _newest_run(folder / "home")
    end = await _end_of(await _start(stage, name, "--resume"))
    nothing_to_resume = killed.finished or not killed.begun
    if nothing_to_resume != (end.status == 2):
        return Trial(f"--resume ended with {end.status}: {end.message}")
    if not killed.begun:
        await _succeeded(await _start(stage, name))
    repeated = []
    for key, answered_at in _newest_run(folder / "home").answers.items():
        if killed.answers.get(key, answered_at) != answered_at:
            repeated.append(key)
    if repeated:
        return Trial(f"{len(repeated)} recorded calls were made again")
    tree = _tree(folder / "out")
    different = [file for file in {*tree, *stage.calm} if stage.calm.get(file) != tree.get(file)]
    if different:
        return Trial(f"{min(different)} is not that of an undisturbed run")
    if any((folder / "home" / "running").iterdir()):
        return Trial("checkpoints or locks were left behind")
    resumed = killed.begun and not killed.finished and bool(killed.answers)
    return Trial(resumed=resumed)


def _partial_file(out: Path, stage: KillStage) -> str:
    """Return a file that a reader could see half-written; hidden ones are removed later."""
    before = _tree(stage.folder / "base" / "out")
    after = _tree(out)
    for name, data in after.items():
        if Path(name).name.startswith("."):
            continue
        if data not in (before.get(name), stage.calm.get(name)):
            return name
    for name in before:
        if name not in after:
            return name
    return ""


def _newest_run(home: Path) -> RunState:
    with open_memory(home, datetime.now(UTC).date()) as memory:
        newest = memory.runs.latest(1)[0]
        finished = newest.status in FINISHED
        locked = (home / "running" / f"{newest.id}.lock").exists()
        if finished and not locked:
            return RunState()  # It is the run of the day before.
        return RunState(True, finished, memory.recorder(newest.id).answered())


async def _start(stage: KillStage, name: str, *arguments: str, day: str = "") -> Process:
    day = day or stage.world.notes["reported day"]
    command = ["run", "--date", day, "--analyst", "model"]
    for repo in stage.world.repos:
        command += ["--repo", repo.full_name]
    folder = stage.folder / name
    return await start_gitzette(folder, stage.server, stage.model, *command, *arguments)


async def _until_begun(process: Process, folder: Path) -> None:
    """Wait until the run is recorded; before that, only Python starts."""
    locks = folder / "home" / "running"
    # Another process cannot notify this one.
    while process.returncode is None and not any(locks.glob("*.lock")):  # noqa: ASYNC110
        await asyncio.sleep(_POLL_SECONDS)


async def _end_of(process: Process) -> ProcessEnd:
    async with asyncio.timeout(_MAX_SECONDS):
        _, errors = await process.communicate()
    message = errors.decode("utf-8", errors="replace").strip()
    return ProcessEnd(process.returncode or 0, message.rpartition("\n")[2])


async def _succeeded(process: Process) -> None:
    end = await _end_of(process)
    if end.status != 0:
        raise StorageError(f"an undisturbed run ended with {end.status}: {end.message}")


def _tree(folder: Path) -> Tree:
    """Read every file but the heartbeat, which holds the time."""
    tree: dict[str, bytes] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "heartbeat.json":
            tree[str(file.relative_to(folder))] = file.read_bytes()
    return tree
