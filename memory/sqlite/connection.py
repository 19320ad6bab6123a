"""A connection to a SQLite file: the verbs of tables, transactions, and errors in one line."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.domain.errors import StorageError
from memory.protocols import Database, Record, Row, Value, Where

if TYPE_CHECKING:
    import sqlite_utils

FILE_NAME = "memory.db"
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOCK_SECONDS = 10  # Another process holds a lock only for moments


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
    def utils(self) -> "sqlite_utils.Database":
        """The database as sqlite-utils sees it, which changes tables and searches texts.

        It is imported here: most runs find their tables and do neither.
        """
        if self._utils is None:
            import sqlite_utils

            with self._translated():
                self._utils = sqlite_utils.Database(self._connection, execute_plugins=False)
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
        return {
            name for (name,) in self.rows("select name from sqlite_master where type = 'table'")
        }

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
        self._write(table, records)

    def insert_missing(self, table: str, records: Iterable[Record]) -> None:
        """Insert those rows whose keys are not there yet."""
        self._write(table, records, "on conflict do nothing")

    def upsert(self, table: str, records: Iterable[Record], key: Sequence[str]) -> None:
        """Insert rows, in place of those with the same key."""
        rows = list(records)
        others = [column for column in (rows[0] if rows else ()) if column not in key]
        action = "nothing"
        if others:
            action = "update set " + ", ".join(f"{name} = excluded.{name}" for name in others)
        self._write(table, rows, f"on conflict ({', '.join(key)}) do {action}")

    def _write(self, table: str, records: Iterable[Record], on_conflict: str = "") -> None:
        """Insert rows in one statement that is prepared once."""
        rows = list(records)
        if not rows:
            return
        columns = tuple(rows[0])
        marks = ", ".join("?" * len(columns))
        sql = f"insert into {table} ({', '.join(columns)}) values ({marks}) {on_conflict}"  # noqa: S608 -- our names
        values: list[list[Value]] = []
        for row in rows:
            values.append([row[column] for column in columns])
        with self.transaction(), self._translated():
            self._connection.executemany(sql, values)

    def delete(self, table: str, where: Where) -> int:
        """Delete the rows that fit, and return how many they were."""
        condition, values = _condition(where)
        return self.execute(f"delete from {table} where {condition}", values)  # noqa: S608 -- our names

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
