"""Whether as many commits landed as a report says, and on the branch that it names."""

from collections.abc import Sequence

from agent.audit.library import Library
from agent.audit.page import Page
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, wrong
from agent.domain import Commit
from agent.ids import RepoId

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles")
"""Where a report that names no zone may have cut its days."""


class Landings:
    """Counts what landed in the days of one report."""

    def __init__(self, page: Page, library: Library) -> None:
        self._page = page
        self._library = library

    def finding(self, statement: Statement) -> Finding:
        """Judge what is said of a repository as a whole."""
        if statement.predicate == "landed":
            return self._landed(statement)
        repo = statement.repo
        real = self._library.branches.get(repo) if repo else None
        if real is None or repo is None:
            return statement.ruled(UNVERIFIABLE, self._library.unread(repo))
        if statement.predicate == "branch":
            verdict = RIGHT if real == statement.params["branch"] else wrong("metadata")
            return statement.ruled(verdict, f"the branch is {real}")
        rows, shown = len(self._library.landed.get(repo, ())), int(statement.params["shown"])
        # More may have come to light since: commits that landed late belong to a later report.
        verdict = RIGHT if rows == shown else wrong("count") if shown > rows else UNVERIFIABLE
        return statement.ruled(verdict, f"{rows} commits landed, {shown} are listed")

    def _landed(self, statement: Statement) -> Finding:
        """Compare a count with what landed in one repository, or in several together."""
        window = self._library.window
        own = (statement.repo,) if statement.repo else ()
        repos = tuple(map(RepoId, statement.params.get("repos", "").split())) or own
        unread = next((repo for repo in repos if repo not in self._library.landed), None)
        if not repos or unread is not None or window is None:
            why = self._library.unread(unread) if window else "the report's day is not known"
            return statement.ruled(UNVERIFIABLE, why)
        rows = [self._library.landed[repo] for repo in repos]
        real, stated = sum(map(len, rows)), int(statement.params["commits"])
        why = f"{', '.join(repos)}: {real} commits landed on {window.label} ({window.tz})"
        if stated == real:
            return statement.ruled(RIGHT, why)
        if self._library.days.guessed:
            return statement.ruled(UNVERIFIABLE, f"{why}; which days are meant is not said")
        if stated in self._otherwise(rows) | self._elsewhere(repos):
            return statement.ruled(UNVERIFIABLE, f"{why}; counted in another way it is {stated}")
        return statement.ruled(wrong("count"), why)

    def _otherwise(self, counted: Sequence[Sequence[Commit]]) -> set[int]:
        """Count without merges, and with what they brought in."""
        rows = [row for each in counted for row in each]
        merges = [row for row in rows if row.is_merge]
        members = [self._library.members.get(row.id) for row in merges]
        all_told = len(rows) + sum(count or 0 for count in members)
        return {len(rows) - len(merges), all_told, all_told - len(merges)} if merges else set()

    def _elsewhere(self, repos: Sequence[RepoId]) -> set[int]:
        """Count the same days of other zones, where the report does not say which it means."""
        if self._library.days.tz is not None:
            return set()
        windows = [window for tz in ZONES if (window := self._library.days.window(tz))]
        lines = [self._library.lines.get(repo, ()) for repo in repos]
        return {sum(row.committed_at in window for line in lines for row in line) for window in windows}
