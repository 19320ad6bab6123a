"""The index of published reports in SQLite."""

from collections.abc import Sequence

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from memory.protocols import ReportOperations, Row, Value
from memory.sqlite.connection import SqliteConnection, json_list


class SqliteReports(ReportOperations):
    """The tables of tips, landed commits, stories and links."""

    def __init__(self, db: SqliteConnection) -> None:
        self._db = db

    def nearest_tip(self, repo: RepoId, end: str) -> str | None:
        """Return the tip at which the last window that ended by a moment was read."""
        rows = self._db.rows(
            "select tip from tips where repo = ? and window_end <= ?"
            " order by window_end desc, window_start desc limit 1",
            [repo, end],
        )
        return rows[0][0] if rows else None

    def has_tip_around(self, repo: RepoId, moment: str) -> bool:
        """Return True if the window of some report holds or touches a moment."""
        rows = self._db.rows(
            "select 1 from tips where repo = ? and window_start <= ? and window_end >= ? limit 1",
            [repo, moment, moment],
        )
        return bool(rows)

    def owners(
        self, repo: RepoId, start: str, end: str, shas: Sequence[str]
    ) -> list[tuple[str, str, int]]:
        """Return sha, window and lateness of commits that reports outside of a window own."""
        rows = self._db.rows(
            "select sha, window_key, late from landed where repo = ?"
            " and (window_end <= ? or window_start >= ?)"
            " and sha in (select value from json_each(?))",
            [repo, start, end, json_list(shas)],
        )
        return [(sha, window_key, late) for sha, window_key, late in rows]

    def links(self, repo: RepoId, since: str, until: str, limit: int) -> list[str]:
        """Return the links of reports that ended in a stretch of time, the newest first."""
        rows = self._db.rows(
            "select body from report_items where kind = 'link' and repo = ?"
            " and window_end > ? and window_end <= ?"
            " order by window_end desc, place desc limit ?",
            [repo, since, until, limit],
        )
        return _first_column(rows)

    def past_commits(self, repo: RepoId, start: str, limit: int) -> list[str]:
        """Return the commits from before a moment that reports until then list, newest first."""
        rows = self._db.rows(
            "select distinct body, at from report_items where kind = 'commit' and repo = ?"
            " and at < ? and window_end <= ? order by at desc, body limit ?",
            [repo, start, start, limit],
        )
        return _first_column(rows)

    def recent_stories(self, repo: RepoId, since: str, until: str) -> list[str]:
        """Return the stories of reports that ended in a stretch of time, oldest first."""
        rows = self._db.rows(
            "select body from report_items where kind = 'story' and repo = ?"
            " and window_end > ? and window_end <= ? order by window_end, place",
            [repo, since, until],
        )
        return _first_column(rows)

    def stories(self, repo: RepoId | None, since: str | None) -> list[tuple[str, str]]:
        """Return the day and the text of all stories, newest first."""
        condition = "kind = 'story'"
        values: list[Value] = []
        if repo is not None:
            condition += " and repo = ?"
            values.append(repo)
        if since is not None:
            condition += " and window_end > ?"
            values.append(since)
        rows = self._db.rows(
            f"select label, body from report_items where {condition}"  # noqa: S608 -- constants
            " order by window_start desc, repo, place",
            values,
        )
        return [(label, body) for label, body in rows]

    def stories_with(self, until: str, cites: Sequence[EvidenceId]) -> list[str]:
        """Return the stories that have one of these as a step, oldest first."""
        rows = self._db.rows(
            "select distinct s.body, s.window_end, s.place, s.window_key, s.repo"
            " from report_items s join story_steps t using (window_key, repo, place)"
            " where s.kind = 'story' and s.window_end <= ?"
            " and t.cite in (select value from json_each(?)) order by s.window_end, s.place",
            [until, json_list(cites)],
        )
        return _first_column(rows)

    def days_with(self, until: str, cites: Sequence[EvidenceId]) -> dict[EvidenceId, str]:
        """Return the last day whose report lists each of these commits."""
        rows = self._db.rows(
            "select l.repo || '@' || l.sha, max(p.label)"
            " from landed l join published p using (window_key)"
            " where l.window_end <= ?"
            " and l.repo || '@' || l.sha in (select value from json_each(?)) group by 1",
            [until, json_list(cites)],
        )
        return {EvidenceId.cited(name): label for name, label in rows}


def _first_column(rows: Sequence[Row]) -> list[str]:
    return [row[0] for row in rows]
