"""The migrations of the tables in SQLite: numbered changes, none of which is ever edited."""

from collections.abc import Callable
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from pydantic import ValidationError

from agent.domain.errors import StorageError
from memory.evidence_rows import MODELS, search_columns
from memory.search_words import indexed_text
from memory.sqlite.connection import SqliteConnection

if TYPE_CHECKING:
    import sqlite_utils

Migration = Callable[["sqlite_utils.Database"], None]
_TOKENS = "porter unicode61 remove_diacritics 2 tokenchars '_'"
_STATEMENT_COLUMNS = ("words", "parts", "pairs")
_EVIDENCE_COLUMNS = ("title", "facts", "paths", "text", "names", "parts", "pairs")


def m001_first_tables(db: "sqlite_utils.Database") -> None:
    """Create the tables of runs, records, reports, issues and evidence."""
    db.table("runs").create(
        {
            "id": str,
            "started": str,
            "finished": str,
            "window_key": str,
            "status": str,
            "details": str,
            "recipe": str,
            "number": int,
        },
        pk="id",
    )
    artefacts = db.table("artefacts")
    artefacts.create(
        {
            "hash": str,
            "kind": str,
            "evidence": str,
            "origin": str,
            "fetched": str,
            "size": int,
            "body": bytes,
        },
        pk="hash",
    )
    artefacts.create_index(["evidence"])
    calls = db.table("calls")
    calls.create(
        {"run": str, "key": str, "name": str, "hash": str, "at": str, "lasting": str},
        pk=("run", "key"),
    )
    calls.create_index(["lasting"])
    holds = db.table("holds")
    holds.create({"hash": str, "run": str}, pk=("hash", "run"))
    holds.create_index(["run"])
    db.table("cited").create({"hash": str, "window_key": str}, pk=("hash", "window_key"))
    db.table("tips").create(
        {
            "repo": str,
            "window_key": str,
            "window_start": str,
            "window_end": str,
            "base": str,
            "tip": str,
        },
        pk=("repo", "window_key"),
    )
    db.table("landed").create(
        {
            "repo": str,
            "sha": str,
            "window_key": str,
            "window_start": str,
            "window_end": str,
            "late": int,
        },
        pk=("repo", "sha", "window_key"),
    )
    db.table("published").create({"window_key": str, "label": str}, pk="window_key")
    statements = db.table("statements")
    statements.create(
        {
            "id": int,
            "repo": str,
            "window_key": str,
            "label": str,
            "window_start": str,
            "cites": str,
            "en": str,
            "zh": str,
        },
        pk="id",
    )
    statements.create_index(["window_key", "repo"])
    statements.create_index(["label"])
    db.table("report_items").create(
        {
            "kind": str,
            "repo": str,
            "window_key": str,
            "place": int,
            "label": str,
            "window_start": str,
            "window_end": str,
            "at": str,
            "body": str,
        },
        pk=("kind", "repo", "window_key", "place"),
    )
    db.table("story_steps").create(
        {"cite": str, "window_key": str, "repo": str, "place": int},
        pk=("cite", "window_key", "repo", "place"),
    )
    db.table("open_issues").create(
        {"repo": str, "number": int, "digest": str}, pk=("repo", "number")
    )
    db.table("open_listings").create({"repo": str, "notice": str}, pk="repo")
    evidence = db.table("evidence")
    evidence.create(
        {
            "id": int,
            "name": str,
            "repo": str,
            "kind": str,
            "opened": str,
            "ended": str,
            "author": str,
            "version": str,
            "body": str,
        },
        pk="id",
    )
    evidence.create_index(["kind", "repo", "opened"])
    evidence.create_index(["author"])
    evidence.create_index(["name"], index_name="evidence_name", unique=True)
    references = db.table("evidence_refs")
    references.create({"source": str, "target": str, "brought": int}, pk=("source", "target"))
    references.create_index(["target"])
    db.table("complete_spans").create(
        {"repo": str, "since": str, "until": str}, pk=("repo", "since", "until")
    )
    db.table("http_cache").create({"key": str, "value": bytes, "used": str}, pk="key")
    db.table("secrets").create({"name": str, "value": str}, pk="name")


def m002_word_tables(db: "sqlite_utils.Database") -> None:
    """Index words in tables of our own; what was indexed otherwise is read again."""
    for table in ("evidence_words", "statement_words"):
        db.table(table).drop(ignore=True)
    for table in ("statements", "published", "evidence", "evidence_refs", "complete_spans"):
        db.table(table).delete_where()
    for table in ("evidence", "statements"):
        terms = db.table(f"{table}_terms")
        terms.create({"term": int, "doc": int, "weight": float}, pk=("term", "doc"))
        terms.create_index(["doc"])
        db.table(f"{table}_words").create({"doc": int, "length": int, "words": str}, pk="doc")


