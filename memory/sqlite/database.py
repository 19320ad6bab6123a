"""The database in a SQLite file: all operations of the memory, and how the file is opened."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.domain.errors import StorageError
from memory.sqlite.connection import FILE_NAME, SqliteConnection
from memory.sqlite.http_cache import SqliteCache
from memory.sqlite.published_report_index import SqliteReports
from memory.sqlite.recorded_calls import SqliteRecords
from memory.sqlite.runs import SqliteRuns
from memory.sqlite.search import SqliteEvidence, SqliteStatements


class SqliteDatabase(SqliteConnection):
    """A file, or a database that is gone with the process."""

    def __init__(self, file: Path | None = None) -> None:
        super().__init__(file)
        self.runs = SqliteRuns(self)
        self.records = SqliteRecords(self)
        self.cache = SqliteCache(self)
        self.reports = SqliteReports(self)
        self.statements = SqliteStatements(self)
        self.evidence = SqliteEvidence(self)


@contextmanager
def exclusive_file(home: Path) -> Iterator[SqliteDatabase]:
    """Open the file below `home` while no other process creates or upgrades it.

    The folder is made if needed. A damaged file is refused and left as it is.
    """
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(home, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
            db = SqliteDatabase(file)
            try:
                db.open_file(file)
                yield db
            except BaseException:
                db.close()
                raise
        finally:
            os.close(lock)
    except (OSError, sqlite3.OperationalError) as error:
        raise StorageError(
            f"cannot open {file}: {error}; check the permissions or set GITZETTE_HOME"
        ) from error
