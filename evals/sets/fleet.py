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
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

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
from memory.fleet import Fleet
from memory.operations import Database
from memory.search import SearchIndex
from memory.store import open_database

if TYPE_CHECKING:
    # It needs packages that only workers have.
    from memory.postgres.database import PostgresDatabase

_DAY = date(2026, 3, 1)
_WINDOW = Window.days(_DAY, _DAY, "UTC")
_PATIENCE, _POLL, _TELL, _CONTEXT, _SOON = 1_800, 0.1, 30, 65_536, timedelta(seconds=60)
_MANY, _SOME, _FEW, _STEPS, _QUESTIONS = 300, 130, 8, 1, 100
_ASKED = (
    "who did commit-{}?",
    "branch-{} land",
    "part1/file{}.txt",
    "line {} of 7",
    "revert commit-{}",
    "#{}",
)
_COMPARED = 20  # The databases rank in their own ways; what one puts first the other must list
_RUNNING = "select id from procrastinate_jobs where status = 'doing' and worker_id = %s"
_PAID = "select run || key, at from calls join artefacts using (hash) where kind <> 'outage' and name = 'model.ask'"
_STARTED = (
    "select min(at) from procrastinate_events where job_id = %s and type = 'started' and at > %s"
)
_SPAN = "select extract(epoch from max(at) - min(at)) from procrastinate_events where type in ('started', 'succeeded')"
_DONE = (
    "select (select count(*) from parts), count(*) from procrastinate_jobs where status = 'doing'"
)
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
    repos: int = _SOME
    latency: float = 0.0  # Seconds in which the model answers
    kills: int = 0
    outage: float = 0.0
    limit: tuple[int, int] | None = None  # Requests, and the seconds in which they are counted


