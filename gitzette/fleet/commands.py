"""The commands `worker` and `schedule`: the Procrastinate queue, its tasks, retries and sweeps."""

import argparse
import asyncio
import logging
import signal
import socket
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any

from agent.domain.base import RepoId
from agent.domain.errors import (
    EXIT_DONE,
    AppError,
    ConfigError,
    InputError,
    MissingPackages,
    StorageError,
    UpstreamError,
)
from agent.settings.values import Settings
from gitzette.fleet.edition_plans import day_window, edition_of, editions_of, missing_days
from gitzette.home_folder import home_of, memory_of
from gitzette.settings_from_arguments import settings_here
from gitzette.terminal_output import say

try:
    import psycopg
    from procrastinate import App, PsycopgConnector, RetryDecision
    from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
    from procrastinate.job_context import JobContext
    from procrastinate.jobs import Job, Status
    from procrastinate.retry import BaseRetryStrategy

    from gitzette.fleet.database_upgrade import check_queue
except ImportError as missing:
    raise MissingPackages("a worker") from missing
from gitzette.fleet.worker_tasks import compose, deliver, plans_of, read_repository, record_failure

COMMON = "common"
DEAD_AFTER = 15.0  # Seconds without a sign of life after which a worker is dead
_HEARTBEAT_SECONDS = 3.0
_SWEEP_SECONDS = 3.0  # Between two looks for dead workers
_PLAN_SECONDS = 60.0  # Between two looks for days that are due
_POLL_SECONDS = 2.0  # Between two looks for tasks, or for a database that is away
_SHUTDOWN_SECONDS = 10.0  # For tasks to end when a worker is stopped
# What a person asks for comes before what the clock asks for.
_PRIORITY_BY_HAND = 10
_PRIORITY_BY_CLOCK = 0
MAX_TRIES = 30
"""Deaths of workers count, too: a task that kills every worker must end. Else it is two hours."""
_MAX_RETRY_SECONDS = 300
_REASON_CHARACTERS = 300
_LOST = (ConnectorException, psycopg.Error, OSError)  # Errors of a database that is away


def worker(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Work on tasks until interrupted; a database that is away for a while is waited for."""
    engine = Engine(settings_here(environ), environ)
    queues = [name for name in (args.queues or COMMON).split(",") if name]

    async def work() -> None:
        sweeping = asyncio.create_task(_repeat(engine.sweep, _SWEEP_SECONDS))
        try:
            await engine.app.run_worker_async(
                queues=[*queues, engine.host_queue],
                concurrency=args.concurrency,
                install_signal_handlers=False,
                shutdown_graceful_timeout=_SHUTDOWN_SECONDS,
                update_heartbeat_interval=_HEARTBEAT_SECONDS,
                fetch_job_polling_interval=_POLL_SECONDS,
            )
        finally:
            sweeping.cancel()

    say(f"worker of {', '.join(queues)}, {args.concurrency} tasks at a time")
    asyncio.run(_run_until_stopped(engine, work))
    return EXIT_DONE


def schedule(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Queue what is due every minute, or list, queue, cancel or retry tasks by hand."""
    settings = settings_here(environ)
    engine = Engine(settings, environ)
    if args.list:
        with memory_of(settings, environ) as memory:
            tasks = memory.fleet.tasks()
        for task in tasks:
            line = f"{task.id}  {task.status:<9}  {task.task:<10}  {task.about}  {task.progress}"
            sys.stdout.write(f"{line.rstrip()}\n")
    elif args.date or args.cancel or args.retry:
        asyncio.run(_schedule_by_hand(engine, settings, args))
    else:
        asyncio.run(_run_until_stopped(engine, lambda: _repeat(engine.plan, _PLAN_SECONDS)))
    return EXIT_DONE


async def _schedule_by_hand(engine: "Engine", settings: Settings, args: argparse.Namespace) -> None:
    async with engine.app.open_async():
        if args.date:
            editions = [args.edition] if args.edition else list(editions_of(settings))
            count = 0
            for name in editions:
                count += await engine.queue_day(name, args.date, _PRIORITY_BY_HAND)
            sys.stdout.write(f"{count} repositories queued\n")
        elif args.cancel:
            await engine.cancel(args.cancel)
        elif args.retry:
            await engine.retry(args.retry)


async def _repeat(work: Callable[[], Awaitable[object]], seconds: float) -> None:
    while True:
        try:
            await work()
        except (AppError, *_LOST) as error:
            say(error)
        await asyncio.sleep(seconds)


async def _run_until_stopped(engine: "Engine", work: Callable[[], Awaitable[None]]) -> None:
    """Do the work until the process is stopped; begin anew whenever the database was away."""
    this_task = asyncio.current_task()
    assert this_task is not None
    for stop_signal in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop_signal, this_task.cancel)
    with suppress(asyncio.CancelledError):
        while not this_task.cancelling():
            try:
                async with engine.app.open_async():
                    await work()
            except _LOST as error:
                say(f"the database is away: {str(error)[:200]}")
            await asyncio.sleep(_POLL_SECONDS)


