"""Fleet: many repositories on several workers give the report of one machine, whatever fails in between."""

import asyncio
import json
import random
from asyncio.subprocess import Process
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import RepoId
from agent.domain.errors import StorageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.questions_and_replies import Query, query_of
from agent.reports.report_json import dump
from evals.figures import Figures, Score, Target, measure, share
from evals.github_server.app import GitHubServer
from evals.harness import Bench, evalset, serving, start_gitzette
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.postgres import PostgresServer, missing_postgres
from evals.worlds import random_world
from evals.worlds.data_model import World
from memory.fleet import Fleet
from memory.protocols import Database
from memory.search import SearchIndex
from memory.store import open_database

if TYPE_CHECKING:
    # It needs packages that only workers have.
    from memory.postgres.database import PostgresDatabase

_DAY = date(2026, 3, 1)
_WINDOW = Window.days(_DAY, _DAY, "UTC")
_MAX_SECONDS = 1_800  # Of anything that is waited for
_POLL_SECONDS = 0.1
_PROGRESS_SECONDS = 30  # Between two lines about the progress
_CONTEXT = 65_536
_SOON = timedelta(seconds=60)
_MANY_REPOS = 300
_SOME_REPOS = 130
_FEW_REPOS = 8
_STEPS = 1  # Of the history of each repository
_QUESTIONS = 100
_QUESTION_FORMS = (
    "who did commit-{}?",
    "branch-{} land",
    "part1/file{}.txt",
    "line {} of 7",
    "revert commit-{}",
    "#{}",
)
_COMPARED = 20  # The databases rank differently; each must list what the other puts first
_RUNNING_TASKS = "select id from procrastinate_jobs where status = 'doing' and worker_id = %s"
_PAID_ANSWERS = (
    "select run || key, at from calls join artefacts using (hash)"
    " where kind <> 'outage' and name = 'model.ask'"
)
_STARTED = (
    "select min(at) from procrastinate_events where job_id = %s and type = 'started' and at > %s"
)
_SPAN = (
    "select extract(epoch from max(at) - min(at)) from procrastinate_events"
    " where type in ('started', 'succeeded')"
)
_PROGRESS = (
    "select (select count(*) from parts), count(*) from procrastinate_jobs where status = 'doing'"
)
# A composed edition waits in the queue for the hour at which it would have been late.
_WAITING = (
    "select 1 from procrastinate_jobs"
    " where status in ('todo', 'doing') and args->>'late' is null limit 1"
)
_FAILED = "select task_name from procrastinate_jobs where status not in ('succeeded', 'todo')"
_WORKERS = "select id from procrastinate_workers"
_ONCE = "the report of one machine, each repository once"
_RESUMED = "tasks of dead workers taken up within 60 s"
_NOT_PAID_AGAIN = "kills after which no recorded answer was paid again"
_LIMITS_HELD = "limits shared by workers that held"
Scores = defaultdict[str, list[Score]]


class Death(NamedTuple):
    """The death of a worker: its time, its tasks, and the answers of a model until then."""

    at: datetime
    tasks: list[int]
    answers: dict[str, str]


class RequestLimit(NamedTuple):
    """The number of requests that are allowed in some seconds."""

    requests: int
    seconds: int


@dataclass(frozen=True, kw_only=True)
class Drill:
    """The faults that some workers meet."""

    name: str
    workers: int
    repos: int = _SOME_REPOS
    latency: float = 0.0  # Seconds in which the model answers
    kills: int = 0
    outage: float = 0.0  # Seconds without GitHub, after a restart of the database
    limit: RequestLimit | None = None


