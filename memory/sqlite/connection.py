"""A connection to a SQLite file: the verbs of tables, transactions, and errors in one line."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlite_utils

from agent.domain.base import StorageError
from memory.protocols import Database, Record, Row, Value, Where

FILE_NAME = "memory.db"
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOCK_SECONDS = 10  # Another process holds a lock only for moments


class _UtilsDatabase(sqlite_utils.Database):
    """A database of sqlite-utils that lists tables and views again only after the schema changed.

    sqlite-utils lists both before every insert.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, execute_plugins=False)
        self._listed_schema: int | None = None
        self._table_names: list[str] = []
        self._view_names: list[str] = []

    def table_names(self, fts4: bool = False, fts5: bool = False) -> list[str]:
        """Return the names of the tables."""
        if fts4 or fts5:
            return super().table_names(fts4, fts5)
        self._list_names()
        return self._table_names

    def view_names(self) -> list[str]:
        """Return the names of the views."""
        self._list_names()
        return self._view_names

    def _list_names(self) -> None:
        [schema] = self.conn.execute("pragma schema_version").fetchone()
        if schema != self._listed_schema:
            self._table_names = super().table_names()
            self._view_names = super().view_names()
            self._listed_schema = schema


class SqliteConnection(Database):
    """A file, or a database that is gone with the process."""

    def __init__(self, file: Path | None = None) -> None:
        self.name = str(file or "the memory")
        # Without an isolation level Python begins no transactions by itself.
        self._connection = sqlite3.connect(
            file or ":memory:", timeout=_LOCK_SECONDS, isolation_level=None
        )
        self._utils: sqlite_utils.Database | None = None

    @property
    def utils(self) -> sqlite_utils.Database:
        """The database as sqlite-utils sees it."""
        if self._utils is None:
            with self._translated():
                self._utils = _UtilsDatabase(self._connection)
        return self._utils

    def open_file(self, file: Path) -> None:
        """Check that the file is a database, and switch it to write-ahead logging."""
        try:
            self._connection.execute("select count(*) from sqlite_master").fetchone()
            self._connection.execute("pragma journal_mode = wal")
        except sqlite3.DatabaseError as error:
            raise StorageError(
                f"{file} is damaged or locked ({error}); it was left as it is:"
                " move it away to start anew"
            ) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def dump(self) -> bytes:
        """Return the whole database as SQLite stores it."""
        with self._translated():
            return self._connection.serialize()

    def fill(self, stored: bytes) -> None:
        """Replace everything in the database by what `dump` returned, all of it or nothing."""
        with self._translated(), closing(sqlite3.connect(":memory:")) as source:
            source.deserialize(stored)
            source.backup(self._connection)

    def lock(self, name: str) -> None:
        """Do nothing: a transaction holds the whole file."""

    def tables(self) -> set[str]:
        """Return the names of the tables."""
        with self._translated():
            return set(self.utils.table_names())

    def check(self) -> None:
        """Read the whole file, and raise StorageError if it is damaged."""
        [(finding,)] = self.rows("pragma integrity_check(1)")
        if finding != "ok":
            raise _damaged(self.name, " ".join(str(finding).split()))

    def rows(self, sql: str, values: Sequence[Value] | Mapping[str, Value] = ()) -> list[Row]:
        """Run a statement in SQLite's own SQL, and return its rows."""
        with self._translated():
            return self._connection.execute(sql, values).fetchall()

    def execute(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Run a statement in SQLite's own SQL, and return the number of rows that it changed."""
        with self._translated():
            return self._connection.execute(sql, values).rowcount

    def search(
        self,
        table: str,
        query: str,
        where: str,
        values: Mapping[str, Value],
        *,
        columns: Sequence[str],
        order_by: str | None = None,
        limit: int,
    ) -> list[dict[str, Any]]:
        """Return the rows that fit a query of FTS5, the best first unless ordered otherwise."""
        with self._translated():
            hits = self.utils.table(table).search(
                query,
                where=where,
                where_args=dict(values),
                columns=columns,
                order_by=order_by,
                limit=limit,
                include_rank=True,
            )
            return list(hits)

    def select(self, table: str, columns: Sequence[str], where: Where) -> list[Row]:
        """Return these columns of the rows that fit."""
        condition, values = _condition(where)
        sql = f"select {', '.join(columns)} from {table} where {condition}"  # noqa: S608 -- our names
        return self.rows(sql, values)

    def insert(self, table: str, records: Iterable[Record]) -> None:
        """Insert rows, all with the same columns."""
        with self.transaction(), self._translated():
            self._table(table).insert_all(map(dict, records))

    def insert_missing(self, table: str, records: Iterable[Record]) -> None:
        """Insert those rows whose keys are not there yet."""
        with self.transaction(), self._translated():
            self._table(table).insert_all(map(dict, records), ignore=True)

    def upsert(self, table: str, records: Iterable[Record], key: Sequence[str]) -> None:
        """Insert rows, in place of those with the same key."""
        with self.transaction(), self._translated():
            self._table(table).upsert_all(map(dict, records), pk=tuple(key))

    def delete(self, table: str, where: Where) -> int:
        """Delete the rows that fit, and return how many they were."""
        condition, values = _condition(where)
        return self.execute(f"delete from {table} where {condition}", values)  # noqa: S608 -- our names

    def _table(self, name: str) -> sqlite_utils.db.Table:
        """Return a table that is there: sqlite-utils would create one that is missing."""
        table = self.utils.table(name)
        if not table.exists():
            raise StorageError(f"the memory ({FILE_NAME}) cannot be used: no such table: {name}")
        return table

    def _in_transaction(self) -> bool:
        return self._connection.in_transaction

    def _begin(self, *, durable: bool) -> None:
        """Take the lock at the start: a transaction that began to read cannot wait for it."""
        self.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
        self.execute("begin immediate")

    def _commit(self) -> None:
        self.execute("commit")

    def _roll_back(self) -> None:
        self._connection.rollback()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of SQLite into StorageError."""
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) in _DAMAGE:
                raise _damaged(self.name, str(error)) from error
            raise StorageError(f"the memory ({FILE_NAME}) cannot be used: {error}") from error


def json_list(values: Iterable[str] | Iterable[int]) -> str:
    """Return values as the argument of `in (select value from json_each(?))`."""
    return json.dumps(list(values))


def _condition(where: Where) -> tuple[str, list[Value]]:
    """Return the condition of SQL for columns with the values that they may have."""
    conditions: list[str] = []
    values: list[Value] = []
    for column, value in where.items():
        if isinstance(value, str | int | float | bytes | None):
            conditions.append(f"{column} = ?")
            values.append(value)
        else:
            conditions.append(f"{column} in (select value from json_each(?))")  # noqa: S608 -- our names
            values.append(json_list(value))
    return " and ".join(conditions) or "1", values


def _damaged(name: str, finding: str) -> StorageError:
    """Return the error that a file is damaged, with what can be done about it."""
    return StorageError(
        f"{name} is damaged ({finding}); move it away, and the next run reads the published reports"
        " back into a new one"
    )
