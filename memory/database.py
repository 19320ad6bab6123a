"""The one SQLite file: opened with care, migrated forwards, never guessed at."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlite_utils import Database, Migrations

from agent.errors import StorageError

migrations = Migrations("gitzette")
FILE_NAME = "memory.db"


def _create(db: Database, table: str, columns: str, pk: str = "") -> None:
    """Create a table; columns are texts unless another type stands behind a colon."""
    types = {"int": int, "bytes": bytes, "": str}
    named = [column.partition(":") for column in columns.split()]
    key = pk.split()
    db.table(table).create({name: types[kind] for name, _, kind in named}, pk=key if len(key) > 1 else pk or None)


def _create_search(db: Database, table: str, columns: str, stems: str = "") -> None:
    """Create a full-text index that keeps identifiers whole; `stems` may name SQLite's own stemmer."""
    tokens = f"{stems}unicode61 remove_diacritics 2 tokenchars '_'"
    db.conn.execute(f'create virtual table {table} using fts5({columns}, tokenize = "{tokens}")')


@migrations()
def m001_answers(db: Database) -> None:
    """Remember answers of an API so that an unchanged one is free."""
    _create(db, "answers", "key value:bytes used", pk="key")


@migrations()
def m002_landings(db: Database) -> None:
    """Remember which report each landed commit belongs to, and the branch's tip when it was read."""
    _create(db, "tips", "repo window start end base tip", pk="repo window")
    _create(db, "landed", "repo sha window start end late:int", pk="repo sha window")


@migrations()
def m003_runs(db: Database) -> None:
    """Remember what was run, when, and how it ended."""
    _create(db, "runs", "id started finished window status details", pk="id")


@migrations()
def m004_open_issues(db: Database) -> None:
    """Remember which issues were open, so that only the first run lists them all."""
    _create(db, "open_issues", "repo number:int title updated", pk="repo number")


@migrations()
def m005_open_listings(db: Database) -> None:
    """Remember where the listing of open issues was cut short, because later reports must say so too."""
    _create(db, "open_listings", "repo notice", pk="repo")


@migrations()
def m006_evidence(db: Database) -> None:
    """Keep what a run was told, each artefact once by its hash, and what shaped the run, so that it can be replayed."""
    _create(db, "artefacts", "hash kind evidence origin fetched size:int body:bytes")
    # No primary key: its index alone is read when it is asked what is there, without the bodies.
    db.table("artefacts").create_index(["hash"], unique=True)
    db.table("artefacts").create_index(["evidence"])
    _create(db, "calls", "run key name hash at", pk="run key")
    _create(db, "holds", "hash run", pk="hash run")
    db.table("holds").create_index(["run"])
    _create(db, "cited", "hash window", pk="hash window")
    db.table("runs").add_column("recipe", str)


@migrations()
def m007_statements(db: Database) -> None:
    """Remember what reports said, so that it can be searched, and which reports are known at all."""
    _create(db, "published", "window label", pk="window")
    _create(db, "statements", "id:int repo window label start kind cites en zh", pk="id")
    for columns in (["window", "repo"], ["label"], ["start"]):
        db.table("statements").create_index(columns)
    _create_search(db, "statement_words", "words, parts")


@migrations()
def m008_lasting_calls(db: Database) -> None:
    """Find what any run was told of things that never change, so that no commit is read twice."""
    db.table("calls").add_column("lasting", str)
    db.table("calls").create_index(["lasting"])


@migrations()
def m010_catalogue(db: Database) -> None:
    """Remember landed commits with their facts, and threads with their links, so that questions can be answered."""
    numbers = "pull:int files:int additions:int deletions:int"
    _create(db, "cards", f"id:int repo sha at author title message {numbers} paths facts route", pk="id")
    db.table("cards").create_index(["repo", "sha"], unique=True)
    for columns in (["sha"], ["repo", "at"], ["pull"]):
        db.table("cards").create_index(columns)
    _create(db, "card_people", "repo name", pk="repo name")
    _create(db, "card_spans", "repo start end", pk="repo start end")
    _create(db, "known_threads", "id repo updated body")
    db.table("known_threads").create_index(["id"], unique=True)
    _create(db, "known_releases", "id repo body", pk="id")
    _create(db, "known_links", "issue change grade body", pk="issue change")
    db.table("known_links").create_index(["change"])
    _create_search(db, "card_words", "title, facts, paths, body, parts")
    _create_search(db, "thread_words", "title, body, parts")


@migrations()
def m011_issue_contents(db: Database) -> None:
    """Remember what open issues are about, and what reports told of issues, so that it counts on later days."""
    db.table("open_issues").add_column("digest", str)
    _create(db, "told_links", "repo window end body")
    _create(db, "told_issues", "repo window end number:int mark")
    for table in ("told_links", "told_issues"):
        db.table(table).create_index(["repo", "end"])


