"""The durable engine: Procrastinate's queue in the same database, its tasks and retries, the sweep for dead workers."""

import asyncio
import hashlib
import logging
import socket
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property, wraps
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector, RetryDecision
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, JobAborted
from procrastinate.job_context import AbortReason, JobContext
from procrastinate.jobs import Job, Status
from procrastinate.retry import BaseRetryStrategy

from agent.domain.base import AppError, ConfigError, RepoId, StorageError
from agent.settings.values import Settings
from gitzette.fleet.editions import day_window, edition_of, editions_of, missing_days
from gitzette.fleet.work import TryAgain, compose, deliver, plans_of, read_repository
from gitzette.wiring import home_of, memory_of

COMMON = "common"
HEARTBEAT, DEAD_AFTER, SWEEP = 5.0, 20.0, 5.0
"""Seconds between signs of life of a worker, after which it counts as dead, and between looks for the dead."""
BY_HAND, NIGHTLY = 10, 0  # Priorities: what a person asks for comes before what the clock asks for
_MOST_TRIES, _LONGEST_PAUSE = 30, 300
"""Deaths of workers count as tries: a task that kills every worker must end. Without them these are two hours."""


class Backoff(BaseRetryStrategy):
    """Tries again what may get better, later each time; the rest stays failed, for a person to look at."""

    def __init__(self, first: float) -> None:
        self._first = first

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Decide by the error and by how often it was tried; what a stopped worker leaves is for another one."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        if not isinstance(exception, TryAgain) or job.attempts >= _MOST_TRIES:
            return None
        return RetryDecision(retry_in={"seconds": int(min(self._first * 2**job.attempts, _LONGEST_PAUSE)) + 1})


