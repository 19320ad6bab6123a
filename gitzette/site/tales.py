"""The pages of stories: each story once, as its latest report tells it, by the month of its latest news."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.stories import BARE, Story
from gitzette.site.html import Markup, join, link, tag
from gitzette.site.names import day_path
from gitzette.site.shell import Scene, page
from gitzette.site.summary import Summary
from gitzette.site.timelines import story_key, timeline

_MOST = 60


@dataclass(frozen=True)
class Tale:
    """A story and the report that told its latest news."""

    story: Story
    label: str
    tz: str
    hash: str
    """That of the report."""

    @property
    def month(self) -> str:
        """The month of its latest news."""
        return self.label[:7]


def tales_of(summaries: Sequence[Summary]) -> list[Tale]:
    """Collect the stories of all reports, each once, newest news first."""
    found: dict[str, Tale] = {}
    for one in sorted(summaries, key=lambda one: (one.day, one.label)):
        for story in one.stories:
            if len(story.timeline) > 1 and story.kind not in BARE:
                key = story_key(story)
                found.pop(key, None)
                found[key] = Tale(story, one.label, one.tz, one.hash)
    return list(found.values())[::-1]


def tales_page(tales: Sequence[Tale], scene: Scene) -> str:
    """Show the newest stories, and the way to the older ones."""
    own = scene.labels
    content = join(
        tag("h1", own.stories),
        tag("p", own.stories_note if tales else own.no_stories, class_="summary"),
        [drawn_tale(tale, scene, "h2") for tale in tales[:_MOST]],
        _months(tales, scene),
    )
    return page(scene, f"{own.stories} · Gitzette", content, here="stories")


def month_page(month: str, tales: Sequence[Tale], scene: Scene) -> str:
    """Show the stories whose latest news are of one month."""
    own = scene.labels
    content = join(
        tag("h1", own.stories, " · ", own.month(month)),
        [drawn_tale(tale, scene, "h2") for tale in tales if tale.month == month],
        _months(tales, scene),
    )
    return page(scene, f"{own.stories} · {month} · Gitzette", content, here="stories")


def month_path(month: str) -> str:
    """Name the page of a month's stories."""
    return f"stories/{month}.html"


def drawn_tale(tale: Tale, scene: Scene, level: str) -> Markup:
    """Draw a story with the way to the day that told of it."""
    day = scene.place.to(day_path(tale.label))
    return timeline(tale.story, scene.lang, scene.web, tale.tz, level=level, day=day, told=tale.label)


def _months(tales: Sequence[Tale], scene: Scene) -> Markup | None:
    months = sorted({tale.month for tale in tales}, reverse=True)
    if not months:
        return None
    own = scene.labels
    items = [tag("li", link(scene.place.to(month_path(month)), own.month(month))) for month in months]
    return tag("nav", tag("h2", own.older_stories), tag("ul", items), aria_label=own.older_stories, class_="contents")
