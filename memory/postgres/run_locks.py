"""Locks of runs that hold over all machines, by the connection of each run's process."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from memory.postgres.connection import PostgresConnection, lock_number
from memory.runs import RunLocks, still_alive

_CHECKPOINT_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_UNKNOWN_PROCESS = 0


class PostgresRunLocks(RunLocks):
    """Advisory locks; the checkpoints are in the database too."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def checkpoints(self, run: str) -> str:
        """Return the address of the database, in which checkpoints are kept by the run's id."""
        del run
        return self._db.address

    def process(self, run: str) -> int | None:
        """Return None for a run that is dead or done, else 0: its process may be anywhere."""
        if not self._take(run):
            return _UNKNOWN_PROCESS
        self._release(run)
        return None

    @contextmanager
    def hold(self, run: str) -> Iterator[None]:
        """Hold the lock of a run; it ends with the connection."""
        if not self._take(run):
            raise still_alive(run, _UNKNOWN_PROCESS)
        try:
            yield
        finally:
            self._release(run)

    def finish(self, run: str) -> None:
        """Remove what a run that is finished does not need any more."""
        self.forget_checkpoints(run)

    def forget_checkpoints(self, run: str) -> None:
        """Remove the checkpoints of a run."""
        for table in _CHECKPOINT_TABLES:
            self._db.delete(table, {"thread_id": run})

    def prune(self, unfinished: Collection[str]) -> None:
        """Remove the checkpoints of dead runs that will not be resumed, not of conversations."""
        rows = self._db.rows(
            "select distinct thread_id from checkpoints join runs on id = thread_id"
        )
        for (run,) in rows:
            if run not in unfinished and self.process(run) is None:
                self.finish(run)

    def _take(self, run: str) -> bool:
        rows = self._db.rows("select pg_try_advisory_lock(%s)", [lock_number(run)])
        return bool(rows[0][0])

    def _release(self, run: str) -> None:
        self._db.rows("select pg_advisory_unlock(%s)", [lock_number(run)])
