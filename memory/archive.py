"""What published reports leave behind, stored together: who owns which commit, and what was said."""

from collections.abc import Sequence

from sqlite_utils import Database

from agent.report import Report
from memory.database import reading, writing
from memory.issues import OpenIssues
from memory.landings import Landings
from memory.recall import Recall
from memory.told import Told
from memory.told_stories import ToldStories


class Archive:
    """The memory of published reports: a report is in it whole or not at all."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._landings, self._recall, self._issues = Landings(db), Recall(db), OpenIssues(db)
        self._stories = ToldStories(db)
        self._told = Told(db)

    def remember(self, report: Report) -> None:
        """Store what a report that was just published covers; the same window again replaces what it covered before."""
        with writing(self._db):
            self._put(report)

    def rebuild(self, reports: Sequence[Report]) -> None:
        """Store reports that are published but not known, oldest first: after this the memory is as if it had been.

        What is known already is left as it is, also when another process stored it a moment ago.
        """
        with writing(self._db):
            for report in sorted(reports, key=lambda one: (one.window.end, one.window.start)):
                if not self._known(report.window.key):
                    self._put(report)
                    for section in report.sections:
                        self._issues.put_notices(section)

    def unknown(self, windows: set[str]) -> set[str]:
        """Tell which of these windows, by their keys, have no report in the memory."""
        with reading():
            return {window for window in windows if not self._known(window)}

    def _known(self, window: str) -> bool:
        return self._db.execute("select 1 from published where window = ?", [window]).fetchone() is not None

    def _put(self, report: Report) -> None:
        window = report.window
        for section in report.sections:
            rows = report.rows(section.repo)
            self._told.put(report, section)
            if section.tip is not None:
                self._landings.put(
                    section.repo,
                    window,
                    base=section.known_tip,
                    tip=section.first_tip or section.tip,
                    rows=[row.sha for row in rows if not row.late],
                    late=[row.sha for row in rows if row.late],
                )
        self._recall.put(report)
        self._stories.put(report)
        self._db.conn.execute(
            "insert or replace into published (window, label) values (?, ?)", (window.key, window.label)
        )
