"""What earlier days know of issues: which are open and what they are about, and what reports told of them."""

import json
from datetime import timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Coverage, Notice, NoticeKind, Threads
from agent.domain.links import Link
from agent.domain.window import Window
from agent.links.issues import Digest, Known, digest
from memory.database import Database, stamp

_MOST = 2_000
"""How many open issues and told links of a repository are given; the newest."""
_BACK = timedelta(days=180)


class OpenIssues:
    """The open issues of each repository as they were when last seen, so that only the first run lists them all."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_open(self, repo: RepoId, window: Window | None = None) -> frozenset[int]:
        """List the numbers of the issues that were open when last seen.

        With a window, none where reports have left out the days before it: what was closed then is not known, and the
        list has to be made anew.
        """
        if window is not None and not self._up_to_date(repo, window):
            return frozenset()
        return frozenset(row[0] for row in self._db.rows("select number from open_issues where repo = ?", [repo]))

    def known(self, repo: RepoId, window: Window) -> Known:
        """Tell what earlier days know of the issues: what the open ones are about, and what reports told of them."""
        issues: tuple[Digest, ...] = ()
        if self._up_to_date(repo, window):
            sql = "select digest from open_issues where repo = ? order by number desc limit ?"
            issues = tuple(Digest.model_validate_json(row[0]) for row in self._db.rows(sql, [repo, _MOST]))
        return Known(issues=issues, links=self._links(repo, window), told=self._important(repo, window))

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        row = self._db.row("select notice from open_listings where repo = ?", [repo])
        return Notice.model_validate_json(row[0]) if row else None

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Add the issues that are open now, drop those that are closed, and after a new listing all others."""
        gone = [issue.number for issue in threads.issues if issue.state == "closed"]
        opened = [
            {"repo": repo, "number": issue.number, "digest": digest(issue).model_dump_json()}
            for issue in threads.issues
            if issue.state == "open"
        ]
        with self._db.transaction():
            self.put_notices(repo, threads.notices)
            if relisted and threads.coverage is not Coverage.NOT_READ:
                self._db.execute("delete from open_issues where repo = ?", [repo])
            self._db.execute("delete from open_issues where repo = ? and number = any(?)", [repo, gone])
            self._db.upsert("open_issues", opened, ("repo", "number"))

    def put_notices(self, repo: RepoId, notices: tuple[Notice, ...]) -> None:
        """Store that a listing of the open issues was cut short, if these notices say so."""
        cut = [notice.model_dump_json() for notice in notices if notice.kind is NoticeKind.OPEN_CAPPED]
        self._db.upsert("open_listings", ({"repo": repo, "notice": one} for one in cut), ("repo",))

    def _links(self, repo: RepoId, window: Window) -> tuple[Link, ...]:
        """List what reports of the half year before a window told of fixes, oldest first."""
        rows = self._db.rows(
            "select body from report_items where kind = 'link' and repo = ? and window_end <= ? and window_end > ?"
            " order by window_end desc, place desc limit ?",
            [repo, stamp(window.start), stamp(window.start - _BACK), _MOST],
        )
        return tuple(Link.model_validate_json(row[0]) for row in reversed(rows))

    def _important(self, repo: RepoId, window: Window) -> dict[int, str]:
        """Tell which open issues reports before a window called important, and how they stood at last."""
        rows = self._db.rows(
            "select body from report_items where kind = 'important' and repo = ? and window_end <= ?"
            " order by window_end, place",
            [repo, stamp(window.start)],
        )
        return dict(json.loads(row[0]) for row in rows)

    def _up_to_date(self, repo: RepoId, window: Window) -> bool:
        """Tell whether some report reaches up to this window, or is this window's own."""
        sql = "select 1 from tips where repo = ? and window_start <= ? and window_end >= ? limit 1"
        return self._db.row(sql, [repo, stamp(window.start), stamp(window.start)]) is not None
