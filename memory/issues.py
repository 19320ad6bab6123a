"""Which issues are open and what they are about, so that only the first run has to list them all."""

from sqlite_utils import Database

from agent.domain import Coverage, Notice, NoticeKind, Threads
from agent.ids import RepoId
from agent.linking.digest import Digest, digest
from agent.linking.known import Known
from agent.report import RepoSection
from agent.window import Window
from memory.columns import stamp
from memory.database import reading, writing
from memory.told import Told

_MOST = 2_000
"""How many open issues of a repository are kept in mind; the newest."""


class OpenIssues:
    """The open issues of each repository, as they were when last seen."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._told = Told(db)

    def known_open(self, repo: RepoId, window: Window | None = None) -> frozenset[int]:
        """List the numbers of the issues that were open when last seen.

        With a window, none where reports have left out the days before it: what was closed then is not known, and the
        list has to be made anew.
        """
        if window is not None and not self._up_to_date(repo, window):
            return frozenset()
        with reading():
            rows = self._db.execute("select number from open_issues where repo = ? and digest is not null", [repo])
            return frozenset(row[0] for row in rows.fetchall())

    def known(self, repo: RepoId, window: Window) -> Known:
        """Tell what earlier days know of the issues: what the open ones are about, and what reports told of them."""
        issues: tuple[Digest, ...] = ()
        if self._up_to_date(repo, window):
            with reading():
                rows = self._db.execute(
                    "select digest from open_issues where repo = ? and digest is not null order by number desc limit ?",
                    [repo, _MOST],
                ).fetchall()
            issues = tuple(Digest.model_validate_json(row[0]) for row in rows)
        return Known(issues=issues, links=self._told.links(repo, window), told=self._told.important(repo, window))

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        with reading():
            row = self._db.execute("select notice from open_listings where repo = ?", [repo]).fetchone()
        return None if row is None else Notice.model_validate_json(row[0])

    def put_notices(self, section: RepoSection) -> None:
        """Store what a published report says of its listing; the caller holds the transaction.

        The open issues themselves are not in a report: after a loss they are listed anew.
        """
        for notice in section.coverage_notices:
            if notice.kind is NoticeKind.OPEN_CAPPED:
                row = {"repo": section.repo, "notice": notice.model_dump_json()}
                self._db.table("open_listings").upsert(row, pk="repo")

    def remember(self, repo: RepoId, threads: Threads, *, relisted: bool = False) -> None:
        """Add the issues that are open now, drop those that are closed, and after a new listing all others."""
        cut = next((notice for notice in threads.notices if notice.kind is NoticeKind.OPEN_CAPPED), None)
        rows = [
            (repo, one.number, one.title, one.updated_at.isoformat(), digest(one).model_dump_json())
            for one in threads.issues
            if one.state == "open"
        ]
        with writing(self._db):
            if cut is not None:
                row = {"repo": repo, "notice": cut.model_dump_json()}
                self._db.table("open_listings").upsert(row, pk="repo")
            execute = self._db.conn
            if relisted and threads.coverage is not Coverage.NOT_READ:
                execute.execute("delete from open_issues where repo = ?", (repo,))
            gone = [(repo, issue.number) for issue in threads.issues if issue.state == "closed"]
            execute.executemany("delete from open_issues where repo = ? and number = ?", gone)
            execute.executemany(
                "insert or replace into open_issues (repo, number, title, updated, digest) values (?, ?, ?, ?, ?)", rows
            )

    def _up_to_date(self, repo: RepoId, window: Window) -> bool:
        """Tell whether some report reaches up to this window, or is this window's own."""
        start = stamp(window.start)
        with reading():
            found = self._db.execute(
                "select 1 from tips where repo = ? and start <= ? and end >= ? limit 1", [repo, start, start]
            ).fetchone()
        return found is not None
