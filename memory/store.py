"""The memory as a whole: its tables with numbered changes to them, and all of its parts, opened together.

A change is a function behind the others in `MIGRATIONS`; what stands there is never edited. Going back is not
possible: a database that a newer Gitzette changed is refused, and so is one from before the numbers.
"""

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from agent.domain.base import StorageError
from agent.prompting import Capabilities
from memory.database import FILE_NAME, Database, SqliteDatabase, exclusive_file
from memory.evidence import EvidenceStore
from memory.fleet import Fleet
from memory.recorder import CallRecorder, Retention
from memory.reports import Landings, OpenIssues, Reports
from memory.runs import RunFiles, RunLocks, Runs
from memory.search import SearchIndex
from memory.statements import Statements, Stories

_KEEP = timedelta(days=60)
_FRESH_DAYS = (
    14  # Servers of models are updated; what they could not do some weeks ago they may do now
)
_FIRST = """
runs id started finished window_key status details recipe number:integer | id
artefacts hash kind evidence origin fetched size:integer body:bytes | hash | evidence
calls run key name hash at lasting | run key | lasting
holds hash run | hash run | run
cited hash window_key | hash window_key
tips repo window_key window_start window_end base tip | repo window_key
landed repo sha window_key window_start window_end late:integer | repo sha window_key
published window_key label | window_key
statements id:number repo window_key label window_start cites en zh | | window_key repo | label
report_items kind repo window_key place:integer label window_start window_end at body | kind repo window_key place
story_steps cite window_key repo place:integer | cite window_key repo place
open_issues repo number:integer digest | repo number
open_listings repo notice | repo
evidence id:number name repo kind opened ended author version body | | kind repo opened | author
evidence_refs source target brought:integer | source target | target
complete_spans repo since until | repo since until
http_cache key value:bytes used | key
secrets name value | name
"""
"""Each with its columns, its key and its indexes."""
_WORDS = """
evidence_terms term:integer doc:integer weight:real | term doc | doc
evidence_words doc:integer length:integer words | doc
statements_terms term:integer doc:integer weight:real | term doc | doc
statements_words doc:integer length:integer words | doc
"""
_FLEET = """
parts key repo window_key run status finished body:bytes | key
editions edition window_key label status finished body:bytes | edition window_key
deliveries edition channel label body | edition channel label
limits name period:integer used:integer | name period
mirrors place repo seen | place repo | repo
progress key what done:integer total:integer at | key
"""


def _first_tables(db: Database) -> None:
    _create(db, _FIRST)
    db.execute("create unique index evidence_name on evidence (name)")


def _tables_of_words(db: Database) -> None:
    """Index words in tables of ours; what was indexed otherwise is read again, from its files and sources."""
    for table in ("evidence_words", "statement_words"):
        db.execute(f"drop table if exists {table}")
    for table in ("statements", "published", "evidence", "evidence_refs", "complete_spans"):
        db.execute(f"delete from {table}")  # noqa: S608 -- names of ours
    _create(db, _WORDS)


def _tables_of_workers(db: Database) -> None:
    _create(db, _FLEET)


def _ends_of_statements(db: Database) -> None:
    """Add when the window of each statement ends; a run recalls nothing that ends later.

    Windows of which no branch was read are taken for endless: their repositories were empty.
    """
    db.execute(f"alter table statements add column window_end {db.types['']}")
    db.execute(
        "update statements set window_end = coalesce("
        "(select max(t.window_end) from tips t where t.window_key = statements.window_key), '9')"
    )


MIGRATIONS = (_first_tables, _tables_of_words, _tables_of_workers, _ends_of_statements)


def _create(db: Database, tables: str) -> None:
    for line in tables.strip().splitlines():
        columns, key, *indexes = (part.split() for part in line.split("|"))
        db.create_table(columns[0], columns[1:], key, indexes)


