"""The database behind a narrow set of calls: rows, execute, insert, upsert, transaction.

The SQL outside of this module and of `postgres.py` is common to SQLite and PostgreSQL: parameters are `?`, a list is
asked for with `= any(?)`, rows are replaced with `upsert`, moments are texts in UTC, no column has a reserved name.
"""

import fcntl
import hashlib
import json
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from agent.domain.base import StorageError

FILE_NAME = "memory.db"
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WAIT = 10  # Seconds to wait for a lock; another run holds it only for moments
Row = tuple[Any, ...]
Value = Any  # A text, a number, bytes, nothing, or a list for `= any(?)`


class Database(ABC):
    """A connection. Errors of the database become errors of ours, in one line."""

    types: Mapping[str, str]
    """The types of columns: text where nothing is said, `integer`, `real`, `bytes`, and `number`, given by itself."""

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run a statement and give its rows."""
        found: list[Row] = self._run(sql, values).fetchall()
        return found

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """Run a statement and give its first row, if it has one."""
        return next(iter(self.rows(sql, values)), None)

    def execute(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Run a statement and give the number of rows that it changed."""
        return int(self._run(sql, values).rowcount)

    def insert(self, table: str, rows: Iterable[Mapping[str, Value]], conflict: str = "") -> None:
        """Insert rows; `conflict` is a clause for those that are there already."""
        for columns, same in groupby(rows, key=tuple):
            marks = ", ".join("?" * len(columns))
            sql = f"insert into {table} ({', '.join(columns)}) values ({marks}) {conflict}"  # noqa: S608 -- our names
            self._run_many(sql, (tuple(row.values()) for row in same))

    def upsert(self, table: str, rows: Iterable[Mapping[str, Value]], keys: Sequence[str]) -> None:
        """Insert rows, in place of those with the same keys."""
        for columns, same in groupby(rows, key=tuple):
            taken = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in keys)
            self.insert(table, same, f"on conflict ({', '.join(keys)}) do update set {taken}")

    def insert_missing(self, table: str, rows: Iterable[Mapping[str, Value]]) -> None:
        """Insert the rows that are not there yet."""
        self.insert(table, rows, "on conflict do nothing")

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[None]:
        """Write everything inside or nothing; a transaction within another one belongs to it.

        What is not `durable` survives the death of the process, but perhaps not that of the machine; it costs no wait
        for the disk.
        """
        if self._in_transaction:
            yield
            return
        self._begin(durable=durable)
        try:
            yield
            self.execute("commit")
        except BaseException:
            self._roll_back()
            raise

    def create_table(
        self,
        name: str,
        columns: Sequence[str],
        key: Sequence[str] = (),
        indexes: Iterable[Sequence[str]] = (),
    ) -> None:
        """Create a table and its indexes unless they are there; a column is a text unless a type follows a colon."""
        typed = [
            f"{column} {self.types[kind]}"
            for column, _, kind in (one.partition(":") for one in columns)
        ]
        typed += [f"primary key ({', '.join(key)})"] if key else []
        self.execute(f"create table if not exists {name} ({', '.join(typed)})")
        for index in indexes:
            self.execute(
                f"create index if not exists idx_{name}_{'_'.join(index)} on {name} ({', '.join(index)})"
            )

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def lock(self, name: str) -> None:
        """Let nobody else who asks for the same name go on before the end of this transaction."""

    @abstractmethod
    def tables(self) -> set[str]:
        """Name the tables."""

    @abstractmethod
    def check(self) -> None:
        """Raise StorageError if what is stored is damaged."""

    @property
    @abstractmethod
    def _in_transaction(self) -> bool: ...

    @abstractmethod
    def _begin(self, *, durable: bool) -> None: ...

    @abstractmethod
    def _roll_back(self) -> None: ...

    @abstractmethod
    def _run(self, sql: str, values: Sequence[Value]) -> Any: ...

    @abstractmethod
    def _run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None: ...