class Backoff(BaseRetryStrategy):
    """Tries again what may get better, later each time; the rest fails for good."""

    def __init__(self, first_seconds: float, note: Callable[[Job, str], None]) -> None:
        self._first_seconds = first_seconds
        self._note = note  # Stores why a task failed

    def may_retry(self, error: BaseException, job: Job) -> bool:
        """Return True if a task that ended with this error will be tried again."""
        if isinstance(error, asyncio.CancelledError):
            return True  # A worker was stopped: what it leaves is for another one
        if job.attempts >= MAX_TRIES:
            return False
        if isinstance(error, UpstreamError):
            return error.retryable
        # A database that was restarted, or a run whose worker seemed dead and is not.
        return isinstance(error, (StorageError, InputError, *_LOST))

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when to try again, or None; note the reason for people."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        reason = reason_of(exception)
        say(f"{job.task_name} {' '.join(map(str, job.task_kwargs.values()))}: {reason}")
        if not isinstance(exception, (AppError, *_LOST)):
            traceback.print_exception(exception)
        self._note(job, reason)
        if not self.may_retry(exception, job):
            return None
        seconds = min(self._first_seconds * 2**job.attempts, _MAX_RETRY_SECONDS)
        return RetryDecision(retry_in={"seconds": int(seconds) + 1})


def reason_of(error: BaseException) -> str:
    """Return why something failed, in one line; an error of the program has its type in front."""
    reason = " ".join(str(error).split())
    if not isinstance(error, AppError):
        reason = f"{type(error).__name__}: {reason}"
    return reason[:_REASON_CHARACTERS]