def open_database(home: Path, address: str | None = None) -> Database:
    """Open the memory: the file below `home`, made or upgraded as needed, or the PostgreSQL database at an address.

    One that many machines share is upgraded by hand: then nobody is surprised by a newer machine.
    """
    if address is None:
        with exclusive_file(home) as file:
            upgrade(file, str(home / FILE_NAME))
            return file
    from memory.postgres import PostgresDatabase

    db = PostgresDatabase(address)
    try:
        version = _version(db, "the database")
    except BaseException:
        db.close()
        raise
    if version < len(MIGRATIONS):
        db.close()
        raise StorageError(
            "the database is new or of an earlier version; run: gitzette database upgrade"
        )
    return db


def check_database(home: Path, address: str | None = None) -> None:
    """Raise StorageError if the memory cannot be opened or is damaged."""
    with closing(open_database(home, address)) as db:
        db.check()


def database_in_memory() -> Database:
    """Make a memory that is gone with the process."""
    db = SqliteDatabase()
    upgrade(db, "the memory")
    return db


def upgrade(db: Database, name: str) -> int:
    """Bring a database to the version of today, all of it or nothing; give the number of changes made."""
    if (version := _version(db, name)) == len(MIGRATIONS):
        return 0
    with db.transaction():
        db.lock("gitzette database upgrade")
        version = _version(db, name)
        for migrate in MIGRATIONS[version:]:
            migrate(db)
        db.execute("drop table if exists schema_version")
        db.create_table("schema_version", ["version:integer"])
        db.insert("schema_version", [{"version": len(MIGRATIONS)}])
    return len(MIGRATIONS) - version


def _version(db: Database, name: str) -> int:
    tables = db.tables()
    version = (
        int(db.rows("select version from schema_version")[0][0])
        if "schema_version" in tables
        else 0
    )
    if version > len(MIGRATIONS):
        raise StorageError(
            f"{name} was written by a newer Gitzette; update Gitzette or move the file away"
        )
    if version == 0 and "runs" in tables:
        raise StorageError(
            f"{name} was written by a Gitzette from before this one; move it away to start anew"
        )
    return version


class HttpResponses:
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
            self._db.upsert(
                "http_cache", [{"key": key, "value": value, "used": self._today}], ("key",)
            )


class ModelServers:
    """What models at their addresses can do, so that each server is probed once in two weeks.

    What the settings say of a model's context is part of the key: it shapes what is found.
    """

    def __init__(self, cache: HttpResponses, today: date) -> None:
        self._cache = cache
        self._fortnight = today.toordinal() // _FRESH_DAYS

    def get(self, url: str, model: str, context: int | None) -> Capabilities | None:
        """Return what was found out, unless that is long ago."""
        cached = self._cache.get(self._key(url, model, context))
        if cached is None:
            return None
        try:
            return Capabilities.model_validate_json(cached)
        except ValidationError:
            return None  # Another version of Gitzette wrote it

    def put(self, url: str, model: str, context: int | None, capabilities: Capabilities) -> None:
        """Remember what was found out."""
        key = self._key(url, model, context)
        self._cache.put(key, capabilities.model_dump_json().encode())

    def _key(self, url: str, model: str, context: int | None) -> str:
        name = f"model server {self._fortnight} {url} {model} context {context}"
        return hashlib.sha256(name.encode()).hexdigest()


class Memory:
    """The parts of the memory, each with an interface of its own."""

    def __init__(self, db: Database, home: Path, today: date) -> None:
        self.http_cache = HttpResponses(db, today)
        self.model_servers = ModelServers(self.http_cache, today)
        self.reports, self.landings, self.issues = Reports(db), Landings(db), OpenIssues(db)
        self.statements, self.stories = Statements(db), Stories(db)
        self.evidence, self.search = EvidenceStore(db), SearchIndex(db)
        self.runs, self.run_locks, self.run_files = Runs(db), run_locks(db, home), RunFiles(home)
        self.retention, self.fleet = Retention(db), Fleet(db)
        self.recorder = partial(
            CallRecorder, db
        )  # Opens the record of a run by its id; `play_only=True` to replay it


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