@dataclass(frozen=True, kw_only=True)
class FleetStage:
    """Repositories and a database server on loopback."""

    folder: Path
    world: World
    github: GitHubServer
    postgres: PostgresServer
    say: Callable[[str], None]
    scores: Scores = field(default_factory=lambda: defaultdict(list))
    expected: dict[int, str] = field(default_factory=dict)
    """The report of one machine, by the number of repositories."""

    async def alone(self, repos: int) -> None:
        """Report on the day with SQLite."""
        name = f"alone{repos}"
        started = datetime.now(UTC)
        self._configure(Drill(name=name, workers=1, repos=repos))
        with ModelServer(honest, context=_CONTEXT) as model:
            await self._command(name, model, "run", "--date", str(_DAY))
        report = self.folder / name / "out" / "reports" / f"{_DAY}.json"
        self.expected[repos] = report.read_text("utf-8")
        seconds = (datetime.now(UTC) - started).seconds
        self.say(f"fleet: {repos} repositories on one machine: {seconds} s")

    async def through(self, drill: Drill) -> float:
        """Have workers do the same through a drill; return the seconds that it took."""
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
                    deaths = await self._disturb(drill, model, workers, db)
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
        """Open the database of a drill."""
        address = None if name.startswith("alone") else self.postgres.address_of(name)
        return open_database(self.folder / name / "home-0", address)

    async def _until(
        self, drill: Drill, db: "PostgresDatabase", is_done: Callable[[], bool]
    ) -> None:
        """Wait until something is done, and report the progress from time to time."""
        async with asyncio.timeout(_MAX_SECONDS):
            for number in count(1):
                if is_done():
                    return
                if number % int(_PROGRESS_SECONDS / _POLL_SECONDS) == 0:
                    done, running = db.rows(_PROGRESS)[0]
                    progress = f"{done} of {drill.repos} repositories, {running} tasks run"
                    self.say(f"fleet: {drill.name}: {progress}")
                await asyncio.sleep(_POLL_SECONDS)

    async def _worker(
        self,
        drill: Drill,
        model: ModelServer,
        workers: dict[int, Process],
        number: int,
        db: "PostgresDatabase",
    ) -> None:
        """Start a worker, and keep it by the id that it has in the queue."""

        def worker_ids() -> set[int]:
            return {row[0] for row in db.rows(_WORKERS)}

        before = worker_ids()
        process = await self._start(drill.name, model, number, "worker", "--concurrency", "4")
        await self._until(drill, db, lambda: bool(worker_ids() - before))
        workers[(worker_ids() - before).pop()] = process

    async def _disturb(
        self, drill: Drill, model: ModelServer, workers: dict[int, Process], db: "PostgresDatabase"
    ) -> list[Death]:
        """Kill workers at random moments and replace each; halfway, cut all of them off."""
        dice = random.Random(drill.name)  # noqa: S311 -- not a secret
        deaths: list[Death] = []
        for number in range(drill.kills):
            if drill.outage and number == drill.kills // 2:
                await self._cut_off(drill)
            await asyncio.sleep(dice.uniform(0.5, 4.0))
            worker_id = dice.choice(sorted(workers))
            tasks = [row[0] for row in db.rows(_RUNNING_TASKS, [worker_id])]
            workers.pop(worker_id).kill()
            deaths.append(Death(datetime.now(UTC), tasks, dict(db.rows(_PAID_ANSWERS))))
            killed = f"worker {number + 1} of {drill.kills} killed at {len(tasks)} tasks"
            self.say(f"fleet: {drill.name}: {killed}")
            await self._worker(drill, model, workers, drill.workers + number, db)
        return deaths

    async def _cut_off(self, drill: Drill) -> None:
        """Restart the database, and take GitHub away for a while."""
        await asyncio.to_thread(self.postgres.stop)
        await asyncio.to_thread(self.postgres.start)
        await asyncio.to_thread(self.github.cut)
        await asyncio.sleep(drill.outage)
        await asyncio.to_thread(self.github.mend)
        outage = f"the database was restarted, and GitHub away for {drill.outage:.0f} s"
        self.say(f"fleet: {drill.name}: {outage}")

    def _judge(self, drill: Drill, db: "PostgresDatabase", deaths: list[Death]) -> None:
        """Score a drill, and say how it went."""
        scores: Scores = defaultdict(list)
        scores[_ONCE].append(self._edition_score(drill, db))
        answers: dict[str, str] = dict(db.rows(_PAID_ANSWERS))
        for death in deaths:
            scores[_RESUMED] += _resumption_scores(death, db)
            scores[_NOT_PAID_AGAIN].append(_payment_score(death, answers))
        if drill.limit:
            scores[_LIMITS_HELD].append(self._limit_score(drill.limit, db))
        for name, drill_scores in scores.items():
            self.scores[name] += drill_scores
            right = sum(bool(score.value) for score in drill_scores)
            wrong = "".join(f"; {score.reason}" for score in drill_scores if not score.value)
            self.say(f"fleet: {drill.name}: {name}: {right} of {len(drill_scores)}{wrong}")

    def _edition_score(self, drill: Drill, db: "PostgresDatabase") -> Score:
        """Score the edition: 1 if it is that of one machine, with each repository once."""
        edition = Fleet(db).edition("", _WINDOW.key)
        failed = db.rows(_FAILED)
        parts = int(db.rows("select count(*) from parts")[0][0])
        different = ["no edition"]
        if edition:
            different = _different_repos(dump(edition), self.expected[drill.repos])
        reason = f"{parts} parts, failed {failed}, not as on one machine: {different}"
        right = not different and parts == drill.repos and not failed
        return Score(f"{drill.name}: {reason}", right)

    def _limit_score(self, limit: RequestLimit, db: "PostgresDatabase") -> Score:
        counted = [int(row[0]) for row in db.rows("select used from limits")]
        seen = len(self.github.requests)
        held = seen <= sum(counted) and max(counted) <= limit.requests
        return Score(f"{seen} requests, counted {counted}", held)

    def _configure(self, drill: Drill) -> None:
        folder = self.folder / drill.name
        folder.mkdir(parents=True)
        repos = [repo.full_name for repo in self.world.repos[: drill.repos]]
        lines = [
            f"repos = {json.dumps(repos)}",
            'analyst = "model"',
            "late_minutes = 600",
            "[limits]",
        ]
        if drill.limit:
            lines.append(f"requests = {drill.limit.requests}")
            lines.append(f"requests_seconds = {drill.limit.seconds}")
        lines += [
            "[budget]",
            "deep = 5000",
            "retry_seconds = 0.2",
            "wait_seconds = 5",
            "model_calls = 100000",
        ]
        (folder / "gitzette.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    async def _start(self, name: str, model: ModelServer, number: int, *arguments: str) -> Process:
        folder = self.folder / name
        variables = {"GITZETTE_HOME": str(folder / f"home-{number}")}
        if not name.startswith("alone"):
            variables["GITZETTE_DATABASE"] = self.postgres.address_of(name)
        with (folder / "log").open("ab") as log:
            return await start_gitzette(
                folder, self.github, model, *arguments, stderr=log, **variables
            )

    async def _command(self, name: str, model: ModelServer, *arguments: str) -> None:
        process = await self._start(name, model, 0, *arguments)
        status = await process.wait()
        if status:
            log = self.folder / name / "log"
            raise StorageError(f"{arguments[0]} ended with {status}; see {log}")


def _resumption_scores(death: Death, db: "PostgresDatabase") -> Iterator[Score]:
    """Score each task of a killed worker by whether another one soon started it again."""
    for task in death.tasks:
        started = db.rows(_STARTED, [task, death.at])[0][0]
        soon = bool(started and started - death.at <= _SOON)
        yield Score(f"{started} after {death.at}", soon)


def _payment_score(death: Death, answers: Mapping[str, str]) -> Score:
    """Score a kill: 1 if no answer that was recorded before it was bought again."""
    paid_again = [key for key, at in death.answers.items() if answers.get(key, at) != at]
    return Score(f"{len(paid_again)}", not paid_again)


def _different_repos(report: str, expected: str) -> list[str]:
    """Return the repositories of which two reports do not say the same."""
    if report == expected:
        return []
    claims = _repos_by_claim(report)
    expected_claims = _repos_by_claim(expected)
    repos = claims | expected_claims
    different = {str(repos[claim]) for claim in claims.keys() ^ expected_claims.keys()}
    return sorted(different) or ["something else"]


def _repos_by_claim(report: str) -> dict[str, str | None]:
    return {json.dumps(claim): claim["repo"] for claim in json.loads(report)["claims"]}


@evalset("fleet", "many repositories on several workers, as on one machine", by_name=True)
async def run(bench: Bench) -> Figures:
    """Report on the same repositories with one machine and with several."""
    lacking = missing_postgres()
    if lacking:
        bench.say(f"fleet: skipped: {lacking}")
        return {}
    folder = bench.folder / "fleet"
    drills = _FULL_DRILLS if bench.full else _SMALL_DRILLS
    most_repos = max(drill.repos for drill in drills)
    world = random_world.make(bench.seed, folder / "repos", most_repos, _STEPS)
    seconds: dict[str, float] = {}
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
                speedup = seconds["workers1"] / seconds["workers2"]
                bench.say(f"fleet: two workers against one: {speedup:.2f} times")
        agreement = ask_both(stage, drills[-1])
    figures = {name: share(scores) for name, scores in stage.scores.items()}
    figures["questions whose best evidence both databases find"] = share(agreement, Target(0.95))
    if "workers2" in seconds:
        speedup = seconds["workers1"] / seconds["workers2"]
        figures["two workers against one"] = measure([speedup], Target(1.7))
    return figures


def ask_both(stage: FleetStage, drill: Drill) -> list[Score]:
    """Ask both databases the same questions: each must find what the other puts first."""
    dice = random.Random(drill.name)  # noqa: S311 -- not a secret
    repos = [RepoId(repo.full_name) for repo in stage.world.repos[: drill.repos]]
    scores = []
    with (
        closing(stage.database(f"alone{drill.repos}")) as sqlite,
        closing(stage.database(drill.name)) as postgres,
    ):
        for number in range(_QUESTIONS):
            text = dice.choice(_QUESTION_FORMS).format(number)
            query = query_of(text, None, "UTC", stage.world.now)
            in_sqlite = _search(sqlite, query, repos)
            in_postgres = _search(postgres, query, repos)
            agree = set(in_sqlite[:1]) <= set(in_postgres) and set(in_postgres[:1]) <= set(
                in_sqlite
            )
            scores.append(Score(query.words, float(agree)))
    return scores


def _search(db: Database, query: Query, repos: Sequence[RepoId]) -> list[EvidenceId]:
    hits = SearchIndex(db).search(query.words, query.named, repos, None, _COMPARED)
    return [hit.id for hit in hits]


_SMALL_DRILLS = (
    Drill(
        name="small",
        workers=2,
        repos=_FEW_REPOS,
        latency=0.1,
        kills=2,
        outage=2,
        limit=RequestLimit(8, 5),
    ),
)
_FULL_DRILLS = (
    Drill(name="killed", workers=2, latency=0.3, kills=20, outage=60),
    Drill(name="limited", workers=2, limit=RequestLimit(500, 120)),
    Drill(name="workers2", workers=2, repos=_MANY_REPOS, latency=1),
    Drill(name="workers1", workers=1, repos=_MANY_REPOS, latency=1),
    Drill(name="workers4", workers=4, repos=_MANY_REPOS, latency=1),
)