class Engine:
    """The queue of all machines, and what this one does with its tasks."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        address = settings.database_address
        if address is None:
            raise ConfigError(
                "workers need a PostgreSQL database: "
                "set database or GITZETTE_DATABASE to postgresql://…"
            )
        editions_of(settings)
        home = home_of(settings, environ)
        check_queue(home, address)
        self._settings = settings
        self._environ = environ
        # The queue of the machines that share this home folder, and with it the mirrors.
        machine = f"{socket.gethostname()} {home.resolve()}"
        self.host_queue = f"place-{sha256(machine.encode()).hexdigest()[:12]}"
        self.app = App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=4))
        self._retry = Backoff(5 * settings.budget.retry_seconds, self._note_reason)
        for function in (self.repository, self.edition, self.delivery):
            register = self.app.task(
                name=function.__name__, queue=COMMON, retry=self._retry, pass_context=True
            )
            register(function)
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)

    async def repository(self, context: JobContext, repo: str, tz: str, day: str) -> None:
        """Read a repository's day; after the last one of an edition, let that be composed."""
        name = RepoId(repo)
        window = day_window(day, tz)
        is_last_try = context.job.attempts >= MAX_TRIES
        say(f"{repo} {day}: reading")
        try:
            await read_repository(self._settings, self._environ, name, window, last=is_last_try)
        except Exception as error:
            # Whatever it is: editions must not wait for a repository that nobody will read again.
            if not self._retry.may_retry(error, context.job):
                await self._give_up(name, tz, day, reason_of(error))
            raise
        say(f"{repo} {day}: done")
        with memory_of(self._settings, self._environ) as memory:
            memory.fleet.put_mirror(self.host_queue, repo)
        await self._compose_if_ready(name, tz, day)

    async def _give_up(self, repo: RepoId, tz: str, day: str, reason: str) -> None:
        """Record that a repository's day failed for good, and let the editions go on without it."""
        record_failure(self._settings, self._environ, repo, day_window(day, tz), reason)
        await self._compose_if_ready(repo, tz, day)

    async def _compose_if_ready(self, repo: RepoId, tz: str, day: str) -> None:
        """Queue the editions with this repository of which every part is read or has failed."""
        ready = []
        with memory_of(self._settings, self._environ) as memory:
            for name, settings in editions_of(self._settings).items():
                if settings.tz != tz or repo not in {spec.name for spec in settings.repos}:
                    continue
                keys = self._part_keys(name, day)
                if len(memory.fleet.statuses(keys)) == len(keys):
                    ready.append(name)
        for name in ready:
            await self._queue_edition(name, day)

    async def edition(self, _: JobContext, edition: str, day: str, late: bool = False) -> None:
        """Compose an edition, and send it on its way."""
        settings = edition_of(self._settings, edition)
        window = day_window(day, settings.tz)
        is_composed = await compose(self._settings, self._environ, edition, window, late=late)
        with memory_of(self._settings, self._environ) as memory:
            is_published = memory.fleet.has_edition(edition, window.key)
        if is_published:
            await self._remove_late_task(edition, day)
        if not is_composed:
            return
        say(f"edition {edition} {day}: published")
        if settings.deliver:
            arguments = {"edition": edition, "day": day}
            await self._defer(
                "delivery", f"delivery {edition}", f"delivery {edition} {day}", arguments
            )

    async def delivery(self, _: JobContext, edition: str, day: str) -> None:
        """Deliver an edition."""
        window = day_window(day, edition_of(self._settings, edition).tz)
        # In a thread: a receiver that keeps us waiting must not stop the worker's signs of life.
        await asyncio.to_thread(deliver, self._settings, self._environ, edition, window)

    @cache  # noqa: B019 -- an engine lives as long as its process
    def _part_keys(self, edition: str, day: str) -> list[str]:
        """Return the keys of the parts of an edition, which takes long where there are many."""
        window = day_window(day, edition_of(self._settings, edition).tz)
        return [plan.key for plan in plans_of(self._settings, edition, window)]

    async def plan(self) -> None:
        """Queue every day that an edition lacks, oldest first, and then delete what is too old."""
        settings = self._settings
        now = datetime.now(UTC)
        with memory_of(settings, self._environ) as memory:
            count = 0
            for name, edition in editions_of(settings).items():
                for day in missing_days(edition, memory.fleet.labels(name), now):
                    count += await self.queue_day(name, day)
            if not count:
                return
            say(f"{count} repositories queued")
            oldest = now - timedelta(days=settings.keep_days)
            memory.retention.forget(oldest.date())
            memory.fleet.forget(oldest)
            memory.run_locks.prune(memory.runs.unfinished(oldest.date()))
        await self.app.job_manager.delete_old_jobs(
            nb_hours=24 * settings.keep_days, include_failed=True
        )

    async def queue_day(self, edition: str, day: str, priority: int = _PRIORITY_BY_CLOCK) -> int:
        """Queue the unread repositories of a day, and the edition for when they are late.

        Return how many repositories were queued.
        """
        settings = edition_of(self._settings, edition)
        if not await self._queue_late_edition(edition, day, settings.late_minutes):
            return 0
        plans = plans_of(self._settings, edition, day_window(day, settings.tz))
        with memory_of(self._settings, self._environ) as memory:
            statuses = memory.fleet.statuses([plan.key for plan in plans])
            unread = [plan.spec.name for plan in plans if plan.key not in statuses]
            fresh = timedelta(seconds=DEAD_AFTER)
            queues = {repo: memory.fleet.place_of(repo, fresh) or COMMON for repo in unread}
        if not unread:
            await self._queue_edition(edition, day)
        count = 0
        for repo in unread:
            arguments = {"repo": str(repo), "tz": settings.tz, "day": day}
            count += await self._defer(
                "repository",
                f"repository {repo}",
                f"{repo} {settings.tz} {day}",
                arguments,
                queue=queues[repo],
                priority=priority,
            )
        return count

    async def _queue_edition(self, edition: str, day: str) -> None:
        name = f"edition {edition} {day}"
        await self._defer("edition", name, f"{name} read", {"edition": edition, "day": day})

    async def _queue_late_edition(self, edition: str, day: str, late_minutes: int) -> bool:
        """Queue the edition for when its repositories are late; return False if it is queued."""
        name = _late_name(edition, day)
        return await self._defer(
            "edition",
            name,
            name,
            {"edition": edition, "day": day, "late": True},
            schedule_at=datetime.now(UTC) + timedelta(minutes=late_minutes),
        )

    async def _remove_late_task(self, edition: str, day: str) -> None:
        """Delete the task that would compose a published edition when it is late."""
        jobs = self.app.job_manager
        waiting: Sequence[Job] = list(
            await jobs.list_jobs_async(
                queueing_lock=_late_name(edition, day), status=Status.TODO.value
            )
        )
        for job in waiting:
            if job.id is not None:
                await jobs.cancel_job_by_id_async(job.id, delete_job=True)

    async def _defer(
        self, task: str, lock: str, queueing_lock: str, arguments: Mapping[str, Any], **options: Any
    ) -> bool:
        """Queue a task unless the same is queued; only one with the same lock runs at a time."""
        deferrer = self.app.configure_task(task, lock=lock, queueing_lock=queueing_lock, **options)
        try:
            await deferrer.defer_async(**arguments)
        except AlreadyEnqueued:
            return False
        return True

    async def cancel(self, task: int) -> None:
        """Cancel a task that waits or runs."""
        if not await self.app.job_manager.cancel_job_by_id_async(task, abort=True):
            raise InputError(f"task {task} cannot be cancelled: it is done, or there is none")
        with memory_of(self._settings, self._environ) as memory:
            memory.fleet.note_reason(task, "cancelled by hand")

    async def retry(self, task: int) -> None:
        """Try a failed task again."""
        try:
            await self.app.job_manager.retry_job_by_id_async(task, datetime.now(UTC))
        except ConnectorException as error:
            raise InputError(f"task {task} cannot be tried again: it did not fail") from error

    def _note_reason(self, job: Job, reason: str) -> None:
        """Store why a task failed, where `schedule --list` finds it."""
        if job.id is None:
            return
        try:
            with memory_of(self._settings, self._environ) as memory:
                memory.fleet.note_reason(job.id, reason)
        except (AppError, *_LOST) as error:
            say(f"the reason cannot be stored: {error}")

    async def sweep(self) -> None:
        """Reassign the tasks of dead workers, and those that wait for a dead machine."""
        jobs = self.app.job_manager
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER):
            about = f"{job.task_name} {job.task_kwargs}: its worker is dead"
            if job.attempts < MAX_TRIES:
                say(f"{about}; queued again")
                # What was begun comes first: it must not wait behind everything else.
                await jobs.retry_job(job, priority=job.priority + 1)
                continue
            say(f"{about}; given up")
            reason = f"its worker died, and it was tried {job.attempts + 1} times"
            await jobs.finish_job(job, Status.FAILED, delete_job=False)
            self._note_reason(job, reason)
            if job.task_name == self.repository.__name__:
                arguments = job.task_kwargs
                repo = RepoId(str(arguments["repo"]))
                await self._give_up(repo, str(arguments["tz"]), str(arguments["day"]), reason)
        with memory_of(self._settings, self._environ) as memory:
            memory.fleet.alive(self.host_queue)
            memory.fleet.move_orphans(COMMON, timedelta(seconds=DEAD_AFTER))


def _late_name(edition: str, day: str) -> str:
    """Return the lock of a late edition.

    It is not that of the edition itself: tasks with the same lock wait for each other in order.
    """
    return f"edition {edition} {day} late"
