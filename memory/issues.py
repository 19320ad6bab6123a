"""Which issues are open, so that only the first run has to list them all."""

from collections.abc import Iterable

from sqlite_utils import Database

from agent.domain import Issue
from agent.ids import RepoId
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

    def remember(self, repo: RepoId, issues: Iterable[Issue]) -> None:
        """Add those that are open now and drop those that are closed."""
        seen = list(issues)
        with writing(self._db):
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
