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


@migrations()
def m005_open_listings(db: Database) -> None:
    """Remember where the listing of open issues was cut short, because later reports must say so too."""
    db.table("open_listings").create({"repo": str, "notice": str}, pk="repo")


@migrations()
def m006_evidence(db: Database) -> None:
    """Keep what a run was told, each artefact once by its hash, and what shaped the run, so that it can be replayed."""
    db.table("artefacts").create(
        {"hash": str, "kind": str, "evidence": str, "origin": str, "fetched": str, "size": int, "body": bytes}
    )
    # No primary key: its index alone is read when it is asked what is there, without the bodies.
    db.table("artefacts").create_index(["hash"], unique=True)
    db.table("artefacts").create_index(["evidence"])
    db.table("calls").create({"run": str, "key": str, "name": str, "hash": str, "at": str}, pk=("run", "key"))
    db.table("holds").create({"hash": str, "run": str}, pk=("hash", "run"))
    db.table("holds").create_index(["run"])
    db.table("cited").create({"hash": str, "window": str}, pk=("hash", "window"))
    db.table("runs").add_column("recipe", str)


@migrations()
def m007_statements(db: Database) -> None:
    """Remember what reports said, so that it can be searched, and which reports are known at all."""
    db.table("published").create({"window": str, "label": str}, pk="window")
    db.table("statements").create(
        {
            "id": int,
            "repo": str,
            "window": str,
            "label": str,
            "start": str,
            "kind": str,
            "cites": str,
            "en": str,
            "zh": str,
        },
        pk="id",
    )
    db.table("statements").create_index(["window", "repo"])
    db.table("statements").create_index(["label"])
    db.table("statements").create_index(["start"])
    db.conn.execute(
        "create virtual table statement_words using fts5"
        "(words, parts, tokenize = \"unicode61 remove_diacritics 2 tokenchars '_'\")"
    )


@migrations()
def m008_lasting_calls(db: Database) -> None:
    """Find what any run was told of things that never change, so that no commit is read twice."""
    db.table("calls").add_column("lasting", str)
    db.table("calls").create_index(["lasting"])


@migrations()
def m010_catalogue(db: Database) -> None:
    """Remember landed commits with their facts, and threads with their links, so that questions can be answered."""
    db.table("cards").create(
        {
            "id": int,
            "repo": str,
            "sha": str,
            "at": str,
            "author": str,
            "title": str,
            "message": str,
            "pull": int,
            "files": int,
            "additions": int,
            "deletions": int,
            "paths": str,
            "facts": str,
            "route": str,
        },
        pk="id",
    )
    db.table("cards").create_index(["repo", "sha"], unique=True)
    db.table("cards").create_index(["sha"])
    db.table("cards").create_index(["repo", "at"])
    db.table("cards").create_index(["pull"])
    db.table("card_people").create({"repo": str, "name": str}, pk=("repo", "name"))
    db.table("card_spans").create({"repo": str, "start": str, "end": str}, pk=("repo", "start", "end"))
    db.table("known_threads").create({"id": str, "repo": str, "updated": str, "body": str})
    db.table("known_threads").create_index(["id"], unique=True)
    db.table("known_releases").create({"id": str, "repo": str, "body": str}, pk="id")
    db.table("known_links").create({"issue": str, "change": str, "grade": str, "body": str}, pk=("issue", "change"))
    db.table("known_links").create_index(["change"])
    for table, columns in (("card_words", "title, facts, paths, body, parts"), ("thread_words", "title, body, parts")):
        db.conn.execute(
            f"create virtual table {table} using fts5"
            f"({columns}, tokenize = \"unicode61 remove_diacritics 2 tokenchars '_'\")"
        )


@migrations()
def m011_issue_contents(db: Database) -> None:
    """Remember what open issues are about, and what reports told of issues, so that it counts on later days."""
    db.table("open_issues").add_column("digest", str)
    columns: dict[str, type] = {"repo": str, "window": str, "end": str}
    db.table("told_links").create({**columns, "body": str})
    db.table("told_links").create_index(["repo", "end"])
    db.table("told_issues").create({**columns, "number": int, "mark": str})
    db.table("told_issues").create_index(["repo", "end"])


@migrations()
def m009_stories(db: Database) -> None:
    """Remember the stories that reports told, and what the commits of reports are called."""
    db.table("stories").create(
        {"window": str, "repo": str, "place": int, "label": str, "start": str, "end": str, "data": str},
        pk=("window", "repo", "place"),
    )
    db.table("story_steps").create(
        {"window": str, "repo": str, "place": int, "cite": str}, pk=("cite", "window", "repo", "place")
    )
    db.table("headlines").create(
        {"window": str, "repo": str, "sha": str, "at": str, "author": str, "title": str, "pull": int},
        pk=("window", "repo", "sha"),
    )
    db.table("headlines").create_index(["repo", "at"])
    db.conn.execute("create virtual table card_vocabulary using fts5vocab(card_words, row)")


@migrations()
def m012_touched(db: Database) -> None:
    """Remember which functions and classes a commit works in."""
    db.table("cards").add_column("touched", str)


@migrations()
def m013_model_servers(db: Database) -> None:
    """Remember what the servers of models can do."""
    db.table("model_servers").create({"key": str, "body": str, "probed": str}, pk="key")


@migrations()
def m014_written(db: Database) -> None:
    """Remember which names stand on the changed lines of a commit."""
    db.table("cards").add_column("written", str)


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
