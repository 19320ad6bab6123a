"""Model storm: whatever a model and its server do, a run publishes a right report in time and leaks nothing."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.ledger import Depth
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings, SourceChoice
from evals.figures import Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.model_server.honest import honest
from evals.model_server.server import KINDS, ModelServer, Mood
from evals.model_server.talk import Asked
from evals.worlds.model import World
from evals.worlds.worlds import build

_RUNS, _FEW = 200, 16
_CANARY = "sk-canary-5d1c0ffee5d1c0ffee5d1c0ffee"
_ANSWER_SECONDS, _MODEL_SECONDS, _SLACK = 0.5, 8.0, 90.0
_AT_ONCE = 4
_SOURCE: SourceChoice = "git"


@dataclass(frozen=True)
class Weathered:
    """How one run went."""

    seed: int
    wrong: str | None
    leaked: str | None
    accounted: bool
    """Whether the report has words of the model, or says why it has none."""
    seconds: float


async def run(bench: Bench) -> Figures:
    """Report through random mixtures of everything that models and servers do wrong."""
    world = build("demo", 1, bench.folder / "demo")
    calm, _ = await _reported(bench, world, None)
    few = asyncio.Semaphore(_AT_ONCE)

    async def one(seed: int) -> Weathered:
        async with few:
            return await _weathered(bench, world, seed, calm)

    runs = await asyncio.gather(*(one(seed) for seed in range(_FEW if bench.small else _RUNS)))
    right = [Score(f"seed {run.seed}: {run.wrong or 'right'}", float(run.wrong is None)) for run in runs]
    silent = [Score(f"seed {run.seed}: the key stands in {run.leaked}", float(run.leaked is None)) for run in runs]
    wrote = [Score(f"seed {run.seed}: neither words of the model nor why not", float(run.accounted)) for run in runs]
    seconds = [run.seconds for run in runs]
    return {
        "right reports, in time": share(right, Target(1.0)),
        "runs without the key in any file": share(silent, Target(1.0)),
        "runs that say what the model wrote or failed at": share(wrote, Target(1.0)),
        "seconds for a run": measure(seconds, Target(_MODEL_SECONDS + _SLACK, "at most")),
    }


@contextmanager
def _storm(seed: int) -> Iterator[ModelServer]:
    """Serve an honest model in a mixture of moods; each run has its own kinds and its own rate."""
    dice = Random(f"model storm {seed}")  # noqa: S311 -- no secret
    kinds = dice.sample(KINDS, dice.randint(1, len(KINDS)))
    rate = dice.choice((0.2, 0.5, 0.8, 1.0))
    without = tuple(one for one in ("schema", "tools", "stream", "usage") if dice.random() < 0.15)

    def mood(asked: Asked) -> Mood | None:
        roll = Random(f"{seed} {asked.number}")  # noqa: S311 -- no secret
        return Mood(roll.choice(kinds), 2 * _ANSWER_SECONDS) if roll.random() < rate else None

    # Only a model with room to loop is offered tools.
    context = dice.choice((None, 65_536))
    with ModelServer(honest, mood, without=without, context=context) as server:
        yield server


async def _weathered(bench: Bench, world: World, seed: int, calm: Report) -> Weathered:
    began = time.monotonic()
    if seed % 20 == 0:
        bench.say(f"model-storm: run {seed}")
    with _storm(seed) as server:
        try:
            async with asyncio.timeout(_MODEL_SECONDS + _SLACK):
                report, leaked = await _reported(bench, world, server)
        except TimeoutError:
            late = f"did not end in {_MODEL_SECONDS + _SLACK:g} s"
            return Weathered(seed, late, None, accounted=False, seconds=time.monotonic() - began)
    accounts = (report.account, *(section.account for section in report.sections))
    told = any(claim.free for claim in report.claims) or any(one.fallbacks for one in accounts)
    seconds = time.monotonic() - began
    return Weathered(seed, wrong_with(report, calm), leaked, accounted=told, seconds=seconds)


def wrong_with(report: Report, calm: Report) -> str | None:
    """Say what is wrong with a report that a model helped with, held against the one that rules write alone."""
    if report.failures:
        return f"incomplete: {report.failures[0].message}"
    if [row.sha for row in report.ledger] != [row.sha for row in calm.ledger]:
        return "other commits than on a calm day"
    unsound = [claim for claim in report.claims if claim.judgement is None or not claim.judgement.passed]
    if unsound:
        return f"{unsound[0].id} did not pass the gate"
    unread = [claim for claim in report.claims if claim.free and not claim.judged_by]
    if unread:
        return f"{unread[0].id} was read by no judge"
    # How closely something is read is the model's choice; what code says of what it reads anyway is not.
    deep = {f"{row.repo}@{row.sha}" for row in calm.ledger if row.depth is Depth.DEEP}
    facts = {claim.id for claim in calm.claims if set(claim.about) & deep}
    if missing := facts - {claim.id for claim in report.claims}:
        return f"{min(missing)} is not told"
    known = {row.sha for row in calm.ledger}
    strange = [c for c in report.claims if c.free and not {cite.rpartition("@")[2] for cite in commits(c)} <= known]
    return f"{strange[0].id} cites what is not of the day" if strange else None


def commits(claim: Claim) -> list[str]:
    """List the commits that a claim cites; threads may be of any day."""
    return [cite for cite in claim.cites if "@" in cite]


async def _reported(bench: Bench, world: World, server: ModelServer | None) -> tuple[Report, str | None]:
    """Run once in a fresh home, and look through everything that it left behind."""
    day = world.notes["reported day"]
    window = Window.model_validate({"start": f"{day}T00:00:00Z", "end": f"{day}T23:59:59Z", "tz": "UTC"})
    with tempfile.TemporaryDirectory(dir=bench.folder) as name:
        folder = Path(name)
        settings = _settings(world, folder, server)
        report, _ = await bench.system.report(settings, window, {"OPENAI_API_KEY": _CANARY})
        return report, leak_in(folder, _CANARY)


def leak_in(folder: Path, secret: str) -> str | None:
    """Name the first file that holds a secret."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return next((path.name for path in files if secret.encode() in path.read_bytes()), None)


def _settings(world: World, folder: Path, server: ModelServer | None) -> Settings:
    plain = Settings(
        repos=tuple(RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir) for repo in world.repos),
        source=_SOURCE,
        out=folder / "out",
        home=folder / "home",
        budget=Budget(
            deep=8, retry_seconds=0.01, answer_seconds=_ANSWER_SECONDS, model_seconds=_MODEL_SECONDS, model_calls=60
        ),
    )
    if server is None:
        return plain
    return plain.model_copy(update={"analyst": "model", "model": server.model, "model_url": server.url})


MODEL_STORM = EvalSet("model-storm", "right reports in time, whatever a model and its server do", run)
