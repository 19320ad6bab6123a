"""How long evidence is kept: while a run that used it can be replayed, and for good where a report cites it."""

import json
from collections.abc import Iterable
from datetime import date

from sqlite_utils import Database

from agent.evidence import EvidenceId
from memory.database import writing

QUESTIONS = "ask-"
"""How the name of the record of a day's questions begins; the day follows."""


class Retention:
    """Deletes the records of old runs, and the artefacts that nothing needs any more."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def cite(self, run: str, window: str, evidence: Iterable[EvidenceId]) -> None:
        """Keep these artefacts as this run read them: the report of a window that was published cites them."""
        with writing(self._db):
            self._db.conn.execute(
                "insert or ignore into cited (hash, window) select a.hash, ? from artefacts a join holds h using (hash)"
                " where h.run = ? and a.evidence in (select value from json_each(?))",
                (window, run, json.dumps(sorted(evidence))),
            )

    def forget(self, before: date) -> int:
        """Delete the records of runs that began before this day; return the number of calls."""
        day = (before.isoformat(),)
        self._forget_questions(before)
        execute = self._db.conn.execute
        with writing(self._db):
            gone = execute("delete from calls where run in (select id from runs where started < ?)", day).rowcount
            if gone:
                execute("delete from holds where run in (select id from runs where started < ?)", day)
                execute(
                    "delete from artefacts where hash not in (select hash from holds)"
                    " and hash not in (select hash from cited)"
                )
        return gone

    def _forget_questions(self, before: date) -> None:
        """Delete what models answered to questions of old days; their records belong to no run."""
        with writing(self._db):
            for table in ("calls", "holds"):
                sql = f"delete from {table} where run >= ? and run < ?"  # noqa: S608 -- two names of ours
                self._db.conn.execute(sql, (QUESTIONS, f"{QUESTIONS}{before.isoformat()}"))
