"""The table of runs in PostgreSQL."""

from memory.postgres.connection import PostgresConnection
from memory.protocols import Row, RunOperations

_RUN = "select id, started, finished, window_key, status, details, recipe from runs"


class PostgresRuns(RunOperations):
    """The table of runs."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def begin(self, run: str, started: str, window: str, recipe: str | None) -> None:
        """Store that a run has started or goes on; runs are numbered in this order."""
        self._db.execute(
            "insert into runs (id, started, window_key, status, recipe, number)"
            " values (%s, %s, %s, 'running', %s, (select coalesce(max(number), 0) + 1 from runs))"
            " on conflict (id) do update set status = 'running', finished = null",
            [run, started, window, recipe],
        )

    def end(self, run: str, finished: str, status: str, details: str) -> None:
        """Store how a run ended."""
        self._db.execute(
            "update runs set finished = %s, status = %s, details = %s where id = %s",
            [finished, status, details, run],
        )

    def latest(self, limit: int) -> list[Row]:
        """Return the newest runs first."""
        return self._db.rows(f"{_RUN} order by started desc, number desc limit %s", [limit])

    def with_prefix(self, prefix: str, limit: int) -> list[Row]:
        """Return the runs whose ids begin with a prefix, the greatest id first."""
        sql = f"{_RUN} where substr(id, 1, %s) = %s order by id desc limit %s"
        return self._db.rows(sql, [len(prefix), prefix, limit])

    def started_since(self, day: str) -> list[tuple[str, str]]:
        """Return the id and the status of the runs that began on this day or later."""
        rows = self._db.rows("select id, status from runs where started >= %s", [day])
        return [(run, status) for run, status in rows]
