"""Fleet: many repositories on several workers give the report of one machine, whatever dies in between."""

import asyncio
import json
import random
from asyncio.subprocess import Process
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agent.domain.base import RepoId, StorageError
from agent.domain.window import Window
from agent.questions import query_of
from agent.reports.stored import dump
from evals.figures import Figures, Score, Target, measure, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, evalset, serving, start_gitzette
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.postgres import PostgresServer, missing_postgres
from evals.worlds import random_world
from evals.worlds.model import World
from memory.database import Database
from memory.fleet import Fleet
from memory.search import SearchIndex
from memory.store import open_database

_DAY = date(2026, 3, 1)
_WINDOW = Window.days(_DAY, _DAY, "UTC")
_PATIENCE, _POLL, _CONTEXT, _SOON = 3_600, 0.1, 65_536, timedelta(seconds=60)
_MANY, _FEW, _STEPS, _QUESTIONS = 300, 8, 2, 100
_ASKED = ("who did commit-{}?", "branch-{} land", "part1/file{}.txt", "line {} of 7", "revert commit-{}", "#{}")
_RUNNING = "select id from procrastinate_jobs where status = 'doing' and worker_id = ?"
_PAID = "select run || key, at from calls join artefacts using (hash) where kind <> 'outage' and name = 'model.ask'"
_STARTED = "select min(at) from procrastinate_events where job_id = ? and type = 'started' and at > ?"
_SPAN = "select extract(epoch from max(at) - min(at)) from procrastinate_events where type in ('started', 'succeeded')"
# An edition that is composed waits in the queue for the hour at which it would have been late.
_WAITING = "select 1 from procrastinate_jobs where status in ('todo', 'doing') and args->>'late' is null limit 1"
_FAILED = "select task_name from procrastinate_jobs where status not in ('succeeded', 'todo')"
Death = tuple[datetime, list[int], dict[str, str]]
"""When a worker was killed, at which tasks, and which questions to a model were answered until then."""


