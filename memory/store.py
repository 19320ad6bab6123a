"""The memory as one store: opened below a home folder or in PostgreSQL, with all of its parts."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.errors import StorageError
from memory.evidence import EvidenceStore
from memory.http_cache import HttpCache
from memory.landing_owners import Landings
from memory.open_issues import OpenIssues
from memory.probed_model_servers import ModelServers
from memory.protocols import Database
from memory.published_report_index import Reports
from memory.published_statements import Statements
from memory.recorder import CallRecorder, Retention
from memory.runs import RunFiles, RunLocks, Runs
from memory.search import SearchIndex
from memory.sqlite.database import SqliteDatabase, exclusive_file
from memory.sqlite.migrations import upgrade
from memory.stories import Stories

if TYPE_CHECKING:
    from memory.fleet import Fleet


def open_database(home: Path, address: str | None = None) -> Database:
    """Open the file below `home`, made or upgraded as needed, or the PostgreSQL database.

    A database that many machines share is upgraded by hand: then nobody is surprised by a newer
    machine.
    """
    if address is not None:
        from memory.postgres.database import open_postgres

        return open_postgres(address)
    with exclusive_file(home) as db:
        upgrade(db)
        return db


def check_database(home: Path, address: str | None = None) -> None:
    """Raise StorageError if the memory cannot be opened or is damaged."""
    with closing(open_database(home, address)) as db:
        db.check()


def database_in_memory() -> SqliteDatabase:
    """Return a memory that is gone with the process."""
    db = SqliteDatabase()
    upgrade(db)
    return db


class Memory:
    """The parts of the memory, each with an interface of its own."""

    def __init__(self, db: Database, home: Path, today: date) -> None:
        self._db = db
        self.http_cache = HttpCache(db, today)
        self.model_servers = ModelServers(self.http_cache, today)
        self.reports = Reports(db)
        self.landings = Landings(db)
        self.issues = OpenIssues(db)
        self.statements = Statements(db)
        self.stories = Stories(db)
        self.evidence = EvidenceStore(db)
        self.search = SearchIndex(db)
        self.runs = Runs(db)
        self.run_locks = run_locks(db, home)
        self.run_files = RunFiles(home)
        self.retention = Retention(db)
        # Opens the record of a run by its id; `play_only=True` to replay it.
        self.recorder = partial(CallRecorder, db)

    @cached_property
    def fleet(self) -> "Fleet":
        """The tables that workers share; they need a PostgreSQL database."""
        if isinstance(self._db, SqliteDatabase):
            raise StorageError(
                "workers need a PostgreSQL database: set database or GITZETTE_DATABASE"
            )
        from memory.fleet import Fleet
        from memory.postgres.database import PostgresDatabase

        assert isinstance(self._db, PostgresDatabase)
        return Fleet(self._db)


def run_locks(db: Database, home: Path) -> RunLocks:
    """Return the locks of runs: files for one machine, the database for many."""
    if isinstance(db, SqliteDatabase):
        return RunLocks(home)
    from memory.postgres.database import PostgresDatabase
    from memory.postgres.run_locks import PostgresRunLocks

    assert isinstance(db, PostgresDatabase)
    return PostgresRunLocks(db)


@contextmanager
def open_memory(home: Path, today: date, address: str | None = None) -> Iterator[Memory]:
    """Open the memory below `home` or in PostgreSQL; what was not used for long is forgotten."""
    db = open_database(home, address)
    try:
        yield Memory(db, home, today)
    finally:
        db.close()
