"""The stories that published reports told, found again by what they are made of."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ValidationError

from agent.domain.base import EvidenceId, RepoId
from agent.domain.commits import Headline
from agent.domain.links import Act, Story
from agent.domain.window import Window
from agent.ports.sources import Past
from agent.stories.timeline import Remembered
from memory.database import Database, Value, stamp

_MOST = 2_000
_RECENT = timedelta(days=60)


@dataclass(frozen=True)
class ToldStory:
    """A story as a report told it."""

    label: str
    story: Story


class Stories:
    """Remembers stories, and in which report each commit stands."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Tell in which earlier reports these stand, and which stories of those reports they belong to."""
        asked: list[Value] = [stamp(window.start), list(cites)]
        days = self._db.rows(
            "select l.repo || '@' || l.sha, max(p.label) from landed l join published p using (window_key)"
            " where l.window_end <= ? and l.repo || '@' || l.sha = any(?) group by 1",
            asked,
        )
        stories = self._db.rows(
            "select distinct s.window_end, s.place, s.window_key, s.repo, s.body from report_items s"
            " join story_steps t using (window_key, repo, place)"
            " where s.kind = 'story' and s.window_end <= ? and t.cite = any(?) order by s.window_end, s.place",
            asked,
        )
        return Remembered(days=dict(days), stories=_readable(row[4] for row in stories))

    def past(self, repo: RepoId, window: Window) -> Past:
        """Give what earlier reports list of a repository, for sources that cannot look back themselves."""
        rows = self._db.rows(
            "select distinct at, body from report_items where kind = 'commit' and repo = ? and at < ?"
            " order by at desc, body limit ?",
            [repo, stamp(window.start), _MOST],
        )
        return Past(found=tuple(Headline.model_validate_json(row[1]) for row in rows))

    def recent(self, repo: RepoId, window: Window) -> tuple[Story, ...]:
        """Give the stories that the reports of the sixty days before told of a repository, oldest first."""
        rows = self._db.rows(
            "select body from report_items where kind = 'story' and repo = ? and window_end <= ? and window_end > ?"
            " order by window_end, place",
            [repo, stamp(window.start), stamp(window.start - _RECENT)],
        )
        return _readable(row[0] for row in rows)

    def listed(self, *, repo: RepoId | None = None, since: str | None = None) -> list[ToldStory]:
        """List every story in its latest form, newest news first."""
        wanted = {"kind = ?": "story", "repo = ?": repo, "window_end > ?": since}
        given = {condition: value for condition, value in wanted.items() if value is not None}
        sql = f"select label, body from report_items where {' and '.join(given)}"  # noqa: S608 -- words of ours
        told: list[ToldStory] = []
        seen: set[tuple[str, EvidenceId]] = set()
        for label, body in self._db.rows(f"{sql} order by window_start desc, repo, place", list(given.values())):
            for story in _readable([body]):
                if not _keys(story) & seen:
                    told.append(ToldStory(label, story))
                    seen |= _keys(story)
        return told


def _keys(story: Story) -> set[tuple[str, EvidenceId]]:
    """Name what makes two tellings one story: the same sort, and its steps."""
    sort = "lineage" if story.kind.value in ("revert", "reland") else story.kind.value
    # Releases are steps of many stories, and a release has many fixes.
    commits = [step.cite for step in story.timeline if step.act is not Act.RELEASED]
    if sort in ("lineage", "series"):
        return {(sort, cite) for cite in commits}
    return {(sort, f"{commits[:1]} {story.steps[-1] if sort == 'released' else commits[-1:]}")}


def _readable(texts: Iterable[str]) -> tuple[Story, ...]:
    """Read stories back; one that an older or newer version wrote otherwise is left out."""
    found = []
    for text in texts:
        with suppress(ValidationError):
            found.append(Story.model_validate_json(text))
    return tuple(found)
