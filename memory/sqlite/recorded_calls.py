"""Recorded calls, their answers, and the runs and reports that need these, in SQLite."""

from collections.abc import Sequence

from agent.domain.evidence_id import EvidenceId
from memory.protocols import RecordOperations
from memory.sqlite.connection import SqliteConnection, json_list

_OLD = "run in (select id from runs where started < ?) or run >= ? and run < ?"


class SqliteRecords(RecordOperations):
    """The tables of calls, artefacts, and who needs them."""

    def __init__(self, db: SqliteConnection) -> None:
        self._db = db

    def has_calls(self, run: str) -> bool:
        """Return True if anything is recorded of a run."""
        return bool(self._db.rows("select 1 from calls where run = ? limit 1", [run]))

    def has_answer_of_kind(self, run: str, kind: str) -> bool:
        """Return True if some call of a run has an answer of this kind."""
        rows = self._db.rows(
            "select 1 from calls join artefacts using (hash) where run = ? and kind = ? limit 1",
            [run, kind],
        )
        return bool(rows)

    def delete_answers_of_kinds(self, run: str, kinds: Sequence[str]) -> None:
        """Delete the calls of a run whose answers are of these kinds."""
        self._db.execute(
            "delete from calls where run = ? and hash in (select hash from artefacts"
            " where kind in (select value from json_each(?)))",
            [run, json_list(kinds)],
        )

    def answer_times(self, run: str, without_kind: str) -> list[tuple[str, str, str]]:
        """Return key, name and moment of the calls of a run, without answers of a kind."""
        rows = self._db.rows(
            "select c.key, c.name, c.at from calls c join artefacts a using (hash)"
            " where c.run = ? and a.kind <> ?",
            [run, without_kind],
        )
        return [(key, name, at) for key, name, at in rows]

    def answer_kinds(self, run: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the kind of the answer of each of these calls that is recorded."""
        rows = self._db.rows(
            "select c.key, a.kind from calls c join artefacts a using (hash)"
            " where c.run = ? and c.key in (select value from json_each(?))",
            [run, json_list(keys)],
        )
        return dict(rows)

    def lasting_answers(self, keys: Sequence[str], without: Sequence[str]) -> dict[str, str]:
        """Return the hash of the answer that some run has under each of these lasting keys."""
        rows = self._db.rows(
            "select c.lasting, c.hash from calls c join artefacts a using (hash)"
            " where c.lasting in (select value from json_each(?))"
            " and a.kind not in (select value from json_each(?))",
            [json_list(keys), json_list(without)],
        )
        return dict(rows)

    def end_lasting(self, key: str | None) -> None:
        """Keep other runs from taking over the answers under a lasting key."""
        self._db.execute("update calls set lasting = null where lasting = ?", [key])

    def cite(self, run: str, window: str, evidence: Sequence[EvidenceId]) -> None:
        """Store that the report of a window cites these artefacts, as a run read them."""
        self._db.execute(
            "insert or ignore into cited (hash, window_key)"
            " select a.hash, ? from artefacts a join holds h using (hash)"
            " where h.run = ? and a.evidence in (select value from json_each(?))",
            [window, run, json_list(evidence)],
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
