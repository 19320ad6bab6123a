"""The stories in published reports, and in which report each commit stands."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from pydantic import ValidationError

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story
from agent.domain.window import Window
from agent.ports import Past
from agent.stories.timeline import Remembered
from memory.column_values import stamp
from memory.protocols import Database

_MAX_PAST_COMMITS = 2_000
_RECENT = timedelta(days=60)


@dataclass(frozen=True)
class ReportedStory:
    """A story as a report has it."""

    label: str
    story: Story


class Stories:
    """The stories of published reports."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known(self, window: Window, cites: Sequence[EvidenceId]) -> Remembered:
        """Return the earlier reports that list these, and the stories that they are steps of."""
        until = stamp(window.start)
        days = self._db.reports.days_with(until, cites)
        stories = self._db.reports.stories_with(until, cites)
        return Remembered(days=days, stories=_readable(stories))

    def past(self, repo: RepoId, window: Window) -> Past:
        """Return the commits that earlier reports list, for sources that cannot look back.

        The report of this window lists commits from before it too, those that landed late; it
        does not count, so that the same window run again finds the same past.
        """
        bodies = self._db.reports.past_commits(repo, stamp(window.start), _MAX_PAST_COMMITS)
        return Past(found=tuple(Headline.model_validate_json(body) for body in bodies))

    def recent(self, repo: RepoId, window: Window) -> tuple[Story, ...]:
        """Return the stories in reports of the sixty days before, oldest first."""
        since = stamp(window.start - _RECENT)
        return _readable(self._db.reports.recent_stories(repo, since, stamp(window.start)))

    def listed(
        self, *, repo: RepoId | None = None, since: str | None = None
    ) -> list[ReportedStory]:
        """Return every story in its latest form, newest news first."""
        stories: list[ReportedStory] = []
        listed_keys: set[_StoryKey] = set()
        for label, body in self._db.reports.stories(repo, since):
            for story in _readable([body]):
                keys = _keys(story)
                if not keys & listed_keys:
                    stories.append(ReportedStory(label, story))
                    listed_keys |= keys
        return stories


class _StoryKey(NamedTuple):
    """What two forms of the same story share: its kind, and one step or its first and last one."""

    kind: str
    first: EvidenceId | None
    last: EvidenceId | None = None


def _keys(story: Story) -> set[_StoryKey]:
    """Return the keys of which two forms of the same story share at least one."""
    sort = "lineage" if story.kind in ("revert", "reland") else story.kind
    # Releases are steps of many stories, and a release has many fixes.
    commits = [step.cite for step in story.timeline if step.act != "released"]
    if sort in ("lineage", "series"):
        return {_StoryKey(sort, cite) for cite in commits}
    first = commits[0] if commits else None
    last = commits[-1] if commits else None
    if sort == "released":
        last = story.steps[-1]
    return {_StoryKey(sort, first, last)}


def _readable(texts: Iterable[str]) -> tuple[Story, ...]:
    """Return stories from their JSON, without those that another version wrote otherwise."""
    stories = []
    for text in texts:
        with suppress(ValidationError):
            stories.append(Story.model_validate_json(text))
    return tuple(stories)
