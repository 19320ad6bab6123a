"""What published reports told of issues: what fixed them, and which open ones are important."""

from datetime import timedelta

from sqlite_utils import Database

from agent.ids import RepoId
from agent.links import Link, Relation
from agent.report import Report, RepoSection
from agent.window import Window
from memory.columns import stamp
from memory.database import reading

_BACK = timedelta(days=180)
_MOST = 2_000


class Told:
    """The links and important issues of earlier reports, by window: a window that is told anew replaces its own."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def links(self, repo: RepoId, window: Window) -> tuple[Link, ...]:
        """List what reports of the half year before a window told of fixes, oldest first."""
        query = (
            "select body from (select rowid, end, body from told_links where repo = ? and end <= ? and end > ?"
            " order by end desc, rowid desc limit ?) order by end, rowid"
        )
        with reading():
            rows = self._db.execute(query, [repo, stamp(window.start), stamp(window.start - _BACK), _MOST]).fetchall()
        return tuple(Link.model_validate_json(row[0]) for row in rows)

    def important(self, repo: RepoId, window: Window) -> dict[int, str]:
        """Tell which open issues reports before a window called important, and how they stood at last."""
        query = "select number, mark from told_issues where repo = ? and end <= ? order by end"
        with reading():
            rows = self._db.execute(query, [repo, stamp(window.start)]).fetchall()
        return dict(rows)

    def put(self, report: Report, section: RepoSection) -> None:
        """Store what a report tells of one repository; the caller holds the transaction."""
        window, repo, execute = report.window, section.repo, self._db.conn
        where = (repo, window.key, stamp(window.end))
        execute.execute("delete from told_links where repo = ? and window = ?", where[:2])
        execute.execute("delete from told_issues where repo = ? and window = ?", where[:2])
        execute.executemany(
            "insert into told_links (repo, window, end, body) values (?, ?, ?, ?)",
            [
                (*where, link.model_dump_json())
                for link in report.links
                if link.change.startswith(f"{repo}@") and link.relation is not Relation.MENTIONS
            ],
        )
        execute.executemany(
            "insert into told_issues (repo, window, end, number, mark) values (?, ?, ?, ?, ?)",
            [(*where, line.number, line.mark) for line in section.issues if line.event == "important"],
        )
