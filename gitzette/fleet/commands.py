"""The commands `worker` and `schedule`: Procrastinate's queue, its tasks and retries, the sweep for dead workers."""

import argparse
import asyncio
import logging
import signal
import socket
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any

from agent.domain.base import (
    EXIT_DONE,
    AppError,
    ConfigError,
    InputError,
    RepoId,
    StorageError,
    UpstreamError,
)
from agent.settings.values import Settings
from gitzette.arguments import settings_here
from gitzette.fleet.editions import day_window, edition_of, editions_of, missing_days
from gitzette.progress import say
from gitzette.wiring import home_of, memory_of

try:
    import psycopg
    from procrastinate import App, PsycopgConnector, RetryDecision
    from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
    from procrastinate.job_context import JobContext
    from procrastinate.jobs import Job, Status
    from procrastinate.retry import BaseRetryStrategy

    from gitzette.fleet.database_upgrade import check_queue
except ImportError as missing:
    raise ConfigError("workers need more packages: pip install 'gitzette[server]'") from missing
from gitzette.fleet.work import compose, deliver, plans_of, read_repository

COMMON = "common"
DEAD_AFTER = 15.0  # Seconds without a sign of life after which a worker is dead
_HEARTBEAT, _SWEEP, _PLAN = (
    3.0,
    3.0,
    60.0,
)  # Seconds between signs of life, looks for the dead, and plans
_PAUSE, _GRACE = (
    2.0,
    10.0,
)  # Seconds between looks for tasks, and for tasks to end when a worker is stopped
_BY_HAND, _NIGHTLY = (
    10,
    0,
)  # Priorities: what a person asks for comes before what the clock asks for
_MOST_TRIES, _LONGEST_PAUSE = 30, 300
"""Deaths of workers count as tries: a task that kills every worker must end. Without them these are two hours."""
_LOST = (ConnectorException, psycopg.Error, OSError)  # Errors of a database that is away


def worker(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Work on tasks until interrupted; a database that is away for a while is waited for."""
    engine = Engine(settings_here(environ), environ)
    queues = [name for name in (args.queues or COMMON).split(",") if name]

    async def work() -> None:
        sweeping = asyncio.create_task(_repeated(engine.sweep, _SWEEP))
        try:
            await engine.app.run_worker_async(
                queues=[*queues, engine.place],
                concurrency=args.concurrency,
                install_signal_handlers=False,
                shutdown_graceful_timeout=_GRACE,
                update_heartbeat_interval=_HEARTBEAT,
                fetch_job_polling_interval=_PAUSE,
            )
        finally:
            sweeping.cancel()

    say(f"worker of {', '.join(queues)}, {args.concurrency} tasks at a time")
    asyncio.run(_until_stopped(engine, work))
    return EXIT_DONE


def schedule(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Queue what is due, every minute; or a day, a task, once, by hand."""
    settings = settings_here(environ)
    engine = Engine(settings, environ)
    if args.list:
        with memory_of(settings, environ) as memory:
            tasks = memory.fleet.tasks()
        sys.stdout.writelines(
            f"{one.id}  {one.status:<9}  {one.task:<10}  {one.about}  {one.progress}\n"
            for one in tasks
        )
    elif args.date or args.cancel or args.retry:
        asyncio.run(_by_hand(engine, settings, args))
    else:
        asyncio.run(_until_stopped(engine, lambda: _repeated(engine.plan, _PLAN)))
    return EXIT_DONE


async def _by_hand(engine: "Engine", settings: Settings, args: argparse.Namespace) -> None:
    jobs = engine.app.job_manager
    async with engine.app.open_async():
        if args.date:
            names = [args.edition] if args.edition else list(editions_of(settings))
            count = sum([await engine.queue_day(name, args.date, _BY_HAND) for name in names])
            sys.stdout.write(f"{count} repositories queued\n")
        elif args.cancel and not await jobs.cancel_job_by_id_async(args.cancel, abort=True):
            raise InputError(
                f"task {args.cancel} cannot be cancelled: it is done, or there is none"
            )
        elif args.retry:
            try:
                await jobs.retry_job_by_id_async(args.retry, datetime.now(UTC))
            except ConnectorException as error:
                raise InputError(
                    f"task {args.retry} cannot be tried again: it did not fail"
                ) from error


async def _repeated(work: Callable[[], Awaitable[object]], seconds: float) -> None:
    while True:
        try:
            await work()
        except (AppError, *_LOST) as error:
            say(error)
        await asyncio.sleep(seconds)


async def _until_stopped(engine: "Engine", work: Callable[[], Awaitable[None]]) -> None:
    """Do the work until somebody stops the process; whenever the database is away, begin it anew."""
    me = asyncio.current_task()
    assert me is not None
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, me.cancel)
    with suppress(asyncio.CancelledError):
        while not me.cancelling():
            try:
                async with engine.app.open_async():
                    await work()
            except _LOST as error:
                say(f"the database is away: {str(error)[:200]}")
            await asyncio.sleep(_PAUSE)


