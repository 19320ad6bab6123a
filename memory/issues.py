"""Which issues are open, so that only the first run has to list them all."""

from sqlite_utils import Database

from agent.domain import Notice, NoticeKind, Threads
from agent.ids import RepoId
from agent.report import RepoSection
from memory.database import reading, writing


class OpenIssues:
    """The open issues of each repository, as they were when last seen."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known_open(self, repo: RepoId) -> frozenset[int]:
        """List the numbers of the issues that were open when last seen."""
        with reading():
            rows = self._db.table("open_issues").rows_where("repo = ?", [repo], select="number")
            return frozenset(row["number"] for row in rows)

    def cut_short(self, repo: RepoId) -> Notice | None:
        """Tell where the one listing of the open issues ended before its end."""
        with reading():
            row = self._db.execute("select notice from open_listings where repo = ?", [repo]).fetchone()
        return None if row is None else Notice.model_validate_json(row[0])

    def put_lines(self, section: RepoSection) -> None:
        """Store what a published report says of the issues; the caller holds the transaction and goes oldest first."""
        for line in section.issues:
            if line.event == "opened":
                row = {"repo": section.repo, "number": line.number, "title": line.title, "updated": line.at.isoformat()}
                self._db.table("open_issues").upsert(row, pk=("repo", "number"))
        for line in section.issues:
            if line.event != "opened":
                self._db.table("open_issues").delete_where("repo = ? and number = ?", [section.repo, line.number])
        for notice in section.coverage_notices:
            if notice.kind is NoticeKind.OPEN_CAPPED:
                row = {"repo": section.repo, "notice": notice.model_dump_json()}
                self._db.table("open_listings").upsert(row, pk="repo")

    def remember(self, repo: RepoId, threads: Threads) -> None:
        """Add the issues that are open now, drop those that are closed."""
        seen = threads.issues
        cut = next((notice for notice in threads.notices if notice.kind is NoticeKind.OPEN_CAPPED), None)
        with writing(self._db):
            if cut is not None:
                row = {"repo": repo, "notice": cut.model_dump_json()}
                self._db.table("open_listings").upsert(row, pk="repo")
            self._db.table("open_issues").upsert_all(
                (
                    {"repo": repo, "number": i.number, "title": i.title, "updated": i.updated_at.isoformat()}
                    for i in seen
                    if i.state == "open"
                ),
                pk=("repo", "number"),
            )
            for issue in seen:
                if issue.state == "closed":
                    self._db.table("open_issues").delete_where("repo = ? and number = ?", [repo, issue.number])