@dataclass(frozen=True, kw_only=True)
class FleetStage:
    """Repositories and a database server on loopback."""

    folder: Path
    world: World
    github: GitHubServer
    postgres: PostgresServer
    say: Callable[[str], None]
    scores: dict[str, list[Score]] = field(default_factory=lambda: defaultdict(list))
    expected: dict[int, str] = field(
        default_factory=dict
    )  # The report of one machine on so many repositories

    async def alone(self, repos: int) -> None:
        """Report on the day with SQLite."""
        name, began = f"alone{repos}", datetime.now(UTC)
        self._configure(Drill(name=name, workers=1, repos=repos))
        with ModelServer(honest, context=_CONTEXT) as model:
            await self._command(name, model, "run", "--date", str(_DAY))
        self.expected[repos] = (self.folder / name / "out" / "reports" / f"{_DAY}.json").read_text(
            "utf-8"
        )
        self.say(
            f"fleet: {repos} repositories on one machine: {(datetime.now(UTC) - began).seconds} s"
        )

    async def through(self, drill: Drill) -> float:
        """Let workers do the same through everything that befalls them; give the seconds that it took."""
        self._configure(drill)
        await asyncio.to_thread(self.postgres.create, drill.name)
        workers: dict[int, Process] = {}
        with ModelServer(honest, context=_CONTEXT, latency=drill.latency) as model:
            try:
                await self._command(drill.name, model, "database", "upgrade")
                self.github.forget()
                with closing(self._workers_database(drill)) as db:
                    for number in range(drill.workers):
                        await self._worker(drill, model, workers, number, db)
                    await self._command(drill.name, model, "schedule", "--date", str(_DAY))
                    deaths = await self._befall(drill, model, workers, db)
                    await self._until(drill, db, lambda: not db.rows(_WAITING))
                    self._judge(drill, db, deaths)
                    return float(db.rows(_SPAN)[0][0])
            finally:
                for worker in workers.values():
                    with suppress(ProcessLookupError):
                        worker.kill()

    def _workers_database(self, drill: Drill) -> "PostgresDatabase":
        from memory.postgres.database import open_postgres

        return open_postgres(self.postgres.address_of(drill.name))

    def database(self, name: str) -> Database:
        """Open what a drill left behind."""
        address = None if name.startswith("alone") else self.postgres.address_of(name)
        return open_database(self.folder / name / "home-0", address)

    async def _until(self, drill: Drill, db: "PostgresDatabase", true: Callable[[], bool]) -> None:
        """Wait until something is so, and tell every now and then how far it is."""
        async with asyncio.timeout(_PATIENCE):
            for number in count(1):
                if true():
                    return
                if number % int(_TELL / _POLL) == 0:
                    done, doing = db.rows(_DONE)[0]
                    self.say(
                        f"fleet: {drill.name}: {done} of {drill.repos} repositories, {doing} tasks run"
                    )
                await asyncio.sleep(_POLL)

    async def _worker(
        self,
        drill: Drill,
        model: ModelServer,
        workers: dict[int, Process],
        number: int,
        db: "PostgresDatabase",
    ) -> None:
        """Start a worker, and learn under which number the queue knows it."""

        def known() -> set[int]:
            return {row[0] for row in db.rows("select id from procrastinate_workers")}

        before = known()
        process = await self._start(drill.name, model, number, "worker", "--concurrency", "4")
        await self._until(drill, db, lambda: bool(known() - before))
        workers[(known() - before).pop()] = process

    async def _befall(
        self, drill: Drill, model: ModelServer, workers: dict[int, Process], db: "PostgresDatabase"
    ) -> list[Death]:
        """Kill workers at random moments, each with another in its place; in between cut them off for a while."""
        dice, deaths = random.Random(drill.name), list[Death]()  # noqa: S311 -- not a secret
        for number in range(drill.kills):
            if drill.outage and number == drill.kills // 2:
                for happens in (self.postgres.stop, self.postgres.start, self.github.cut):
                    await asyncio.to_thread(happens)
                await asyncio.sleep(drill.outage)
                await asyncio.to_thread(self.github.mend)
                self.say(
                    f"fleet: {drill.name}: the database was restarted, and GitHub away for {drill.outage:.0f} s"
                )
            await asyncio.sleep(dice.uniform(0.5, 4.0))
            known = dice.choice(sorted(workers))
            tasks = [row[0] for row in db.rows(_RUNNING, [known])]
            workers.pop(known).kill()
            deaths.append((datetime.now(UTC), tasks, dict(db.rows(_PAID))))
            self.say(
                f"fleet: {drill.name}: worker {number + 1} of {drill.kills} killed at {len(tasks)} tasks"
            )
            await self._worker(drill, model, workers, drill.workers + number, db)
        return deaths

    def _judge(self, drill: Drill, db: "PostgresDatabase", deaths: list[Death]) -> None:
        found, failed, scores = (
            Fleet(db).edition("", _WINDOW.key),
            db.rows(_FAILED),
            defaultdict[str, list[Score]](list),
        )
        parts = int(db.rows("select count(*) from parts")[0][0])
        other = _different(dump(found), self.expected[drill.repos]) if found else ["no edition"]
        told = f"{drill.name}: {parts} parts, failed {failed}, not as on one machine: {other}"
        right = not other and parts == drill.repos and not failed
        scores["the report of one machine, each repository once"] += [Score(told, right)]
        paid: dict[str, str] = dict(db.rows(_PAID))
        for at, tasks, before in deaths:
            starts = [db.rows(_STARTED, [task, at])[0][0] for task in tasks]
            soon = [
                Score(f"{start} after {at}", bool(start and start - at <= _SOON))
                for start in starts
            ]
            scores["tasks of dead workers taken up within 60 s"] += soon
            again = [key for key, moment in before.items() if paid.get(key, moment) != moment]
            scores["kills after which no recorded answer was paid again"] += [
                Score(f"{len(again)}", not again)
            ]
        if drill.limit:
            counted, seen = (
                [int(row[0]) for row in db.rows("select used from limits")],
                len(self.github.requests),
            )
            held = seen <= sum(counted) and max(counted) <= drill.limit[0]
            scores["limits shared by workers that held"] += [
                Score(f"{seen} requests, counted {counted}", held)
            ]
        for name, some in scores.items():
            self.scores[name] += some
            wrong = "".join(f"; {one.reason}" for one in some if not one.value)
            self.say(
                f"fleet: {drill.name}: {name}: {sum(map(bool, (one.value for one in some)))} of {len(some)}{wrong}"
            )

    def _configure(self, drill: Drill) -> None:
        (self.folder / drill.name).mkdir(parents=True)
        limits = (
            "requests = {}\nrequests_seconds = {}\n".format(*drill.limit) if drill.limit else ""
        )
        (self.folder / drill.name / "gitzette.toml").write_text(
            f"repos = {json.dumps([repo.full_name for repo in self.world.repos[: drill.repos]])}\n"
            f'analyst = "model"\nlate_minutes = 600\n[limits]\n{limits}'
            f"[budget]\ndeep = 5000\nretry_seconds = 0.2\nwait_seconds = 5\nmodel_calls = 100000\n",
            encoding="utf-8",
        )

    async def _start(self, name: str, model: ModelServer, number: int, *arguments: str) -> Process:
        folder, more = (
            self.folder / name,
            {"GITZETTE_HOME": str(self.folder / name / f"home-{number}")},
        )
        more |= (
            {}
            if name.startswith("alone")
            else {"GITZETTE_DATABASE": self.postgres.address_of(name)}
        )
        with (folder / "log").open("ab") as log:
            return await start_gitzette(folder, self.github, model, *arguments, stderr=log, **more)

    async def _command(self, name: str, model: ModelServer, *arguments: str) -> None:
        if status := await (await self._start(name, model, 0, *arguments)).wait():
            raise StorageError(
                f"{arguments[0]} ended with {status}; see {self.folder / name / 'log'}"
            )


