"""The stories that published reports told, found again by what they are made of."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ValidationError
from sqlite_utils import Database

from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.report import Report
from agent.sources import Headline, Past
from agent.stories import Act, Story
from agent.story_finding.found import Remembered
from agent.window import Window
from memory.columns import clean, stamp
from memory.database import reading

_MOST = 2_000
_RECENT = timedelta(days=60)


@dataclass(frozen=True)
class Told:
    """A story as a report told it."""

    label: str
    story: Story


class ToldStories:
    """Remembers stories, and in which report each commit stands."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, report: Report) -> None:
        """Store the stories of a report over those of the same window; the caller holds the transaction."""
        window, execute = report.window, self._db.conn.execute
        start, end = stamp(window.start), stamp(window.end)
        for repo in {section.repo for section in report.sections}:
            for table in ("stories", "story_steps", "headlines"):
                execute(f"delete from {table} where window = ? and repo = ?", (window.key, repo))  # noqa: S608
            for place, story in enumerate(one for one in report.stories if one.repo == repo):
                data = story.model_dump_json()
                execute(
                    "insert into stories (window, repo, place, label, start, end, data) values (?, ?, ?, ?, ?, ?, ?)",
                    (window.key, repo, place, window.label, start, end, data),
                )
                steps = ((window.key, repo, place, step) for step in dict.fromkeys(story.steps))
                self._db.conn.executemany(
                    "insert into story_steps (window, repo, place, cite) values (?, ?, ?, ?)", steps
                )
            rows = (
                (window.key, repo, row.sha, stamp(row.landed_at), row.author, row.title, row.pull)
                for row in report.rows(repo)
            )
            self._db.conn.executemany(
                "insert into headlines (window, repo, sha, at, author, title, pull) values (?, ?, ?, ?, ?, ?, ?)",
                ((*row[:4], clean(row[4]), clean(row[5]), row[6]) for row in rows),
            )

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories of those reports they belong to."""
        asked, before = json.dumps(list(cites)), stamp(window.start)
        with reading():
            days = self._db.execute(
                "select l.repo || '@' || l.sha, max(p.label) from landed l join published p using (window)"
                " where l.end <= ? and l.repo || '@' || l.sha in (select value from json_each(?)) group by 1",
                [before, asked],
            ).fetchall()
            stories = self._db.execute(
                "select distinct s.window, s.repo, s.place, s.data from stories s"
                " join story_steps t using (window, repo, place)"
                " where s.end <= ? and t.cite in (select value from json_each(?)) order by s.end, s.place",
                [before, asked],
            ).fetchall()
        return Remembered(days=dict(days), stories=tuple(filter(None, (_story(row[3]) for row in stories))))

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository, for sources that cannot look back themselves."""
        before = stamp(window.start)
        with reading():
            rows = self._db.execute(
                "select distinct sha, at, author, title, pull from headlines h join published p using (window)"
                " where repo = ? and at < ? order by at desc, sha limit ?",
                [repo, before, _MOST],
            ).fetchall()
        return Past(found=tuple(Headline(sha=r[0], at=r[1], author=r[2], title=r[3], pull=r[4]) for r in rows))

    def recent(self, repo: RepoId, window: Window) -> tuple[Story, ...]:
        """Give the stories that the reports of the sixty days before told of a repository, oldest first."""
        before, since = stamp(window.start), stamp(window.start - _RECENT)
        with reading():
            rows = self._db.execute(
                "select data from stories where repo = ? and end <= ? and end > ? order by end, place",
                [repo, before, since],
            ).fetchall()
        return tuple(story for row in rows if (story := _story(row[0])))

    def listed(self, *, repo: RepoId | None = None, since: str | None = None) -> list[Told]:
        """List every story in its latest form, newest news first."""
        with reading():
            rows = self._db.execute(
                "select label, data from stories where (? is null or repo = ?) and (? is null or end > ?)"
                " order by start desc, repo, place",
                [repo, repo, since, since],
            ).fetchall()
        told: list[Told] = []
        seen: set[tuple[str, EvidenceId]] = set()
        for label, data in rows:
            story = _story(data)
            if story is None or _keys(story) & seen:
                continue
            seen |= _keys(story)
            told.append(Told(label, story))
        return told


def _keys(story: Story) -> set[tuple[str, EvidenceId]]:
    """Name what makes two tellings one story: the same sort, and its steps."""
    sort = "lineage" if story.kind.value in ("revert", "reland") else story.kind.value
    if sort in ("lineage", "series"):
        return {(sort, step.cite) for step in story.timeline if step.act is not Act.RELEASED}
    # Releases are steps of many stories, and a release has many fixes.
    commits = [step.cite for step in story.timeline if step.act is not Act.RELEASED]
    return {(sort, f"{commits[:1]} {story.steps[-1] if sort == 'released' else commits[-1:]}")}


def _story(data: str) -> Story | None:
    """Read a story back; one that an older or newer version wrote otherwise is left out."""
    try:
        return Story.model_validate_json(data)
    except ValidationError:
        return None
