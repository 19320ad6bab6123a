"""The one SQLite file: opened with care, migrated forwards, never guessed at."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from sqlite_utils import Database, Migrations

from agent.errors import StorageError

migrations = Migrations("gitzette")
FILE_NAME = "memory.db"


@migrations()
def m001_answers(db: Database) -> None:
    """Remember answers of an API so that an unchanged one is free."""
    db.table("answers").create({"key": str, "value": bytes, "used": str}, pk="key")


@migrations()
def m002_landings(db: Database) -> None:
    """Remember which report each landed commit belongs to, and the branch's tip when it was read."""
    db.table("tips").create(
        {"repo": str, "window": str, "start": str, "end": str, "base": str, "tip": str}, pk=("repo", "window")
    )
    db.table("landed").create(
        {"repo": str, "sha": str, "window": str, "start": str, "end": str, "late": int}, pk=("repo", "sha", "window")
    )


@migrations()
def m003_runs(db: Database) -> None:
    """Remember what was run, when, and how it ended."""
    db.table("runs").create(
        {"id": str, "started": str, "finished": str, "window": str, "status": str, "details": str}, pk="id"
    )


@migrations()
def m004_open_issues(db: Database) -> None:
    """Remember which issues were open, so that only the first run lists them all."""
    db.table("open_issues").create({"repo": str, "number": int, "title": str, "updated": str}, pk=("repo", "number"))


def open_database(home: Path) -> Database:
    """Open the memory under `home`, creating or migrating it; a damaged or newer file is refused and left untouched."""
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        # Ten seconds: a second run of ours holds the file only for moments.
        connection = sqlite3.connect(file, timeout=10)
    except (OSError, sqlite3.Error) as error:
        raise StorageError(f"cannot open {file}: {error}; check the permissions or set GITZETTE_HOME") from error
    return _ready(file, lambda: Database(connection))


def database_in_memory() -> Database:
    """Make a memory that is gone with the process."""
    return _ready(Path(":memory:"), lambda: Database(memory=True))


def _ready(file: Path, connect: Callable[[], Database]) -> Database:
    try:
        db = connect()
        db.execute("PRAGMA schema_version").fetchone()
        _refuse_newer(db, file)
        db.enable_wal()
        migrations.apply(db)
    except sqlite3.DatabaseError as error:
        raise StorageError(
            f"{file} is damaged or locked ({error}); it was left as it is: move it away to start anew"
        ) from error
    return db


def _refuse_newer(db: Database, file: Path) -> None:
    """Stop before touching a file that a later version of Gitzette wrote."""
    ours = {migration.name for migration in migrations.pending(Database(memory=True))}
    if unknown := {migration.name for migration in migrations.applied(db)} - ours:
        raise StorageError(
            f"{file} was written by a newer Gitzette ({min(unknown)}); update Gitzette or move the file away"
        )
