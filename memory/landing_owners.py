"""Which report owns which landed commit, so that consecutive reports cover each exactly once."""

from collections.abc import Iterable, Mapping

from agent.domain.base import RepoId
from agent.domain.ledger import Owner
from agent.domain.window import Window
from memory.column_values import stamp
from memory.protocols import Database, Record


class Landings:
    """The ownership of landed commits, and the tip of each branch at each window."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_tip(self, repo: RepoId, window: Window) -> str | None:
        """Return the tip from which "late" is counted.

        It is the tip that the nearest earlier window was read at; a window that is read again
        keeps the tip it had the first time, so that what it found late stays its own.
        """
        bases = self._db.select("tips", ["base"], {"repo": repo, "window_key": window.key})
        if bases:
            [(base,)] = bases
            return base or None
        return self._db.reports.nearest_tip(repo, stamp(window.start))

    def elsewhere(self, repo: RepoId, window: Window, shas: Iterable[str]) -> dict[str, Owner]:
        """Return the other reports that own these commits, by hash; overlapping ones do not count."""
        owners = self._db.reports.owners(repo, stamp(window.start), stamp(window.end), list(shas))
        return {sha: Owner(window_key, late=bool(late)) for sha, window_key, late in owners}

    def put(
        self,
        repo: RepoId,
        window: Window,
        tip: str,
        owned: Mapping[str, bool],
        base: str | None = None,
    ) -> None:
        """Store which commits a published report covers, and whether each is late.

        The same window again replaces that. `base` is the tip from which late was counted, where
        that is known. The tip stays that of the first time: a later one would hide what landed
        since then from the next window.
        """
        common = {
            "repo": repo,
            "window_key": window.key,
            "window_start": stamp(window.start),
            "window_end": stamp(window.end),
        }
        if base is None:
            base = self.known_tip(repo, window) or ""
        landed: list[Record] = []
        for sha, late in owned.items():
            landed.append({**common, "sha": sha, "late": int(late)})
        with self._db.transaction():
            self._db.insert_missing("tips", [{**common, "base": base, "tip": tip}])
            self._db.delete("landed", {"repo": repo, "window_key": window.key})
            self._db.insert("landed", landed)