@migrations()
def m009_stories(db: Database) -> None:
    """Remember the stories that reports told, and what the commits of reports are called."""
    _create(db, "stories", "window repo place:int label start end data", pk="window repo place")
    _create(db, "story_steps", "window repo place:int cite", pk="cite window repo place")
    _create(db, "headlines", "window repo sha at author title pull:int", pk="window repo sha")
    db.table("headlines").create_index(["repo", "at"])
    db.conn.execute("create virtual table card_vocabulary using fts5vocab(card_words, row)")


@migrations()
def m012_touched(db: Database) -> None:
    """Remember which functions and classes a commit works in."""
    db.table("cards").add_column("touched", str)


@migrations()
def m013_model_servers(db: Database) -> None:
    """Remember what the servers of models can do."""
    _create(db, "model_servers", "key body probed", pk="key")


@migrations()
def m014_written(db: Database) -> None:
    """Remember which names stand on the changed lines of a commit."""
    db.table("cards").add_column("written", str)


@migrations()
def m015_search(db: Database) -> None:
    """Search commits, threads and releases in one list; what was indexed apart is read again when it is asked for."""
    for table in ("card_vocabulary", "card_words", "thread_words", "card_people"):
        db.conn.execute(f"drop table {table}")
    for table in ("cards", "card_spans", "known_threads", "known_releases", "known_links"):
        db.conn.execute(f"delete from {table}")  # noqa: S608
    create_search_tables(db)


@migrations()
def m016_issue_terms(db: Database) -> None:
    """Forget what open issues were about and how they were linked: the next run lists and links them anew."""
    db.conn.execute("update open_issues set digest = null")
    db.conn.execute("delete from known_links")


def create_search_tables(db: Database) -> None:
    """Create what a search looks at: pieces of evidence with their times, their words, and what belongs together."""
    _create(db, "search_entries", "id:int evidence repo kind opened ended author", pk="id")
    db.table("search_entries").create_index(["evidence"], unique=True)
    db.table("search_entries").create_index(["kind", "repo", "opened"])
    db.table("search_entries").create_index(["author"])
    _create(db, "search_refs", "source target brought:int", pk="source target")
    db.table("search_refs").create_index(["target"])
    _create_search(db, "search_words", "title, facts, paths, body, parts", stems="porter ")


def open_database(home: Path) -> Database:
    """Open the memory under `home`, creating or migrating it; a damaged or newer file is refused and left untouched."""
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(home):
            os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
            # Ten seconds: a second run of ours holds the file only for moments.
            return _ready(Database(sqlite3.connect(file, timeout=10)), file)
    except (OSError, sqlite3.OperationalError) as error:
        raise StorageError(f"cannot open {file}: {error}; check the permissions or set GITZETTE_HOME") from error


def database_in_memory() -> Database:
    """Make a memory that is gone with the process."""
    return _ready(Database(memory=True), Path(":memory:"))


@contextmanager
def reading() -> Iterator[None]:
    """Tell an error of SQLite as one of ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"the memory ({FILE_NAME}) cannot be used: {error}") from error


@contextmanager
def writing(db: Database, *, durable: bool = True) -> Iterator[None]:
    """Write everything inside or nothing.

    The lock is taken at the start, where SQLite waits for another run; in the middle of a transaction it would not.
    What is not `durable` survives the death of the process, but perhaps not that of the machine; it costs no wait for
    the disk. The file stays whole either way.
    """
    with reading():
        db.conn.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        db.conn.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.conn.execute("COMMIT")
        except BaseException:
            db.rollback()
            raise


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Let one process at a time create and migrate; the change to write-ahead logging does not wait by itself."""
    descriptor = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _ready(db: Database, file: Path) -> Database:
    try:
        _refuse_newer(db, file)
        db.enable_wal()
        if migrations.pending(db):
            with writing(db):
                migrations.apply(db)
    except sqlite3.DatabaseError as error:
        db.close()
        raise StorageError(
            f"{file} is damaged or locked ({error}); it was left as it is: move it away to start anew"
        ) from error
    except BaseException:
        db.close()
        raise
    return db


def _refuse_newer(db: Database, file: Path) -> None:
    """Stop before touching a file that a later version of Gitzette wrote."""
    with closing(Database(memory=True)) as empty:
        ours = {migration.name for migration in migrations.pending(empty)}
    if unknown := {migration.name for migration in migrations.applied(db)} - ours:
        raise StorageError(
            f"{file} was written by a newer Gitzette ({min(unknown)}); update Gitzette or move the file away"
        )
