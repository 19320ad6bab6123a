"""The command `database upgrade`: migrates the database of several machines."""

import argparse
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from agent.domain.errors import EXIT_DONE, MissingPackages, StorageError, UsageError
from gitzette.settings_from_arguments import settings_here
from memory.protocols import Database
from memory.store import open_database

try:
    from langgraph.checkpoint.postgres import PostgresSaver
    from procrastinate.schema import SchemaManager, migrations_path

    from memory.postgres.database import PostgresDatabase
    from memory.postgres.migrations import upgrade
except ImportError as missing:
    raise MissingPackages("a PostgreSQL database") from missing

_VERSION = "queue schema"


def database(_: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Upgrade memory, checkpoints and queue."""
    address = settings_here(environ).database_address
    if address is None:
        raise UsageError(
            "there is no database to upgrade: set database or GITZETTE_DATABASE to postgresql://…"
        )
    with closing(PostgresDatabase(address)) as db:
        changes = upgrade(db)
        with PostgresSaver.from_conn_string(address) as saver:
            saver.setup()
        with db.transaction():
            db.lock("gitzette database upgrade")
            changes += _upgrade_queue(db)
    sys.stdout.write(f"{changes} changes made\n" if changes else "nothing to do\n")
    return EXIT_DONE


def _upgrade_queue(db: PostgresDatabase) -> int:
    """Create the tables of the queue, or apply the migrations they lack; return how many."""
    version = _queue_version(db)
    files = sorted(migrations_path.glob("*.sql"))
    scripts = [SchemaManager.get_schema()]
    if version:
        scripts = [file.read_text("utf-8") for file in files if file.name > version]
    for script in scripts:
        db.run_script(script)
    newest = max(version, files[-1].name)
    db.upsert("secrets", [{"name": _VERSION, "value": newest}], ("name",))
    return len(scripts)


def check_queue(home: Path, address: str) -> None:
    """Raise a `StorageError` if the queue has another version than the installed packages."""
    with closing(open_database(home, address)) as db:
        version = _queue_version(db)
    newest = max(file.name for file in migrations_path.glob("*.sql"))
    if version < newest:
        raise StorageError(
            "the queue is new or of an earlier version; run: gitzette database upgrade"
        )
    if version > newest:
        raise StorageError("the queue was changed by a newer Gitzette; update this one")


def _queue_version(db: Database) -> str:
    rows = db.select("secrets", ["value"], {"name": _VERSION})
    return str(rows[0][0]) if rows else ""
