"""The open issues of each repository as last seen, so that only the first run lists them all."""

from datetime import timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Notice
from agent.domain.links import Link
from agent.domain.threads import Threads
from agent.domain.window import Window
from agent.links.searchable_issues import Digest, Known, digest
from memory.column_values import stamp
from memory.protocols import Database, Record

_MAX_ISSUES = 2_000  # Open issues of a repository that are compared with changes; the newest
_MAX_LINKS = 2_000
_LINKS_SINCE = timedelta(days=180)
_CUT_SHORT = "open-capped"  # The notice that a listing of the open issues ended before its end
_NOT_ALL_LISTED = (_CUT_SHORT, "anonymous", "anonymous-limit")


class OpenIssues:
    """The issues that were open when last seen."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_open(self, repo: RepoId, window: Window | None = None) -> frozenset[int]:
        """Return the numbers of the issues that were open when last seen.

        With a window, none where no report covers the days before it: what was closed then is
        not known, and the list has to be fetched again.
        """
        if window is not None and not self._is_up_to_date(repo, window):
            return frozenset()
        rows = self._db.select("open_issues", ["number"], {"repo": repo})
        return frozenset(number for (number,) in rows)

    def known(self, repo: RepoId, window: Window) -> Known:
        """Return what the open issues are about, and what earlier reports said of fixes."""
        issues: tuple[Digest, ...] = ()
        if self._is_up_to_date(repo, window):
            issues = self._newest_digests(repo)
        return Known(issues=issues, links=self._links(repo, window))

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Return the notice that a listing of the open issues ended before its end."""
        rows = self._db.select("open_listings", ["notice"], {"repo": repo})
        return Notice.model_validate_json(rows[0][0]) if rows else None

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Add the issues that are open now, and drop those that are closed.

        After a new listing all others are dropped too, and after a complete one the notice that an
        earlier listing was cut short. One that failed drops nothing.
        """
        is_listed = relisted and threads.coverage != "not read"
        is_complete = not any(notice.kind in _NOT_ALL_LISTED for notice in threads.notices)
        closed: list[int] = []
        opened: list[Record] = []
        for issue in threads.issues:
            if issue.state == "closed":
                closed.append(issue.number)
            elif issue.state == "open":
                text = digest(issue).model_dump_json()
                opened.append({"repo": repo, "number": issue.number, "digest": text})
        with self._db.transaction():
            self.put_cut_short(repo, threads.notices)
            if is_listed:
                self._db.delete("open_issues", {"repo": repo})
            if is_listed and is_complete:
                self._db.delete("open_listings", {"repo": repo})
            self._db.delete("open_issues", {"repo": repo, "number": closed})
            self._db.upsert("open_issues", opened, ("repo", "number"))

    def put_cut_short(self, repo: RepoId, notices: tuple[Notice, ...]) -> None:
        """Store the notice that a listing of the open issues was cut short, if it is among these."""
        for notice in notices:
            if notice.kind == _CUT_SHORT:
                record = {"repo": repo, "notice": notice.model_dump_json()}
                self._db.upsert("open_listings", [record], ("repo",))

    def _newest_digests(self, repo: RepoId) -> tuple[Digest, ...]:
        rows = self._db.select("open_issues", ["number", "digest"], {"repo": repo})
        rows.sort(reverse=True)
        return tuple(Digest.model_validate_json(text) for _, text in rows[:_MAX_ISSUES])

    def _links(self, repo: RepoId, window: Window) -> tuple[Link, ...]:
        """Return what reports of the half year before a window said of fixes, oldest first."""
        since = stamp(window.start - _LINKS_SINCE)
        bodies = self._db.reports.links(repo, since, stamp(window.start), _MAX_LINKS)
        return tuple(Link.model_validate_json(body) for body in reversed(bodies))

    def _is_up_to_date(self, repo: RepoId, window: Window) -> bool:
        """Return True if some report reaches up to this window, or is this window's own."""
        return self._db.reports.has_tip_around(repo, stamp(window.start))