def _different(found: str, expected: str) -> list[str]:
    """Name the repositories of which two reports do not say the same."""
    if found == expected:
        return []
    said = [
        {json.dumps(one): one["repo"] for one in json.loads(text)["claims"]}
        for text in (found, expected)
    ]
    return sorted({str((said[0] | said[1])[one]) for one in said[0].keys() ^ said[1].keys()}) or [
        "something else"
    ]


@evalset("fleet", "many repositories on several workers, as on one machine", by_name=True)
async def run(bench: Bench) -> Figures:
    """Report on the same repositories with one machine and with several."""
    if lacking := missing_postgres():
        bench.say(f"fleet: skipped: {lacking}")
        return {}
    folder, seconds, drills = (
        bench.folder / "fleet",
        dict[str, float](),
        _WHOLE if bench.full else _SMALL,
    )
    world = random_world.make(
        bench.seed, folder / "repos", max(drill.repos for drill in drills), _STEPS
    )
    with serving(world.repos, world.now) as github, PostgresServer() as postgres:
        stage = FleetStage(
            folder=folder, world=world, github=github, postgres=postgres, say=bench.say
        )
        for drill in drills:
            if drill.repos not in stage.expected:
                await stage.alone(drill.repos)
            seconds[drill.name] = await stage.through(drill)
            bench.say(f"fleet: {drill.name}: {seconds[drill.name]:.0f} s")
            if drill.name == "workers1":
                bench.say(
                    f"fleet: two workers against one: {seconds['workers1'] / seconds['workers2']:.2f} times"
                )
        same = ask_both(stage, drills[-1])
    told = {name: share(scores, Target(1.0)) for name, scores in stage.scores.items()}
    told["questions whose best evidence both databases find"] = share(same, Target(0.95))
    if "workers2" in seconds:
        told["two workers against one"] = measure(
            [seconds["workers1"] / seconds["workers2"]], Target(1.7)
        )
    return told


def ask_both(stage: FleetStage, drill: Drill) -> list[Score]:
    """Ask both databases the same questions: each must find what the other puts first."""
    dice, asked = random.Random(drill.name), []  # noqa: S311 -- not a secret
    repos = [RepoId(repo.full_name) for repo in stage.world.repos[: drill.repos]]
    with (
        closing(stage.database(f"alone{drill.repos}")) as one,
        closing(stage.database(drill.name)) as other,
    ):
        for number in range(_QUESTIONS):
            query = query_of(dice.choice(_ASKED).format(number), None, "UTC", stage.world.now)
            found = []
            for db in (one, other):
                hits = SearchIndex(db).search(query.words, query.named, repos, None, _COMPARED)
                found.append([hit.id for hit in hits])
            in_sqlite, in_postgres = found
            agree = {*in_sqlite[:1]} <= {*in_postgres} and {*in_postgres[:1]} <= {*in_sqlite}
            asked.append(Score(query.words, float(agree)))
    return asked


_SMALL = (Drill(name="small", workers=2, repos=_FEW, latency=0.1, kills=2, outage=2, limit=(8, 5)),)
_WHOLE = (
    Drill(name="killed", workers=2, latency=0.3, kills=20, outage=60),
    Drill(name="limited", workers=2, limit=(500, 120)),
    *(
        Drill(name=f"workers{number}", workers=number, repos=_MANY, latency=1)
        for number in (2, 1, 4)
    ),
)
