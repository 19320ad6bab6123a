"""Where a run or a conversation stands: LangGraph's checkpoints, in a private file or in PostgreSQL."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import EnumType
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent.analysts.tasks import Sentences, Task
from agent.domain import claims, commits, facts, ledger, links
from agent.domain.base import StorageError
from agent.domain.claims import Claim, Refused
from agent.domain.report import Failure, Report
from agent.domain.spending import Account
from agent.domain.window import Window
from agent.reports.chapter import Chapter
from agent.settings.values import RepoSpec
from agent.stories.timeline import StoriesFound
from agent.triage.collected import Collected
from graphs.state import CloseReading
from tools.history.cross_repository import Connected

_RUN = (
    Window,
    RepoSpec,
    Collected,
    CloseReading,
    StoriesFound,
    Connected,
    Chapter,
    Failure,
    Report,
)
_DOMAIN = (claims, commits, facts, ledger, links)
_ENUMS = tuple(
    one for module in _DOMAIN for one in vars(module).values() if isinstance(one, EnumType)
)
_OURS = (*_RUN, *_ENUMS, Claim, Task, Refused, Sentences, Account)
"""Everything beside plain data that the state of a run may hold; nothing else is made from a file."""


class _Names(JsonPlusSerializer):
    """Writes the state; of an error only its kind, because its words may be anybody's."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Write one value."""
        return super().dumps_typed(type(obj).__name__ if isinstance(obj, BaseException) else obj)


@asynccontextmanager
async def open_checkpoints(
    place: Path | str, *, precious: bool = False
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Open the checkpoints of one run, or those of all conversations: in a file, or in a PostgreSQL database.

    A damaged file of a run is begun anew: its checkpoints only spare work, and what the run was told is recorded.
    What is nowhere else is `precious`: it is refused and left as it is.
    """
    serde = _Names(allowed_msgpack_modules=_OURS)
    if isinstance(place, str):
        async with _in_postgres(place, serde) as saver:
            yield saver
        return
    try:
        connection = await _connected(place, precious=precious)
        in_file = AsyncSqliteSaver(connection, serde=serde)
        try:
            yield in_file
        finally:
            # A write that the end of the run cuts short would keep the file locked for as long as somebody holds its
            # cursor; with the lock nobody begins another one in between.
            async with in_file.lock:
                await connection.rollback()
                await connection.close()
    except (aiosqlite.Error, OSError) as error:
        what = "the conversations" if precious else "the checkpoints of the run"
        raise StorageError(f"{what} ({place.name}) cannot be used: {error}") from error


@asynccontextmanager
async def _in_postgres(address: str, serde: _Names) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    import psycopg
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg.rows import dict_row

    try:
        connect = psycopg.AsyncConnection.connect(address, autocommit=True, row_factory=dict_row)
        async with await connect as connection:
            yield AsyncPostgresSaver(connection, serde=serde)
    except psycopg.Error as error:
        raise StorageError(
            f"the checkpoints cannot be used: {' '.join(str(error).split())}"
        ) from error


async def _connected(file: Path, *, precious: bool) -> aiosqlite.Connection:
    os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
    connection = await aiosqlite.connect(file, timeout=30)
    try:
        # Like the record of the run: it must survive the death of the process, and that costs no wait for the disk.
        await connection.execute_fetchall("pragma synchronous = normal")
        whole = [row[0] for row in await connection.execute_fetchall("pragma quick_check(1)")] == [
            "ok"
        ]
    except aiosqlite.DatabaseError:
        whole = False
    except BaseException:
        # Somebody stopped the question here: the thread of the connection must not outlive it.
        await connection.close()
        raise
    if whole:
        return connection
    await connection.close()
    if precious:
        raise StorageError(f"{file} is damaged; move it away to begin with new conversations")
    for part in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        part.unlink(missing_ok=True)
    return await _connected(file, precious=False)
