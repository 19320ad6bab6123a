"""Kills: a run with a model that dies and is taken up again gives the same report and asks for nothing twice."""

import asyncio
import random
import shutil
import time
from asyncio.subprocess import Process
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agent.domain.base import StorageError
from evals.figures import Figures, Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, evalset, serving, start_gitzette
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.processes import processor_count
from evals.worlds.model import World
from memory.runs import FINISHED
from memory.store import open_memory

_FEW, _MANY = 2, 50
_POLL, _PATIENCE = 0.002, 120
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
    """What was wrong with a run that was killed, and whether it died with something done and went on from there."""

    complaint: str = ""
    resumed: bool = False


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
    """Report on the day before, keep that home, and see what an undisturbed run makes of the day."""
    before = date.fromisoformat(world.notes["reported day"]) - timedelta(days=1)
    stage = KillStage(folder=folder, server=server, model=model, world=world, calm={})
    (folder / "base").mkdir(parents=True)
    await _ended(await _start(stage, "base", day=before.isoformat()))
    shutil.copytree(folder / "base", folder / "calm")
    process = await _start(stage, "calm")
    await _until_begun(process, folder / "calm")
    started = time.monotonic()
    await _ended(process)
    return replace(stage, seconds=time.monotonic() - started, calm=_tree(folder / "calm" / "out"))


async def killed_at(stage: KillStage, number: int) -> Trial:
    """Start the run, kill it at a random moment, take it up again and look at what is there."""
    name = f"trial-{number}"
    shutil.copytree(stage.folder / "base", stage.folder / name)
    process = await _start(stage, name)
    await _until_begun(process, stage.folder / name)
    await asyncio.sleep(random.Random(number).uniform(0, stage.seconds))  # noqa: S311 -- not a secret
    if process.returncode is None:
        process.kill()
    await process.wait()
    return await _taken_up(stage, name)


async def _taken_up(stage: KillStage, name: str) -> Trial:
    folder = stage.folder / name
    if half := _half_file(folder / "out", stage):
        return Trial(f"{half} is neither what it was nor what it will be")
    begun, finished, answers = _newest_run(folder / "home")
    status, told = await _finished(await _start(stage, name, "--resume"))
    if (finished or not begun) != (status == 2):
        return Trial(f"--resume ended with {status}: {told}")
    if not begun:
        await _ended(await _start(stage, name))
    if again := [
        key for key, at in _newest_run(folder / "home")[2].items() if answers.get(key, at) != at
    ]:
        return Trial(f"{len(again)} recorded calls were made again")
    left = _tree(folder / "out")
    if other := [file for file in {*left, *stage.calm} if stage.calm.get(file) != left.get(file)]:
        return Trial(f"{min(other)} is not that of an undisturbed run")
    if any((folder / "home" / "running").iterdir()):
        return Trial("checkpoints or locks were left behind")
    return Trial(resumed=begun and not finished and bool(answers))


def _half_file(out: Path, stage: KillStage) -> str:
    """Name a file that a reader could see half-written; hidden ones are swept away later."""
    base, there = _tree(stage.folder / "base" / "out"), _tree(out)
    for name, data in there.items():
        if not Path(name).name.startswith(".") and data not in (
            base.get(name),
            stage.calm.get(name),
        ):
            return name
    return next((name for name in base if name not in there), "")


def _newest_run(home: Path) -> tuple[bool, bool, Mapping[str, str]]:
    """Tell whether a run of the day has begun, whether it is finished, and the moments of its recorded answers."""
    with open_memory(home, datetime.now(UTC).date()) as memory:
        newest = memory.runs.latest(1)[0]
        locked = newest.id in {path.stem for path in (home / "running").glob("*.lock")}
        if locked or newest.status not in FINISHED:
            return True, newest.status in FINISHED, memory.recorder(newest.id).answered()
        return False, False, {}


async def _start(stage: KillStage, name: str, *arguments: str, day: str = "") -> Process:
    repos = [part for repo in stage.world.repos for part in ("--repo", repo.full_name)]
    chosen = [
        "--date",
        day or stage.world.notes["reported day"],
        "--analyst",
        "model",
        *repos,
        *arguments,
    ]
    return await start_gitzette(stage.folder / name, stage.server, stage.model, "run", *chosen)


async def _until_begun(process: Process, folder: Path) -> None:
    """Wait until the run is noted: what comes before is only the start of Python."""
    while process.returncode is None and not any((folder / "home" / "running").glob("*.lock")):  # noqa: ASYNC110
        await asyncio.sleep(_POLL)  # nobody can tell us: it is another process


async def _finished(process: Process) -> tuple[int, str]:
    async with asyncio.timeout(_PATIENCE):
        _, told = await process.communicate()
    return process.returncode or 0, told.decode("utf-8", errors="replace").strip().rpartition("\n")[
        2
    ]


async def _ended(process: Process) -> None:
    status, told = await _finished(process)
    if status != 0:
        raise StorageError(f"an undisturbed run ended with {status}: {told}")


def _tree(folder: Path) -> Tree:
    """Read every file but the heartbeat, which tells the time."""
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != "heartbeat.json"
    ]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}
