"""Upgrades: a memory that an earlier version wrote is brought up to date, and nothing in it is lost."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from agent.domain.base import RepoId
from agent.domain.window import Window
from agent.questions_and_replies import query_of
from evals.postgres import PostgresServer
from memory.evidence import EvidenceStore
from memory.http_cache import HttpCache
from memory.landing_owners import Landings
from memory.open_issues import OpenIssues
from memory.postgres import migrations as postgres_migrations
from memory.postgres.database import PostgresDatabase
from memory.protocols import Database, Row
from memory.published_statements import EarlierStatements, Statements
from memory.recorded_answers import JsonCodec
from memory.recorder import Call, CallRecorder
from memory.search import SearchIndex
from memory.sqlite import migrations as sqlite_migrations
from memory.sqlite.connection import FILE_NAME
from memory.sqlite.database import SqliteDatabase
from memory.store import open_database
from tests.databases import AnyDatabase

WRITTEN = Path(__file__).parent / "memory_4.sql"  # A memory as version 4 of its tables wrote it
WORD_TABLES = {"evidence_terms", "evidence_words", "statements_terms", "statements_words"}
REPO = RepoId("octo/engine")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
TEXT = JsonCodec("text", TypeAdapter(str))


def write_old_memory(home: Path) -> Path:
    with closing(sqlite3.connect(home / FILE_NAME)) as old:
        old.executescript(WRITTEN.read_text("utf-8"))
    return home / FILE_NAME


def old_columns(old: sqlite3.Connection) -> dict[str, list[str]]:
    tables = old.execute("select name from sqlite_master where type = 'table'").fetchall()
    columns: dict[str, list[str]] = {}
    for (table,) in tables:
        if table not in WORD_TABLES | {"schema_version"}:
            info = old.execute(f"pragma table_info({table})").fetchall()
            columns[table] = [column[1] for column in info]
    return columns


def old_rows(file: Path) -> dict[tuple[str, tuple[str, ...]], list[Row]]:
    rows = {}
    with closing(sqlite3.connect(file)) as old:
        for table, columns in old_columns(old).items():
            table_rows = old.execute(f"select {', '.join(columns)} from {table}").fetchall()
            rows[table, tuple(columns)] = sorted(table_rows, key=repr)
    return rows


@pytest.fixture(params=["sqlite", "postgresql"])
def upgraded(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: PostgresServer
) -> Iterator[AnyDatabase]:
    """A memory of version 4 after its upgrade."""
    file = write_old_memory(tmp_path)
    if request.param == "sqlite":
        with closing(open_database(tmp_path)) as db:
            assert isinstance(db, SqliteDatabase)
            yield db
        return
    name = f"upgraded_{tmp_path.name.replace('-', '_')}"
    postgres_server.create(name)
    with closing(PostgresDatabase(postgres_server.address_of(name))) as server:
        for migrate in postgres_migrations.MIGRATIONS[:4]:
            migrate(server)
        server.execute("create table schema_version (version bigint)")
        server.insert("schema_version", [{"version": 4}])
        for (table, columns), rows in old_rows(file).items():
            server.insert(table, [dict(zip(columns, row, strict=True)) for row in rows])
        assert postgres_migrations.upgrade(server) == 2
        assert postgres_migrations.upgrade(server) == 0
        yield server


def test_every_row_of_an_older_memory_is_there_after_its_upgrade(
    upgraded: AnyDatabase, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for (table, columns), rows in old_rows(write_old_memory(other)).items():
        if table == "statements":
            upgraded_rows = statement_rows(upgraded, columns)
        else:
            upgraded_rows = upgraded.select(table, columns, {})
        assert sorted(upgraded_rows, key=repr) == rows, table
    assert not upgraded.tables() & WORD_TABLES


def statement_rows(db: AnyDatabase, columns: Sequence[str]) -> list[Row]:
    """Return statements with the columns that they once had: one for each language."""
    languages = ("en", "zh")
    shared = [column for column in columns if column not in languages]
    rows: list[Row] = []
    for *values, texts in db.select("statements", [*shared, "texts"], {}):
        row = dict(zip(shared, values, strict=True))
        for lang in languages:
            row[lang] = json.loads(texts).get(lang, "")
        rows.append(tuple(row[column] for column in columns))
    return rows


def test_an_upgraded_memory_is_searched_replayed_and_gone_on_from(upgraded: AnyDatabase) -> None:
    statements = Statements(upgraded)
    for words in ("num tokens", "maxNumTokens", "缓存的泄漏", "caching the prefix"):
        assert "max_num_tokens" in str(statements.search(words)) or "前缀" in str(
            statements.search(words)
        ), words
    for question, best in (
        ("who touched PrefixCacheEvictor", f"{REPO}@{'03' * 20}"),
        ("is --max-routes still there", f"{REPO}@{'02' * 20}"),
        ("前缀缓存有什么问题", f"{REPO}@{'14' * 20}"),
        ("v1.2.0", f"{REPO}@v1.2.0"),
    ):
        query = query_of(question, None, "UTC", NOON)
        hits = SearchIndex(upgraded).search(query.words, query.named, [REPO], None)
        assert hits[0].id == best, question
    next_day = Window.days(date(2026, 2, 3), date(2026, 2, 3), "UTC")
    assert Landings(upgraded).known_tip(REPO, next_day) == "f" * 40
    assert OpenIssues(upgraded).known_open(REPO, next_day) == {7}
    assert EvidenceStore(upgraded).has_threads(REPO)
    replay = CallRecorder(upgraded, "r1", play_only=True)
    assert replay.play(Call("x.y", REPO, "hello"), TEXT) == "hello"
    assert HttpCache(upgraded, date(2026, 2, 5)).get("key") == b"\0answer"


def test_what_is_stored_after_an_upgrade_replaces_what_was_there(upgraded: AnyDatabase) -> None:
    store = EvidenceStore(upgraded)
    card = store.listed([REPO], None)[-1]
    assert card.title.startswith("Cache prefixes")
    store.keep(REPO, [card.model_copy(update={"title": "Evict blocks", "message": ""})])
    index = SearchIndex(upgraded)
    assert index.search("evict blocks", (), [REPO], None)[0].id == card.id
    assert "prompts" not in index.search("evict blocks", (), [REPO], None)[0].words


def in_lower_case(row: Sequence[object]) -> list[str]:
    return [str(value).lower() for value in row]


def test_the_first_changes_make_the_tables_that_the_older_memory_has(tmp_path: Path) -> None:
    file = write_old_memory(tmp_path)
    with (
        closing(sqlite3.connect(file)) as old,
        closing(SqliteDatabase(tmp_path / "new.db")) as new,
    ):
        for migrate in sqlite_migrations.MIGRATIONS[:4]:
            migrate(new.utils)
        for table in (*old_columns(old), *WORD_TABLES):
            for pragma in ("table_info", "index_list"):
                sql = f"pragma {pragma}({table})"
                before = sorted(map(in_lower_case, old.execute(sql)))
                after = sorted(map(in_lower_case, new.rows(sql)))
                assert after == before, (table, pragma)


def test_reports_of_an_older_memory_are_recalled_after_its_upgrade(tmp_path: Path) -> None:
    with closing(sqlite3.connect(write_old_memory(tmp_path))) as old, old:
        old.execute("alter table statements drop column window_end")
        old.execute("update schema_version set version = 3")
    with closing(open_database(tmp_path)) as db:
        assert recalled(db, date(2026, 2, 2)) == 0
        assert recalled(db, date(2026, 2, 3)) > 0


def recalled(db: Database, day: date) -> int:
    window = Window.days(day, day, "UTC")
    return len(EarlierStatements(Statements(db), window.start).search("prefix"))
