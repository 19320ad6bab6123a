"""The commands `worker`, `schedule` and `database`."""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta

from agent.domain.base import EXIT_DONE, AppError, ConfigError, InputError, StorageError, UsageError
from agent.settings.values import Settings
from gitzette.arguments import settings_here
from gitzette.fleet.editions import editions_of
from gitzette.wiring import home_of, memory_of
from memory.database import Database

try:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver
    from procrastinate.exceptions import ConnectorException
    from procrastinate.schema import SchemaManager, migrations_path

    from gitzette.fleet.engine import BY_HAND, COMMON, DEAD_AFTER, HEARTBEAT, SWEEP, Engine
    from memory.postgres import PostgresDatabase
except ImportError as missing:
    raise ConfigError("workers need more packages: pip install 'gitzette[server]'") from missing
from memory.store import open_database, upgrade

_PAUSE, _GRACE, _PLANNED_EVERY = 2.0, 10.0, 60.0
_QUEUE_VERSION = "queue schema"


def worker(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Work on tasks until interrupted; a database that is away for a while is waited for."""
    settings = settings_here(environ)
    engine = _engine(settings, environ)
    queues = [name for name in (args.queues or COMMON).split(",") if name]
    options = {
        "queues": [*queues, engine.place],
        "concurrency": args.concurrency,
        "install_signal_handlers": False,
        "shutdown_graceful_timeout": _GRACE,
        "update_heartbeat_interval": HEARTBEAT,
        "stalled_worker_timeout": DEAD_AFTER,
        "fetch_job_polling_interval": _PAUSE,
    }

    async def work() -> None:
        sweeping = asyncio.create_task(_repeated(engine.sweep, SWEEP))
        try:
            await engine.app.run_worker_async(**options)
        finally:
            sweeping.cancel()

    sys.stderr.write(f"gitzette: worker of {', '.join(queues)}, {args.concurrency} tasks at a time\n")
    asyncio.run(_until_stopped(engine, work))
    return EXIT_DONE


def schedule(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Queue what is due, every minute; or a day, a task, once, by hand."""
    settings = settings_here(environ)
    engine = _engine(settings, environ)
    if args.list:
        return _list(settings, environ, as_json=args.json)

    async def by_hand() -> None:
        async with engine.app.open_async():
            if args.date:
                names = [args.edition] if args.edition else list(editions_of(settings))
                count = sum([await engine.queue_day(name, args.date, BY_HAND) for name in names])
                sys.stdout.write(f"{count} repositories queued\n")
            elif args.once:
                sys.stdout.write(f"{await engine.plan(datetime.now(UTC))} repositories queued\n")
            elif args.cancel and not await engine.app.job_manager.cancel_job_by_id_async(args.cancel, abort=True):
                raise InputError(f"task {args.cancel} cannot be cancelled: it is done, or there is none")
            elif args.retry:
                try:
                    await engine.app.job_manager.retry_job_by_id_async(args.retry, datetime.now(UTC))
                except ConnectorException as error:
                    raise InputError(f"task {args.retry} cannot be tried again: it did not fail") from error

    async def plan() -> None:
        await _repeated(lambda: _planned(engine, settings, environ), _PLANNED_EVERY)

    if args.date or args.once or args.cancel or args.retry:
        asyncio.run(by_hand())
    else:
        asyncio.run(_until_stopped(engine, plan))
    return EXIT_DONE


def _engine(settings: Settings, environ: Mapping[str, str]) -> Engine:
    """Open the queue, unless the database is of another version than the installed packages."""
    engine = Engine(settings, environ)
    with closing(open_database(home_of(settings, environ), settings.database_address)) as db:
        known, newest = _queue_version(db), max(file.name for file in migrations_path.glob("*.sql"))
    if known < newest:
        raise StorageError("the queue is new or of an earlier version; run: gitzette database upgrade")
    if known > newest:
        raise StorageError("the queue was changed by a newer Gitzette; update this one")
    return engine


async def _planned(engine: Engine, settings: Settings, environ: Mapping[str, str]) -> None:
    """Queue what is due; whenever that is something, delete what is too old."""
    if count := await engine.plan(datetime.now(UTC)):
        sys.stderr.write(f"gitzette: {count} repositories queued\n")
        before = datetime.now(UTC) - timedelta(days=settings.keep_days)
        with memory_of(settings, environ) as memory:
            memory.retention.forget(before.date())
            memory.fleet.forget(before)
            memory.run_locks.prune(memory.runs.unfinished(before.date()))
        await engine.app.job_manager.delete_old_jobs(nb_hours=24 * settings.keep_days, include_failed=True)


async def _repeated(work: Callable[[], Awaitable[object]], seconds: float) -> None:
    while True:
        try:
            await work()
        except (AppError, ConnectorException, psycopg.Error) as error:
            sys.stderr.write(f"gitzette: {' '.join(str(error).split())}\n")
        await asyncio.sleep(seconds)


async def _until_stopped(engine: Engine, work: Callable[[], Awaitable[None]]) -> None:
    """Do the work until somebody stops the process; whenever the database is away, begin it anew."""
    stopping = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, stopping.set)
    while not stopping.is_set():
        try:
            async with engine.app.open_async():
                working = asyncio.ensure_future(work())
                stopped = asyncio.ensure_future(stopping.wait())
                await asyncio.wait([working, stopped], return_when=asyncio.FIRST_COMPLETED)
                stopped.cancel()
                if not working.done():
                    working.cancel()
                await asyncio.gather(working, return_exceptions=stopping.is_set())
        except (ConnectorException, psycopg.Error, OSError) as error:
            sys.stderr.write(f"gitzette: the database is away: {' '.join(str(error).split())[:200]}\n")
        if not stopping.is_set():
            await asyncio.sleep(_PAUSE)


def _list(settings: Settings, environ: Mapping[str, str], *, as_json: bool) -> int:
    with memory_of(settings, environ) as memory:
        tasks = memory.fleet.tasks()
    if as_json:
        sys.stdout.write(json.dumps([one.__dict__ for one in tasks], indent=1) + "\n")
        return EXIT_DONE
    for one in tasks:
        sys.stdout.write(f"{one.id}  {one.status:<9}  {one.task:<10}  {one.about}  {one.progress}\n")
    return EXIT_DONE


def database(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Bring the database of several machines to the version of today: memory, checkpoints, queue."""
    address = settings_here(environ).database_address
    if address is None:
        raise UsageError("there is no database to upgrade: set database or GITZETTE_DATABASE to postgresql://…")
    with closing(PostgresDatabase(address)) as db:
        changes = upgrade(db, "the database")
        with PostgresSaver.from_conn_string(address) as saver:
            saver.setup()
        with db.transaction():
            db.lock("gitzette database upgrade")
            changes += _upgrade_queue(db)
    sys.stdout.write(f"{changes} changes made\n" if changes else "nothing to do\n")
    return EXIT_DONE


def _queue_version(db: Database) -> str:
    row = db.row("select value from secrets where name = ?", [_QUEUE_VERSION])
    return str(row[0]) if row else ""


def _upgrade_queue(db: PostgresDatabase) -> int:
    """Create the tables of the queue, or run the changes that the installed version of the engine has more."""
    known, files = _queue_version(db), sorted(migrations_path.glob("*.sql"))
    more = [file.read_text("utf-8") for file in files if file.name > known]
    scripts = more if known else [SchemaManager.get_schema()]
    for script in scripts:
        db.run_script(script)
    if scripts:
        db.upsert("secrets", [{"name": _QUEUE_VERSION, "value": files[-1].name}], ("name",))
    return len(scripts)