class SqliteDatabase(Database):
    """A file, or a database that is gone with the process."""

    types = {  # noqa: RUF012
        "": "text",
        "integer": "integer",
        "real": "real",
        "bytes": "blob",
        "number": "integer primary key",
    }

    def __init__(self, file: Path | None = None) -> None:
        self._name = str(file or "the memory")
        self._connection = sqlite3.connect(file or ":memory:", timeout=_WAIT, isolation_level=None)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def lock(self, name: str) -> None:
        """Do nothing: a transaction has the whole file."""

    def tables(self) -> set[str]:
        """Name the tables."""
        return {row[0] for row in self.rows("select name from sqlite_master where type = 'table'")}

    def check(self) -> None:
        """Read the whole file, and raise StorageError if it is damaged."""
        [(finding,)] = self.rows("pragma integrity_check(1)")
        if finding != "ok":
            raise _damaged(self._name, " ".join(str(finding).split()))

    @property
    def _in_transaction(self) -> bool:
        return self._connection.in_transaction

    def _begin(self, *, durable: bool) -> None:
        """Take the lock at the start, where SQLite waits for another run."""
        self.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
        self.execute("begin immediate")

    def _roll_back(self) -> None:
        self._connection.rollback()

    def _run(self, sql: str, values: Sequence[Value]) -> Any:
        bound = [json.dumps(value) if isinstance(value, list) else value for value in values]
        with self._translated():
            return self._connection.execute(_native(sql), bound)

    def _run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        with self._translated():
            self._connection.executemany(sql, rows)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of SQLite into StorageError."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) in _DAMAGE:
                raise _damaged(self._name, str(error)) from error
            raise StorageError(f"the memory ({FILE_NAME}) cannot be used: {error}") from error
        except sqlite3.Error as error:
            raise StorageError(f"the memory ({FILE_NAME}) cannot be used: {error}") from error


def _damaged(name: str, finding: str) -> StorageError:
    """Return the error that a file is damaged, with what can be done about it."""
    return StorageError(
        f"{name} is damaged ({finding}); move it away, and the next run reads the published reports"
        " back into a new one"
    )


@contextmanager
def exclusive_file(home: Path) -> Iterator[SqliteDatabase]:
    """Connect to the file below `home`, which is made if needed, while no other process creates or upgrades it.

    A damaged file is refused and left as it is.
    """
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(home, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
            db = SqliteDatabase(file)
            try:
                _check(db, file)
                yield db
            except BaseException:
                db.close()
                raise
        finally:
            os.close(lock)
    except (OSError, sqlite3.OperationalError) as error:
        raise StorageError(
            f"cannot open {file}: {error}; check the permissions or set GITZETTE_HOME"
        ) from error


def stamp(moment: datetime | None) -> str:
    """Write a moment so that the order of texts is that of time; nothing for none."""
    return moment.astimezone(UTC).strftime(_MOMENT) if moment else ""


def moment_of(text: str) -> datetime:
    """Read a moment that `stamp` wrote."""
    return datetime.fromisoformat(text)


def number_of(name: str) -> int:
    """Give the number by which a lock or an index knows a word."""
    return int.from_bytes(
        hashlib.blake2b(name.encode("utf-8", errors="replace"), digest_size=8).digest(), signed=True
    )


def clean(text: str) -> str:
    """Replace what a database cannot hold: names of files may carry bytes that are no text, and zero bytes."""
    return text.encode("utf-8", errors="replace").decode("utf-8").replace("\0", "?")


def _check(db: SqliteDatabase, file: Path) -> None:
    try:
        db._connection.execute("select count(*) from sqlite_master").fetchone()
        db._connection.execute("pragma journal_mode = wal")
    except sqlite3.DatabaseError as error:
        raise StorageError(
            f"{file} is damaged or locked ({error}); it was left as it is: move it away to start anew"
        ) from error


@lru_cache(maxsize=512)
def _native(sql: str) -> str:
    return sql.replace("= any(?)", "in (select value from json_each(?))")
