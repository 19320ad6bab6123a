"""Everything that outlives a run, opened together and closed together."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from agent.models import Capabilities
from memory.database import Database, SqliteDatabase
from memory.evidence import EvidenceStore
from memory.fleet import Fleet
from memory.issues import OpenIssues
from memory.migrations import open_database
from memory.recorder import CallRecorder, Retention
from memory.reports import Landings, Reports
from memory.runs import RunFiles, RunLocks, Runs
from memory.search import SearchIndex
from memory.statements import Statements
from memory.stories import Stories

_KEEP = timedelta(days=60)
_FRESH_DAYS = 14
"""Servers of models are updated; what they could not do some weeks ago they may do now."""


class HttpCache:
    """What services answered before, as bytes under a key; what nobody used for two months is deleted."""

    def __init__(self, db: Database, today: date) -> None:
        self._db = db
        self._today = today.isoformat()
        with db.transaction():
            db.execute("delete from http_cache where used < ?", [(today - _KEEP).isoformat()])

    def get(self, key: str) -> bytes | None:
        """Find what was put last under this key."""
        row = self._db.row("select value, used from http_cache where key = ?", [key])
        if row is not None and row[1] != self._today:
            with self._db.transaction():
                self._db.execute("update http_cache set used = ? where key = ?", [self._today, key])
        return bytes(row[0]) if row else None

    def put(self, key: str, value: bytes) -> None:
        """Keep this under the key, in place of what was there."""
        with self._db.transaction():
            self._db.upsert("http_cache", [{"key": key, "value": value, "used": self._today}], ("key",))


class ModelServers:
    """What models at their addresses can do, so that each server is probed once in two weeks and not in every run."""

    def __init__(self, cache: HttpCache, today: date) -> None:
        self._cache = cache
        self._fortnight = today.toordinal() // _FRESH_DAYS

    def get(self, url: str, model: str) -> Capabilities | None:
        """Find what was found out, unless that is long ago."""
        with suppress(ValidationError):
            return Capabilities.model_validate_json(self._cache.get(self._key(url, model)) or b"")
        return None

    def put(self, url: str, model: str, found: Capabilities) -> None:
        """Remember it."""
        self._cache.put(self._key(url, model), found.model_dump_json().encode())

    def _key(self, url: str, model: str) -> str:
        return hashlib.sha256(f"model server {self._fortnight} {url} {model}".encode()).hexdigest()


class Memory:
    """The parts of the memory, each with an interface of its own."""

    def __init__(self, db: Database, home: Path, today: date) -> None:
        self.http_cache = HttpCache(db, today)
        self.model_servers = ModelServers(self.http_cache, today)
        self.reports, self.landings, self.issues = Reports(db), Landings(db), OpenIssues(db)
        self.statements, self.stories = Statements(db), Stories(db)
        self.evidence, self.search = EvidenceStore(db), SearchIndex(db)
        self.runs, self.run_locks, self.run_files = Runs(db), run_locks(db, home), RunFiles(home)
        self.retention, self.fleet = Retention(db), Fleet(db)
        self.recorder = partial(CallRecorder, db)
        """Opens the record of a run by its id; `play_only=True` to replay it."""


def run_locks(db: Database, home: Path) -> RunLocks:
    """Choose the locks of runs: files for one machine, the database for many."""
    if isinstance(db, SqliteDatabase):
        return RunLocks(home)
    from memory.postgres import PostgresDatabase, PostgresRunLocks

    assert isinstance(db, PostgresDatabase)
    return PostgresRunLocks(db)


@contextmanager
def open_memory(home: Path, today: date, address: str | None = None) -> Iterator[Memory]:
    """Open the memory, below `home` or in PostgreSQL; what was not used for long is forgotten as of today."""
    db = open_database(home, address)
    try:
        yield Memory(db, home, today)
    finally:
        db.close()