class Engine:
    """The queue of all machines, and what this one does with its tasks."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        if settings.database_address is None:
            raise ConfigError("workers need a PostgreSQL database: set database or GITZETTE_DATABASE to postgresql://…")
        editions_of(settings)
        self._settings, self._environ = settings, environ
        self.app = App(connector=PsycopgConnector(conninfo=settings.database_address, min_size=1, max_size=4))
        retry = Backoff(5 * settings.budget.retry_seconds)
        for function in (self.repository, self.edition, self.delivery):
            self.app.task(name=function.__name__, queue=COMMON, retry=retry, pass_context=True)(_guarded(function))
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)

    @cached_property
    def place(self) -> str:
        """The queue of the machines that share this home folder, and with it the mirrors."""
        where = f"{socket.gethostname()} {home_of(self._settings, self._environ).resolve()}"
        return f"place-{hashlib.sha256(where.encode()).hexdigest()[:12]}"

    async def repository(self, context: JobContext, repo: str, tz: str, day: str) -> None:
        """Read a repository's day; whoever reads the last one of an edition lets that be composed."""
        window, last = day_window(day, tz), context.job.attempts >= _MOST_TRIES
        _say(f"{repo} {day}: reading")
        try:
            await read_repository(self._settings, self._environ, RepoId(repo), window, last=last)
            _say(f"{repo} {day}: done")
        except AppError as error:
            _say(f"{repo} {day}: {error}")
            with memory_of(self._settings, self._environ) as memory:
                memory.fleet.put_progress(f"{repo} {day}", str(error)[:200])
            if isinstance(error, TryAgain):
                raise
            await self._compose_if_read(repo, tz, day)
            raise
        await self._compose_if_read(repo, tz, day)

    async def edition(self, context: JobContext, edition: str, day: str, late: bool = False) -> None:
        """Compose an edition, and send it on its way."""
        mine = edition_of(self._settings, edition)
        try:
            published = await compose(self._settings, self._environ, edition, day_window(day, mine.tz), late=late)
        except AppError as error:
            _say(f"edition {edition} {day}: {error}")
            raise TryAgain(str(error)) from error
        if not published:
            return
        _say(f"edition {edition} {day}: published")
        if mine.deliver:
            await self._defer("delivery", f"delivery {edition}", f"delivery {edition} {day}", edition=edition, day=day)

    async def delivery(self, context: JobContext, edition: str, day: str) -> None:
        """Deliver an edition."""
        mine = edition_of(self._settings, edition)
        # In a thread: a receiver that keeps us waiting must not keep the worker from its signs of life.
        await asyncio.to_thread(deliver, self._settings, self._environ, edition, day_window(day, mine.tz))

    async def _compose_if_read(self, repo: str, tz: str, day: str) -> None:
        mine = {name: one for name, one in editions_of(self._settings).items() if one.tz == tz}
        with memory_of(self._settings, self._environ) as memory:
            memory.fleet.put_mirror(self.place, repo)
            keys = {name: self._keys(name, day) for name, one in mine.items() if repo in {s.name for s in one.repos}}
            ready = [name for name, parts in keys.items() if len(memory.fleet.statuses(parts)) == len(parts)]
        for name in ready:
            await self._defer("edition", f"edition {name} {day}", f"edition {name} {day} read", edition=name, day=day)

    @cache  # noqa: B019 -- an engine lives as long as its process
    def _keys(self, edition: str, day: str) -> list[str]:
        """Name the parts of an edition: that takes long where there are many."""
        window = day_window(day, edition_of(self._settings, edition).tz)
        return [plan.key for plan in plans_of(self._settings, edition, window)]

    async def plan(self, now: datetime) -> int:
        """Queue every day that an edition lacks, oldest first; what is queued already stays as it is."""
        with memory_of(self._settings, self._environ) as memory:
            lacking = {
                name: missing_days(mine, memory.fleet.labels(name), now)
                for name, mine in editions_of(self._settings).items()
            }
        return sum([await self.queue_day(name, day) for name, days in lacking.items() for day in days])

    async def queue_day(self, edition: str, day: str, priority: int = NIGHTLY) -> int:
        """Queue the repositories of a day, and the edition for when they are late; give how many are new."""
        mine, queued = edition_of(self._settings, edition), 0
        late = datetime.now(UTC) + timedelta(minutes=mine.late_minutes)
        lock = f"edition {edition} {day}"
        # With a lock of its own: tasks with the same one wait for each other in the order of coming.
        if not await self._defer(
            "edition", f"{lock} late", f"{lock} late", priority=priority, at=late, edition=edition, day=day, late=True
        ):
            return 0
        with memory_of(self._settings, self._environ) as memory:
            plans = plans_of(self._settings, edition, day_window(day, mine.tz))
            known = memory.fleet.statuses([plan.key for plan in plans])
            todo = [plan.spec.name for plan in plans if plan.key not in known]
            places = {repo: memory.fleet.place_of(repo, timedelta(seconds=DEAD_AFTER)) for repo in todo}
        for repo in todo:
            about, once = {"repo": str(repo), "tz": mine.tz, "day": day}, f"{repo} {mine.tz} {day}"
            lock_of, queue = f"repository {repo}", places[repo] or COMMON
            queued += await self._defer("repository", lock_of, once, queue, priority, None, **about)
        if not todo:
            await self._defer("edition", lock, f"{lock} read", edition=edition, day=day)
        return queued

    async def _defer(
        self,
        task: str,
        lock: str,
        once: str,
        queue: str = COMMON,
        priority: int = NIGHTLY,
        at: datetime | None = None,
        **arguments: str | bool,
    ) -> bool:
        """Queue a task unless the same is queued; only one with the same lock runs at a time."""
        try:
            await self.app.configure_task(
                task, lock=lock, queueing_lock=once, queue=queue, priority=priority, schedule_at=at
            ).defer_async(**arguments)
        except AlreadyEnqueued:
            return False
        return True

    async def sweep(self) -> None:
        """Give the tasks of dead workers to the living, and what waits for a dead place to everybody."""
        jobs = self.app.job_manager
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER):
            often = job.attempts >= _MOST_TRIES
            _say(f"{job.task_name} {job.task_kwargs}: its worker is dead; {'given up' if often else 'queued again'}")
            await (jobs.finish_job(job, Status.FAILED, delete_job=False) if often else jobs.retry_job(job))
        with memory_of(self._settings, self._environ) as memory:
            memory.fleet.alive(self.place)
            memory.fleet.move_orphans(COMMON, timedelta(seconds=DEAD_AFTER))


def _guarded(function: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Let a person end a task for good, wait for a database that is away, and show a bug with its traceback."""

    @wraps(function)
    async def run(context: JobContext, **arguments: Any) -> None:
        try:
            await function(context, **arguments)
        except asyncio.CancelledError as stopped:
            if context.abort_reason() is AbortReason.USER_REQUEST:
                raise JobAborted from stopped
            raise
        except (StorageError, ConnectorException, psycopg.Error) as error:
            raise TryAgain(" ".join(str(error).split())) from error
        except BaseException as error:
            if not isinstance(error, AppError):
                traceback.print_exc()
            raise

    return run


def _say(line: str) -> None:
    sys.stderr.write(f"gitzette: {' '.join(line.split())}\n")
    sys.stderr.flush()
