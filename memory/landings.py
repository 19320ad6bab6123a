"""Which report each landed commit belongs to, and where the branch stood when it was read."""

import json
from collections.abc import Iterable

from sqlite_utils import Database

from agent.ids import RepoId
from agent.ledger import Owner
from agent.window import Window
from memory.columns import stamp
from memory.database import reading, writing


class Landings:
    """The ownership of landed commits, so that consecutive runs cover each of them exactly once."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_tip(self, repo: RepoId, window: Window) -> str | None:
        """Find the tip from which "late" is counted.

        It is the tip that the nearest earlier window was read at; a window that is read again keeps the tip it had
        the first time, so that what it found late stays its own.
        """
        own = self._one("select base from tips where repo = ? and window = ?", repo, window.key)
        if own is not None:
            return own or None
        earlier = "select tip from tips where repo = ? and end <= ? order by end desc, start desc limit 1"
        return self._one(earlier, repo, stamp(window.start))

    def elsewhere(self, repo: RepoId, window: Window, shas: Iterable[str]) -> dict[str, Owner]:
        """Tell which of these commits other reports own; reports whose window overlaps this one do not count."""
        with reading():
            rows = self._db.query(
                "select sha, window, late from landed where repo = ? and (end <= ? or start >= ?)"
                " and sha in (select value from json_each(?))",
                [repo, stamp(window.start), stamp(window.end), json.dumps(list(shas))],
            )
            return {row["sha"]: Owner(row["window"], late=bool(row["late"])) for row in rows}

    def remember(self, repo: RepoId, window: Window, *, tip: str, rows: Iterable[str], late: Iterable[str]) -> None:
        """Store what a published report covers; the same window again replaces what it covered before.

        The tip stays that of the first time: a later one would hide what landed since then from the next window, and
        what this window told in between is known to be its own.
        """
        with writing(self._db):
            self.put(repo, window, base=None, tip=tip, rows=rows, late=late)

    def put(
        self, repo: RepoId, window: Window, *, base: str | None, tip: str, rows: Iterable[str], late: Iterable[str]
    ) -> None:
        """Store it inside a transaction of the caller's; `base` is the tip it was counted from, where that is known."""
        where = {"repo": repo, "window": window.key, "start": stamp(window.start), "end": stamp(window.end)}
        if base is None:
            base = self.known_tip(repo, window) or ""
        self._db.table("tips").insert(where | {"base": base, "tip": tip}, ignore=True)
        self._db.table("landed").delete_where("repo = ? and window = ?", [repo, window.key])
        for shas, is_late in ((rows, 0), (late, 1)):
            self._db.table("landed").insert_all((where | {"sha": sha, "late": is_late} for sha in shas), replace=True)

    def _one(self, sql: str, *values: str) -> str | None:
        with reading():
            row = self._db.execute(sql, list(values)).fetchone()
        return None if row is None else str(row[0])
