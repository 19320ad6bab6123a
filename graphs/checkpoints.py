"""Checkpoints of runs and conversations, in a private file or in PostgreSQL."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from enum import EnumType
from pathlib import Path
from typing import Any, get_args, get_type_hints

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from pydantic import BaseModel
from typing_extensions import is_typeddict

from agent.domain import claims, commits, facts, ledger, links
from agent.domain.errors import StorageError
from graphs.state import AnalysisState, Day, PartState, RepositoryState

_STATES = (Day, PartState, RepositoryState, AnalysisState)
_DOMAIN = (claims, commits, facts, ledger, links)


def _readable_types() -> Iterator[type]:
    """Yield everything beside plain data that the state of a run may hold.

    Nothing else is made from a file.
    """
    for state in _STATES:
        yield from _models_in(state)
    for module in _DOMAIN:
        yield from (value for value in vars(module).values() if isinstance(value, EnumType))


def _models_in(hint: Any) -> Iterator[type]:
    """Yield the models that occur in a type."""
    if is_typeddict(hint):
        for inner in get_type_hints(hint).values():
            yield from _models_in(inner)
    elif isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    for argument in get_args(hint):
        yield from _models_in(argument)


class _StateSerializer(JsonPlusSerializer):
    """Writes the state; of an error only its kind, because its words may be anybody's."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Write one value."""
        return super().dumps_typed(type(obj).__name__ if isinstance(obj, BaseException) else obj)


@asynccontextmanager
async def open_checkpoints(
    location: Path | str, *, precious: bool = False
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Open the checkpoints of one run, or of all conversations: in a file, or in a database.

    A damaged file of a run is begun anew: the run starts over, with the answers that are on record.
    What is nowhere else is `precious`: it is refused and left as it is.
    """
    serde = _StateSerializer(allowed_msgpack_modules=tuple(dict.fromkeys(_readable_types())))
    if isinstance(location, str):
        async with _in_postgres(location, serde) as saver:
            yield saver
        return
    try:
        connection = await _connected(location, precious=precious)
        in_file = AsyncSqliteSaver(connection, serde=serde)
        try:
            yield in_file
        finally:
            # A write that the end of the run cuts short would keep the file locked for as long as
            # somebody holds its cursor; with the lock nobody begins another one in between.
            async with in_file.lock:
                await connection.rollback()
                await connection.close()
    except (aiosqlite.Error, OSError) as error:
        what = "the conversations" if precious else "the checkpoints of the run"
        raise StorageError(f"{what} ({location.name}) cannot be used: {error}") from error


@asynccontextmanager
async def _in_postgres(
    address: str, serde: _StateSerializer
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    import psycopg
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg.rows import dict_row

    try:
        connect = psycopg.AsyncConnection.connect(address, autocommit=True, row_factory=dict_row)
        async with await connect as connection:
            yield AsyncPostgresSaver(connection, serde=serde)
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise StorageError(f"the checkpoints cannot be used: {reason}") from error


async def _connected(file: Path, *, precious: bool) -> aiosqlite.Connection:
    os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
    connection = await aiosqlite.connect(file, timeout=30)
    try:
        # As for the record of the run: checkpoints must survive the death of the process, and
        # that needs no wait for the disk.
        await connection.execute_fetchall("pragma synchronous = normal")
        rows = await connection.execute_fetchall("pragma quick_check(1)")
        is_sound = [row[0] for row in rows] == ["ok"]
    except aiosqlite.DatabaseError:
        is_sound = False
    except BaseException:
        # Somebody stopped the question here: the thread of the connection must not outlive it.
        await connection.close()
        raise
    if is_sound:
        return connection
    await connection.close()
    if precious:
        raise StorageError(f"{file} is damaged; move it away to begin with new conversations")
    for part in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        part.unlink(missing_ok=True)
    return await _connected(file, precious=False)
