"""A connection to a PostgreSQL server: verbs of tables, transactions, errors in one line."""

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from agent.domain.errors import MissingPackages, StorageError
from memory.protocols import Database, Record, Row, Where

try:
    import psycopg
    from psycopg.pq import TransactionStatus
except ImportError as missing:
    raise MissingPackages("a PostgreSQL database") from missing

_RECONNECT_SECONDS = 60.0  # How long a database may take to restart
_RECONNECT_PAUSE = 0.5
_CONNECT_SECONDS = 10
Values = Sequence[Any] | Mapping[str, Any]


class PostgresConnection(Database):
    """A connection; one that is lost between transactions is made again."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection = self._connect()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def lock(self, name: str) -> None:
        """Hold the named lock until the transaction ends; other callers wait."""
        self.rows("select pg_advisory_xact_lock(%s)", [lock_number(name)])

    def tables(self) -> set[str]:
        """Return the names of the tables."""
        rows = self.rows("select tablename from pg_tables where schemaname = current_schema()")
        return {name for (name,) in rows}

    def check(self) -> None:
        """Do nothing: the server looks after its files."""

    def run_script(self, script: str) -> None:
        """Run several statements as they stand."""
        with _translated():
            self._connection.execute(script.encode())

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Run a statement in PostgreSQL's own SQL, and return its rows."""
        with _translated():
            rows: list[Row] = self._run(sql, values).fetchall()
            return rows

    def execute(self, sql: str, values: Values = ()) -> int:
        """Run a statement in PostgreSQL's own SQL, and return the number of rows it changed."""
        with _translated():
            return int(self._run(sql, values).rowcount)

    def select(self, table: str, columns: Sequence[str], where: Where) -> list[Row]:
        """Return these columns of the rows that fit."""
        condition, values = _condition(where)
        sql = f"select {', '.join(columns)} from {table} where {condition}"  # noqa: S608 -- our names
        return self.rows(sql, values)

    def insert(self, table: str, records: Iterable[Record]) -> None:
        """Insert rows, all with the same columns."""
        self._insert(table, records, "")

    def insert_missing(self, table: str, records: Iterable[Record]) -> None:
        """Insert those rows whose keys are not there yet."""
        self._insert(table, records, "on conflict do nothing")

    def upsert(self, table: str, records: Iterable[Record], key: Sequence[str]) -> None:
        """Insert rows, in place of those with the same key."""
        rows = list(records)
        if not rows:
            return
        updates = [f"{column} = excluded.{column}" for column in rows[0] if column not in key]
        conflict = f"on conflict ({', '.join(key)}) do update set {', '.join(updates)}"
        self._insert(table, rows, conflict)

    def delete(self, table: str, where: Where) -> int:
        """Delete the rows that fit, and return how many they were."""
        condition, values = _condition(where)
        return self.execute(f"delete from {table} where {condition}", values)  # noqa: S608 -- our names

    def _insert(self, table: str, records: Iterable[Record], conflict: str) -> None:
        rows = list(records)
        if not rows:
            return
        columns = list(rows[0])
        marks = ", ".join(f"%({column})s" for column in columns)
        sql = f"insert into {table} ({', '.join(columns)}) values ({marks}) {conflict}"  # noqa: S608 -- our names
        with self.transaction(), _translated():
            self._connection.cursor().executemany(sql, rows)

    def _in_transaction(self) -> bool:
        return self._connection.info.transaction_status not in (
            TransactionStatus.IDLE,
            TransactionStatus.UNKNOWN,
        )

    def _begin(self, *, durable: bool) -> None:
        self.execute("begin")
        if not durable:
            self.execute("set local synchronous_commit = off")

    def _commit(self) -> None:
        self.execute("commit")

    def _roll_back(self) -> None:
        if not self._connection.closed:
            with _translated():
                self._connection.execute("rollback")

    def _run(self, sql: str, values: Values) -> "psycopg.Cursor[Row]":
        """Run a statement; outside of a transaction a lost connection is made again first."""
        within_transaction = self._in_transaction()
        try:
            return self._connection.execute(sql.encode(), values or None)
        except psycopg.OperationalError:
            if within_transaction or not self._connection.closed:
                raise
        self._connection = self._connect(_RECONNECT_SECONDS)
        return self._connection.execute(sql.encode(), values or None)

    def _connect(self, patience: float = 0.0) -> "psycopg.Connection[Row]":
        give_up_at = time.monotonic() + patience
        while True:
            try:
                return psycopg.connect(
                    self.address, autocommit=True, connect_timeout=_CONNECT_SECONDS
                )
            except psycopg.Error as error:
                if time.monotonic() >= give_up_at:
                    raise _unusable(error) from error
            time.sleep(_RECONNECT_PAUSE)


def lock_number(name: str) -> int:
    """Return the number by which PostgreSQL knows a lock."""
    digest = hashlib.blake2b(name.encode("utf-8", errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _condition(where: Where) -> tuple[str, list[Any]]:
    """Return the condition of SQL for columns with the values that they may have."""
    conditions: list[str] = []
    values: list[Any] = []
    for column, value in where.items():
        if isinstance(value, str | int | float | bytes | None):
            conditions.append(f"{column} = %s")
            values.append(value)
        else:
            conditions.append(f"{column} = any(%s)")
            values.append(list(value))
    return " and ".join(conditions) or "true", values


def _unusable(error: Exception) -> StorageError:
    reason = " ".join(str(error).split()) or type(error).__name__
    return StorageError(f"the PostgreSQL database cannot be used: {reason}")


@contextmanager
def _translated() -> Iterator[None]:
    """Turn errors of PostgreSQL into StorageError."""
    try:
        yield
    except psycopg.Error as error:
        raise _unusable(error) from error
