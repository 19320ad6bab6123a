"""Stories as timelines: what happened when, oldest first."""

from agent.domain.links import BARE, Act, Step, Story, StoryKind
from agent.domain.window import zone
from agent.web import Web
from gitzette.render.names import named, place_of
from gitzette.render.page import StoryPart
from gitzette.render.pieces import Citation

_STEPS = 12


def story_part(story: Story, web: Web, tz: str) -> StoryPart:
    """Tell a story: its first step, and the latest ones."""
    left_out = max(0, len(story.timeline) - _STEPS)
    shown = [*story.timeline[:1], *story.timeline[left_out + 1 :]] if left_out else story.timeline
    title = next((step.title for step in story.timeline if step.title), story.repo)
    steps = tuple((step, _cited(step, story, web, tz)) for step in shown)
    return StoryPart(story, f"s{place_of(story_key(story))}", title, steps, left_out)


def _cited(step: Step, story: Story, web: Web, tz: str) -> Citation:
    name, url = named(step.cite, story.repo, web)
    return Citation(id=step.cite, name=name, url=url, title=step.title, when=f"{step.at.astimezone(zone(tz)):%Y-%m-%d}")


def goes_on(story: Story) -> bool:
    """Tell whether a story has its own place.

    That a fix was released stands among the issues already, and what a commit names or changes stands with it.
    """
    steps = [step for step in story.timeline if step.act is not Act.RELEASED]
    older = any(step.cite not in story.news for step in steps)
    return story.kind not in (StoryKind.RELEASED, *BARE) and older and len(steps) > 1


def story_key(story: Story) -> str:
    """Name a story by its kind and its first step, which stay while it goes on."""
    return f"{story.kind.value} {story.repo} {story.steps[0] if story.steps else ''}"
