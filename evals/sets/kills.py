"""Kills: a run with a model that dies and is taken up again gives the same report and asks for nothing twice."""

import asyncio
import os
import random
import shutil
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agent.domain.base import StorageError
from agent.reports.stored import load
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, EvalSet, Figures
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.worlds.model import World
from memory.runs import FINISHED
from memory.store import open_memory

_TOKEN = "kills"  # noqa: S105 -- the loopback server's only token
_MOMENTS, _FEW = 50, 6
_POLL = 0.002
_CONTEXT = 65_536
_PATIENCE = 120
Tree = dict[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A world on loopback, and a home in which the day before was reported."""

    folder: Path
    server: GitHubServer
    model: ModelServer
    world: World
    seconds: float
    """How long an undisturbed run works, from its first file to its end."""
    calm: Tree
    """What an undisturbed run leaves in the output folder."""

    @property
    def day(self) -> str:
        """The day whose run is killed."""
        return self.world.notes["reported day"]


@dataclass(frozen=True)
class Trial:
    """What became of one run that was killed."""

    complaint: str = ""
    """What was wrong; empty when all was well."""
    resumed: bool = False
    """It died with something done, and went on from there."""


async def run(bench: Bench) -> Figures:
    """Kill a run at fifty random moments, one after the other."""
    world, scores, resumed = bench.world("demo"), list[Score](), 0
    moments = _FEW if bench.small else _MOMENTS
    with (
        GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server,
        ModelServer(honest, context=_CONTEXT) as model,
    ):
        stage = await prepare(bench.folder / "kills", server, model, world)
        for number in range(moments):
            trial = await killed_at(stage, number)
            resumed += trial.resumed
            scores.append(Score(f"moment {number}: {trial.complaint or 'well'}", float(not trial.complaint)))
            bench.say(scores[-1].reason)
    return {
        "killed and taken up: the same report, nothing asked twice": share(scores, Target(1.0)),
        "died with something done": share([Score("", resumed / moments)], Target(0.5)),
    }


async def prepare(folder: Path, server: GitHubServer, model: ModelServer, world: World) -> Stage:
    """Report on the day before, keep that home, and see what an undisturbed run makes of the day."""
    before = date.fromisoformat(world.notes["reported day"]) - timedelta(days=1)
    calm = Stage(folder=folder, server=server, model=model, world=world, seconds=0, calm={})
    (folder / "base").mkdir(parents=True)
    await _ended(await _start(calm, "base", "--date", before.isoformat()))
    shutil.copytree(folder / "base", folder / "calm")
    process = await _start(calm, "calm", "--date", calm.day)
    await _until_begun(process, folder / "calm")
    started = time.monotonic()
    await _ended(process)
    return Stage(
        folder=folder,
        server=server,
        model=model,
        world=world,
        seconds=time.monotonic() - started,
        calm=_tree(folder / "calm" / "out"),
    )


async def killed_at(stage: Stage, number: int) -> Trial:
    """Start the run, kill it at a random moment, take it up again and look at what is there."""
    name = f"trial-{number}"
    folder = stage.folder / name
    shutil.copytree(stage.folder / "base", folder)
    try:
        process = await _start(stage, name, "--date", stage.day)
        await _until_begun(process, folder)
        await asyncio.sleep(random.Random(number).uniform(0, stage.seconds))  # noqa: S311 -- not a secret
        if process.returncode is None:
            process.kill()
        await process.wait()
        return await _judged(stage, name)
    finally:
        shutil.rmtree(folder)


async def _judged(stage: Stage, name: str) -> Trial:
    folder = stage.folder / name
    if half := _half_files(folder / "out", stage):
        return Trial(f"{half} is neither what it was nor what it will be")
    run, answers = _answers(folder / "home")
    status, told = await _finished(await _start(stage, name, "--date", stage.day, "--resume"))
    nothing_to_resume = run is None or run.endswith(FINISHED)
    if nothing_to_resume != (status == 2):
        return Trial(f"--resume ended with {status}: {told}")
    if run is None:
        await _ended(await _start(stage, name, "--date", stage.day))
    again = {key for key, place in _answers(folder / "home")[1].items() if answers.get(key, place) != place}
    if again:
        return Trial(f"{len(again)} recorded calls were made again")
    if other := [name for name, data in _tree(folder / "out").items() if stage.calm.get(name) != data]:
        return Trial(f"{other[0]} is not that of an undisturbed run")
    if missing := stage.calm.keys() - _tree(folder / "out").keys():
        return Trial(f"{min(missing)} is missing")
    if any((folder / "home" / "running").iterdir()):
        return Trial("checkpoints or locks were left behind")
    return Trial(resumed=not nothing_to_resume and bool(answers))


def _half_files(out: Path, stage: Stage) -> str:
    """Name a file that a reader could see half-written; hidden ones are swept away later."""
    base = _tree(stage.folder / "base" / "out")
    for name, data in _tree(out).items():
        if not Path(name).name.startswith(".") and data not in (base.get(name), stage.calm.get(name)):
            return name
        if name.endswith(".json"):
            try:
                load(data, name)
            except StorageError:
                return name
    return next((name for name in base if name not in _tree(out)), "")


def _answers(home: Path) -> tuple[str | None, Mapping[str, str]]:
    """Find the newest run, as its id and how it ended, and the moments of its recorded answers."""
    with open_memory(home, datetime.now(UTC).date()) as memory:
        newest = memory.runs.latest(1)[0]
        if newest.id in {path.stem for path in (home / "running").glob("*.lock")} or newest.status not in FINISHED:
            return f"{newest.id} {newest.status}", memory.recorder(newest.id).answered()
        return None, {}


async def _start(stage: Stage, name: str, *arguments: str) -> Process:
    folder, git = stage.folder / name, shutil.which("git")
    repos = [part for repo in stage.world.repos for part in ("--repo", repo.full_name)]
    environment = {
        "PATH": os.pathsep.join([str(Path(git or "git").parent), os.defpath]),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TMPDIR": str(stage.folder),
        "HOME": str(stage.folder),
        "GITHUB_TOKEN": _TOKEN,
        "GITZETTE_HOME": str(folder / "home"),
        "GITZETTE_OUT": str(folder / "out"),
        "GITZETTE_GITHUB_URL": stage.server.url,
        "GITZETTE_GIT_URL": stage.server.git_url,
        "GITZETTE_WEB_URL": "https://git.example",
        "GITZETTE_MODEL": stage.model.model,
        "GITZETTE_MODEL_URL": stage.model.url,
    }
    command = [sys.executable, "-m", "gitzette", "run", "--analyst", "model", *repos, *arguments]
    return await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
    )


async def _until_begun(process: Process, folder: Path) -> None:
    """Wait until the run is noted: what comes before is only the start of Python."""
    while process.returncode is None and not any(  # noqa: ASYNC110
        (folder / "home" / "running").glob("*.lock")
    ):
        await asyncio.sleep(_POLL)  # nobody can tell us: it is another process


async def _finished(process: Process) -> tuple[int, str]:
    async with asyncio.timeout(_PATIENCE):
        _, told = await process.communicate()
    return process.returncode or 0, told.decode("utf-8", errors="replace").strip().rpartition("\n")[2]


async def _ended(process: Process) -> None:
    status, told = await _finished(process)
    if status != 0:
        raise StorageError(f"an undisturbed run ended with {status}: {told}")


def _tree(folder: Path) -> Tree:
    """Read every file."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


KILLS = EvalSet("kills", "killed at fifty moments and taken up again", run)
