"""The stories of all reports: each once, as its latest report tells it."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.domain.links import BARE
from agent.text.web import Web
from gitzette.render.page import StoryPart
from gitzette.render.stories import story_key, story_part
from gitzette.site.summary import Summary


@dataclass(frozen=True)
class ToldStory:
    """A story and the report that told its latest news."""

    part: StoryPart
    label: str
    month: str
    hash: str
    """That of the report."""


def told_stories(summaries: Sequence[Summary], web: Web) -> list[ToldStory]:
    """Collect the stories of all reports, newest news first."""
    found: dict[str, ToldStory] = {}
    for one in sorted(summaries, key=lambda one: (one.end, one.label)):
        for story in one.stories:
            if len(story.timeline) > 1 and story.kind not in BARE:
                found.pop(story_key(story), None)
                found[story_key(story)] = ToldStory(story_part(story, web, one.tz), one.label, one.month, one.hash)
    return list(found.values())[::-1]