@dataclass(frozen=True, kw_only=True)
class Drill:
    """What befalls some workers; `outage` is seconds without GitHub after a restart of the database."""

    name: str
    workers: int
    kills: int = 0
    outage: float = 0.0
    limit: tuple[int, int] | None = None  # Requests, and the seconds in which they are counted


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Repositories, a model and a database server on loopback."""

    folder: Path
    world: World
    github: GitHubServer
    model: ModelServer
    postgres: PostgresServer
    scores: dict[str, list[Score]] = field(default_factory=lambda: defaultdict(list))

    async def alone(self) -> str:
        """Report on the day with SQLite."""
        self._configure(Drill(name="alone", workers=1))
        await self._command("alone", "run", "--date", str(_DAY))
        return (self.folder / "alone" / "out" / "reports" / f"{_DAY}.json").read_text("utf-8")

    async def through(self, drill: Drill, expected: str) -> float:
        """Let workers do the same through everything that befalls them; give the seconds that it took."""
        self._configure(drill)
        await asyncio.to_thread(self.postgres.create, drill.name)
        await self._command(drill.name, "database", "upgrade")
        self.github.forget()
        workers: dict[int, Process] = {}
        try:
            with closing(self.database(drill.name)) as db:
                for number in range(drill.workers):
                    await self._worker(drill, workers, number, db)
                await self._command(drill.name, "schedule", "--date", str(_DAY))
                deaths = await self._befall(drill, workers, db)
                await _until(lambda: not db.rows(_WAITING))
                self._judge(drill, db, deaths, expected)
                return float(db.rows(_SPAN)[0][0])
        finally:
            for worker in workers.values():
                with suppress(ProcessLookupError):
                    worker.kill()

    def database(self, name: str) -> Database:
        """Open what a drill left behind."""
        return open_database(self.folder / name / "home-0", None if name == "alone" else self.postgres.address_of(name))

    async def _worker(self, drill: Drill, workers: dict[int, Process], number: int, db: Database) -> None:
        """Start a worker, and learn under which number the queue knows it."""

        def known() -> set[int]:
            return {row[0] for row in db.rows("select id from procrastinate_workers")}

        before = known()
        process = await self._start(drill.name, number, "worker", "--concurrency", "4")
        await _until(lambda: bool(known() - before))
        workers[(known() - before).pop()] = process

    async def _befall(self, drill: Drill, workers: dict[int, Process], db: Database) -> list[Death]:
        """Kill workers at random moments, each with another in its place; restart the database, cut the network."""
        dice, deaths = random.Random(drill.name), list[Death]()  # noqa: S311 -- not a secret
        for number in range(drill.kills):
            await asyncio.sleep(dice.uniform(0.2, 2.0))
            known = dice.choice(sorted(workers))
            tasks = [row[0] for row in db.rows(_RUNNING, [known])]
            workers.pop(known).kill()
            deaths.append((datetime.now(UTC), tasks, dict(db.rows(_PAID))))
            await self._worker(drill, workers, drill.workers + number, db)
        if drill.outage:
            for happens in (self.postgres.stop, self.postgres.start, self.github.cut):
                await asyncio.to_thread(happens)
            await asyncio.sleep(drill.outage)
            await asyncio.to_thread(self.github.mend)
        return deaths

    def _judge(self, drill: Drill, db: Database, deaths: list[Death], expected: str) -> None:
        found, failed, scores = Fleet(db).edition("", _WINDOW.key), db.rows(_FAILED), self.scores
        once = [row[0] for row in db.rows("select count(*) from parts")] == [len(self.world.repos)]
        right = found is not None and dump(found) == expected and once and not failed
        scores["the report of one machine, each repository once"] += [Score(f"{drill.name}: {failed}", right)]
        paid: dict[str, str] = dict(db.rows(_PAID))
        for at, tasks, before in deaths:
            starts = [db.rows(_STARTED, [task, at])[0][0] for task in tasks]
            soon = [Score(f"{start} after {at}", bool(start and start - at <= _SOON)) for start in starts]
            scores["tasks of dead workers taken up within 60 s"] += soon
            again = [key for key, moment in before.items() if paid.get(key, moment) != moment]
            scores["kills after which no recorded answer was paid again"] += [Score(f"{len(again)}", not again)]
        if drill.limit:
            counted, seen = [int(row[0]) for row in db.rows("select used from limits")], len(self.github.requests)
            held = seen <= sum(counted) and max(counted) <= drill.limit[0]
            scores["limits shared by workers that held"] += [Score(f"{seen} requests, counted {counted}", held)]

    def _configure(self, drill: Drill) -> None:
        (self.folder / drill.name).mkdir(parents=True)
        limits = "requests = {}\nrequests_seconds = {}\n".format(*drill.limit) if drill.limit else ""
        (self.folder / drill.name / "gitzette.toml").write_text(
            f"repos = {json.dumps([repo.full_name for repo in self.world.repos])}\n"
            f'analyst = "model"\nlate_minutes = 600\n[limits]\n{limits}'
            f"[budget]\ndeep = 5000\nretry_seconds = 0.2\nwait_seconds = 5\nmodel_calls = 100000\n",
            encoding="utf-8",
        )

    async def _start(self, name: str, number: int, *arguments: str) -> Process:
        folder, more = self.folder / name, {"GITZETTE_HOME": str(self.folder / name / f"home-{number}")}
        more |= {} if name == "alone" else {"GITZETTE_DATABASE": self.postgres.address_of(name)}
        with (folder / "log").open("ab") as log:
            return await start_gitzette(folder, self.github, self.model, *arguments, stderr=log, **more)

    async def _command(self, name: str, *arguments: str) -> None:
        if status := await (await self._start(name, 0, *arguments)).wait():
            raise StorageError(f"{arguments[0]} ended with {status}; see {self.folder / name / 'log'}")


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not true():  # noqa: ASYNC110 -- other processes tell nobody
            await asyncio.sleep(_POLL)


@evalset("fleet", "many repositories on several workers, as on one machine", by_name=True)
async def run(bench: Bench) -> Figures:
    """Report on the same repositories with one machine and with several."""
    if lacking := missing_postgres():
        bench.say(f"fleet: skipped: {lacking}")
        return {}
    folder, seconds = bench.folder / "fleet", dict[str, float]()
    world = random_world.make(bench.seed, folder / "repos", bench.count(_FEW, _MANY), _STEPS)
    with (
        serving(world.repos, world.now) as github,
        ModelServer(honest, context=_CONTEXT, latency=1.0 if bench.full else 0.1) as model,
        PostgresServer() as postgres,
    ):
        stage = Stage(folder=folder, world=world, github=github, model=model, postgres=postgres)
        expected = await stage.alone()
        for drill in _WHOLE if bench.full else _SMALL:
            seconds[drill.name] = await stage.through(drill, expected)
            bench.say(f"fleet: {drill.name}: {seconds[drill.name]:.0f} s")
        same = ask_both(stage, max(seconds))
    told = {name: share(scores, Target(1.0)) for name, scores in stage.scores.items()}
    told["questions with the same evidence first on both databases"] = share(same, Target(0.95))
    if "workers2" in seconds:
        told["two workers against one"] = measure([seconds["workers1"] / seconds["workers2"]], Target(1.7))
    return told


def ask_both(stage: Stage, name: str) -> list[Score]:
    """Ask both databases the same questions, and compare what each puts first."""
    dice, asked, repos = random.Random(name), [], [RepoId(repo.full_name) for repo in stage.world.repos]  # noqa: S311
    with closing(stage.database("alone")) as one, closing(stage.database(name)) as other:
        for number in range(_QUESTIONS):
            query = query_of(dice.choice(_ASKED).format(number), None, "UTC", stage.world.now)
            first = [SearchIndex(db).search(query.words, query.named, repos, None, 1) for db in (one, other)]
            asked.append(Score(query.words, [hit.id for hit in first[0]] == [hit.id for hit in first[1]]))
    return asked


_SMALL = (Drill(name="small", workers=2, kills=2, outage=2, limit=(8, 5)),)
_WHOLE = (
    *(Drill(name=f"workers{count}", workers=count) for count in (1, 2, 4)),
    Drill(name="killed", workers=2, kills=20, outage=60),
    Drill(name="limited", workers=2, limit=(500, 120)),
)
