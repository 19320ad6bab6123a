"""Runs, recorded calls, their answers, and the cache of services' answers, in PostgreSQL."""

from collections.abc import Sequence

from agent.domain.evidence_id import EvidenceId
from memory.operations import CacheOperations, RecordOperations, Row, RunOperations
from memory.postgres.connection import PostgresConnection

_RUN = "select id, started, finished, window_key, status, details, recipe from runs"
_OLD = "run in (select id from runs where started < %s) or run >= %s and run < %s"


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


class PostgresRecords(RecordOperations):
    """The tables of calls, artefacts, and who needs them."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def has_calls(self, run: str) -> bool:
        """Return True if anything is recorded of a run."""
        return bool(self._db.rows("select 1 from calls where run = %s limit 1", [run]))

    def has_answer_of_kind(self, run: str, kind: str) -> bool:
        """Return True if some call of a run has an answer of this kind."""
        rows = self._db.rows(
            "select 1 from calls join artefacts using (hash) where run = %s and kind = %s limit 1",
            [run, kind],
        )
        return bool(rows)

    def delete_answers_of_kinds(self, run: str, kinds: Sequence[str]) -> None:
        """Delete the calls of a run whose answers are of these kinds."""
        self._db.execute(
            "delete from calls where run = %s and hash in (select hash from artefacts"
            " where kind = any(%s))",
            [run, list(kinds)],
        )

    def answer_times(self, run: str, without_kind: str) -> list[tuple[str, str, str]]:
        """Return key, name and moment of the calls of a run, without answers of a kind."""
        rows = self._db.rows(
            "select c.key, c.name, c.at from calls c join artefacts a using (hash)"
            " where c.run = %s and a.kind <> %s",
            [run, without_kind],
        )
        return [(key, name, at) for key, name, at in rows]

    def answer_kinds(self, run: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the kind of the answer of each of these calls that is recorded."""
        rows = self._db.rows(
            "select c.key, a.kind from calls c join artefacts a using (hash)"
            " where c.run = %s and c.key = any(%s)",
            [run, list(keys)],
        )
        return dict(rows)

    def lasting_answers(self, keys: Sequence[str], without: Sequence[str]) -> dict[str, str]:
        """Return the hash of the answer that some run has under each of these lasting keys."""
        rows = self._db.rows(
            "select c.lasting, c.hash from calls c join artefacts a using (hash)"
            " where c.lasting = any(%s)"
            " and a.kind <> all(%s)",
            [list(keys), list(without)],
        )
        return dict(rows)

    def end_lasting(self, key: str | None) -> None:
        """Keep other runs from taking over the answers under a lasting key."""
        self._db.execute("update calls set lasting = null where lasting = %s", [key])

    def cite(self, run: str, window: str, evidence: Sequence[EvidenceId]) -> None:
        """Store that the report of a window cites these artefacts, as a run read them."""
        self._db.execute(
            "insert into cited (hash, window_key)"
            " select a.hash, %s from artefacts a join holds h using (hash)"
            " where h.run = %s and a.evidence = any(%s) on conflict do nothing",
            [window, run, list(evidence)],
        )

    def forget(self, day: str, prefix: str) -> int:
        """Delete the calls of runs, and of records named by prefix and day, from before a day."""
        values = [day, prefix, f"{prefix}{day}"]
        deleted = self._db.execute(f"delete from calls where {_OLD}", values)  # noqa: S608 -- constants
        self._db.execute(f"delete from holds where {_OLD}", values)  # noqa: S608 -- constants
        if deleted:
            self._db.execute(
                "delete from artefacts where hash not in (select hash from holds)"
                " and hash not in (select hash from cited)"
            )
        return deleted


class PostgresCache(CacheOperations):
    """The table of services' answers."""

    def __init__(self, db: PostgresConnection) -> None:
        self._db = db

    def touch(self, key: str, day: str) -> None:
        """Store that an answer was used on a day."""
        self._db.execute("update http_cache set used = %s where key = %s", [day, key])

    def forget(self, before: str) -> None:
        """Delete the answers that were last used before a day."""
        self._db.execute("delete from http_cache where used < %s", [before])