def m003_worker_tables(db: "sqlite_utils.Database") -> None:
    """Create the tables that workers share."""
    db.table("parts").create(
        {
            "key": str,
            "repo": str,
            "window_key": str,
            "run": str,
            "status": str,
            "finished": str,
            "body": bytes,
        },
        pk="key",
    )
    db.table("editions").create(
        {
            "edition": str,
            "window_key": str,
            "label": str,
            "status": str,
            "finished": str,
            "body": bytes,
        },
        pk=("edition", "window_key"),
    )
    db.table("deliveries").create(
        {"edition": str, "channel": str, "label": str, "body": str},
        pk=("edition", "channel", "label"),
    )
    db.table("limits").create({"name": str, "period": int, "used": int}, pk=("name", "period"))
    mirrors = db.table("mirrors")
    mirrors.create({"place": str, "repo": str, "seen": str}, pk=("place", "repo"))
    mirrors.create_index(["repo"])
    db.table("progress").create(
        {"key": str, "what": str, "done": int, "total": int, "at": str}, pk="key"
    )


def m004_statement_ends(db: "sqlite_utils.Database") -> None:
    """Add when the window of each statement ends; a run recalls nothing that ends later.

    Windows of which no branch was read are taken for endless: their repositories were empty.
    """
    db.table("statements").add_column("window_end", str)
    db.execute(
        "update statements set window_end = coalesce("
        "(select max(t.window_end) from tips t where t.window_key = statements.window_key), '9')"
    )


def m005_full_text_search(db: "sqlite_utils.Database") -> None:
    """Index statements and evidence with FTS5 in the place of our own tables of words.

    Evidence that another version wrote in a form that cannot be read keeps its row, unindexed.
    """
    statements = db.table("statements")
    for column in _STATEMENT_COLUMNS:
        statements.add_column(column, str, not_null_default="")
    for row in list(statements.rows_where(select="id, en, zh")):
        indexed = indexed_text(f"{row['en']} {row['zh']}")
        statements.update(row["id"], indexed._asdict())
    statements.enable_fts(_STATEMENT_COLUMNS, create_triggers=True, tokenize=_TOKENS)
    evidence = db.table("evidence")
    for column in _EVIDENCE_COLUMNS:
        evidence.add_column(column, str, not_null_default="")
    for row in list(evidence.rows_where(select="id, kind, body")):
        try:
            piece = MODELS[row["kind"]].model_validate_json(row["body"])
        except (KeyError, ValidationError):
            continue
        texts = search_columns(piece)
        # Later versions may index more; this step has these columns only.
        evidence.update(row["id"], {column: texts[column] for column in _EVIDENCE_COLUMNS})
    evidence.enable_fts(_EVIDENCE_COLUMNS, create_triggers=True, tokenize=_TOKENS)
    _set_weights(db, "statements", "2.0, 1.0, 2.0")
    _set_weights(db, "evidence", "4.0, 3.0, 1.5, 1.5, 1.0, 1.0, 3.0")
    for table in ("evidence_terms", "evidence_words", "statements_terms", "statements_words"):
        db.table(table).drop()


def m006_statement_texts(db: "sqlite_utils.Database") -> None:
    """Keep the texts of a statement by language, in the place of a column for each language."""
    db.table("statements").add_column("texts", str, not_null_default="{}")
    db.execute(
        "update statements set texts ="
        " json_patch('{}', json_object('en', nullif(en, ''), 'zh', nullif(zh, '')))"
    )
    for column in ("en", "zh"):
        db.execute(f"alter table statements drop column {column}")


def _set_weights(db: "sqlite_utils.Database", table: str, weights: str) -> None:
    """Set how much a word counts in each column of an index."""
    sql = f"insert into {table}_fts ({table}_fts, rank) values ('rank', ?)"  # noqa: S608 -- our names
    db.execute(sql, [f"bm25({weights})"])


MIGRATIONS = (
    m001_first_tables,
    m002_word_tables,
    m003_worker_tables,
    m004_statement_ends,
    m005_full_text_search,
    m006_statement_texts,
)


def version_of(db: SqliteConnection) -> int:
    """Return the number of the last change that was made, 0 for a new database."""
    tables = db.tables()
    if "schema_version" in tables:
        return int(db.select("schema_version", ["version"], {})[0][0])
    if "runs" in tables:
        raise StorageError(
            f"{db.name} was written by a Gitzette from before this one; move it away to start anew"
        )
    return 0


def upgrade(db: SqliteConnection) -> int:
    """Make the changes that a database lacks, all or none, and return their number."""
    version = version_of(db)
    if version > len(MIGRATIONS):
        raise StorageError(
            f"{db.name} was written by a newer Gitzette; update Gitzette or move the file away"
        )
    missing = MIGRATIONS[version:]
    if not missing:
        return 0
    if db.tables():
        _make_changes(db, missing)
    else:
        db.fill(_new_database(MIGRATIONS))
    return len(missing)


@cache
def _new_database(migrations: tuple[Migration, ...]) -> bytes:
    """Return a database with all tables and no rows; a process that opens many makes it once."""
    with closing(SqliteConnection()) as db:
        _make_changes(db, migrations)
        return db.dump()


def _make_changes(db: SqliteConnection, migrations: tuple[Migration, ...]) -> None:
    with db.transaction():
        for migrate in migrations:
            migrate(db.utils)
        table = db.utils.table("schema_version")
        table.drop(ignore=True)
        table.insert({"version": len(MIGRATIONS)})