class Backoff(BaseRetryStrategy):
    """Tries again what may get better, later each time; the rest stays failed, for a person to look at."""

    def __init__(self, first: float) -> None:
        self._first = first

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Decide by the error and by how often it was tried; what a stopped worker leaves is for another one."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        say(f"{job.task_name} {' '.join(map(str, job.task_kwargs.values()))}: {exception}")
        if not isinstance(exception, (AppError, *_LOST)):
            traceback.print_exception(exception)
        passing = isinstance(exception, UpstreamError) and exception.retryable
        # A database that was restarted, or a run whose worker seemed dead and is not.
        passing = passing or isinstance(exception, (StorageError, InputError, *_LOST))
        if not passing or job.attempts >= _MOST_TRIES:
            return None
        return RetryDecision(
            retry_in={"seconds": int(min(self._first * 2**job.attempts, _LONGEST_PAUSE)) + 1}
        )


class Engine:
    """The queue of all machines, and what this one does with its tasks."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        address = settings.database_address
        if address is None:
            raise ConfigError(
                "workers need a PostgreSQL database: set database or GITZETTE_DATABASE to postgresql://…"
            )
        editions_of(settings)
        home = home_of(settings, environ)
        check_queue(home, address)
        self._settings, self._environ = settings, environ
        # The queue of the machines that share this home folder, and with it the mirrors.
        self.place = (
            f"place-{sha256(f'{socket.gethostname()} {home.resolve()}'.encode()).hexdigest()[:12]}"
        )
        self.app = App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=4))
        retry = Backoff(5 * settings.budget.retry_seconds)
        for function in (self.repository, self.edition, self.delivery):
            self.app.task(name=function.__name__, queue=COMMON, retry=retry, pass_context=True)(
                function
            )
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)

    async def repository(self, context: JobContext, repo: str, tz: str, day: str) -> None:
        """Read a repository's day; whoever reads the last one of an edition lets that be composed."""
        window, failed = day_window(day, tz), None
        say(f"{repo} {day}: reading")
        try:
            last = context.job.attempts >= _MOST_TRIES
            await read_repository(self._settings, self._environ, RepoId(repo), window, last=last)
            say(f"{repo} {day}: done")
        except AppError as error:
            failed = error
        with memory_of(self._settings, self._environ) as memory:
            if failed:
                memory.fleet.put_progress(f"{repo} {day}", str(failed)[:200])
            memory.fleet.put_mirror(self.place, repo)
            every = editions_of(self._settings).items()
            mine = [
                name
                for name, one in every
                if one.tz == tz and repo in {spec.name for spec in one.repos}
            ]
            keys = {name: self._keys(name, day) for name in mine}
            ready = [
                name
                for name, parts in keys.items()
                if len(memory.fleet.statuses(parts)) == len(parts)
            ]
        for name in ready:
            lock = f"edition {name} {day}"
            await self._defer("edition", lock, f"{lock} read", {"edition": name, "day": day})
        if failed:
            raise failed

    async def edition(self, _: JobContext, edition: str, day: str, late: bool = False) -> None:
        """Compose an edition, and send it on its way."""
        mine = edition_of(self._settings, edition)
        if not await compose(
            self._settings, self._environ, edition, day_window(day, mine.tz), late=late
        ):
            return
        say(f"edition {edition} {day}: published")
        if mine.deliver:
            about = {"edition": edition, "day": day}
            await self._defer("delivery", f"delivery {edition}", f"delivery {edition} {day}", about)

    async def delivery(self, _: JobContext, edition: str, day: str) -> None:
        """Deliver an edition."""
        window = day_window(day, edition_of(self._settings, edition).tz)
        # In a thread: a receiver that keeps us waiting must not keep the worker from its signs of life.
        await asyncio.to_thread(deliver, self._settings, self._environ, edition, window)

    @cache  # noqa: B019 -- an engine lives as long as its process
    def _keys(self, edition: str, day: str) -> list[str]:
        """Name the parts of an edition: that takes long where there are many."""
        window = day_window(day, edition_of(self._settings, edition).tz)
        return [plan.key for plan in plans_of(self._settings, edition, window)]

    async def plan(self) -> None:
        """Queue every day that an edition lacks, oldest first; whenever that is something, delete what is too old."""
        settings, now = self._settings, datetime.now(UTC)
        with memory_of(settings, self._environ) as memory:
            labels = {name: memory.fleet.labels(name) for name in editions_of(settings)}
            lacking = {
                name: missing_days(one, labels[name], now)
                for name, one in editions_of(settings).items()
            }
            count = sum(
                [await self.queue_day(name, day) for name, days in lacking.items() for day in days]
            )
            if not count:
                return
            say(f"{count} repositories queued")
            before = now - timedelta(days=settings.keep_days)
            memory.retention.forget(before.date())
            memory.fleet.forget(before)
            memory.run_locks.prune(memory.runs.unfinished(before.date()))
        await self.app.job_manager.delete_old_jobs(
            nb_hours=24 * settings.keep_days, include_failed=True
        )

    async def queue_day(self, edition: str, day: str, priority: int = _NIGHTLY) -> int:
        """Queue the repositories of a day, and the edition for when they are late; give how many are new."""
        mine, lock, about = (
            edition_of(self._settings, edition),
            f"edition {edition} {day}",
            {"edition": edition, "day": day},
        )
        late = datetime.now(UTC) + timedelta(minutes=mine.late_minutes)
        # With a lock of its own: tasks with the same one wait for each other in the order of coming.
        if not await self._defer(
            "edition", f"{lock} late", f"{lock} late", about | {"late": True}, schedule_at=late
        ):
            return 0
        with memory_of(self._settings, self._environ) as memory:
            plans = plans_of(self._settings, edition, day_window(day, mine.tz))
            known = memory.fleet.statuses([plan.key for plan in plans])
            todo = [str(plan.spec.name) for plan in plans if plan.key not in known]
            queues = {
                repo: memory.fleet.place_of(repo, timedelta(seconds=DEAD_AFTER)) or COMMON
                for repo in todo
            }
        if not todo:
            await self._defer("edition", lock, f"{lock} read", about)
        queued = 0
        for repo, queue in queues.items():
            once, part = f"{repo} {mine.tz} {day}", {"repo": repo, "tz": mine.tz, "day": day}
            options = {"queue": queue, "priority": priority}
            queued += await self._defer("repository", f"repository {repo}", once, part, **options)
        return queued

    async def _defer(
        self, task: str, lock: str, once: str, arguments: Mapping[str, Any], **options: Any
    ) -> bool:
        """Queue a task unless the same is queued; only one with the same lock runs at a time."""
        try:
            await self.app.configure_task(
                task, lock=lock, queueing_lock=once, **options
            ).defer_async(**arguments)
        except AlreadyEnqueued:
            return False
        return True

    async def sweep(self) -> None:
        """Give the tasks of dead workers to the living, and what waits for a dead place to everybody."""
        jobs = self.app.job_manager
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER):
            often = job.attempts >= _MOST_TRIES
            say(
                f"{job.task_name} {job.task_kwargs}: its worker is dead; {'given up' if often else 'queued again'}"
            )
            if often:
                await jobs.finish_job(job, Status.FAILED, delete_job=False)
            else:
                # What was begun comes before what was not: it must not wait for a place behind all others.
                await jobs.retry_job(job, priority=job.priority + 1)
        with memory_of(self._settings, self._environ) as memory:
            memory.fleet.alive(self.place)
            memory.fleet.move_orphans(COMMON, timedelta(seconds=DEAD_AFTER))
