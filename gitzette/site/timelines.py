"""A story as a timeline: what happened when, oldest first, with the news marked."""

from datetime import datetime

from agent.wordings import words

from agent.settings import Language
from agent.stories import Act, Step, Story
from agent.web import Web
from agent.window import zone
from gitzette.site.html import Child, Markup, link, prose, tag
from gitzette.site.labels import labels
from gitzette.site.names import anchor
from gitzette.site.references import named

_SHOWN = 12
_UNDOING = (Act.UNDONE,)


def timeline(
    story: Story, lang: Language, web: Web, tz: str, *, level: str, day: str | None, told: str = "", most: int = _SHOWN
) -> Markup:
    """Draw a story; `day` is the address of the page that brought the news, `told` its date."""
    say, own = words(lang), labels(lang)
    kind = say.story_kinds[story.kind.value]
    steps = story.timeline
    left_out = max(0, len(steps) - most)
    shown = [steps[0], *steps[left_out + 1 :]] if left_out else list(steps)
    items: list[Child] = [_step(step, story, lang, web, tz) for step in shown]
    if left_out:
        items.insert(1, tag("li", say.more.format(left_out), class_="gap"))
    since = f" · {say.update_since.format(story.since)}" if story.since else None
    missing = own.missing_parts.format(", ".join(map(str, story.missing))) if story.missing else None
    return tag(
        "section",
        tag(level, tag("span", kind, class_="kind"), " ", _name(story)),
        tag("p", story.repo, since, (" · ", link(day, own.news_on.format(told))) if day else None, class_="meta"),
        tag("ol", items, class_="timeline"),
        tag("p", missing, class_="meta") if missing else None,
        class_=f"story {story.kind.value}",
        id=f"s{anchor(story_key(story))}",
    )


def story_key(story: Story) -> str:
    """Name a story by its kind and its first step, which stay while it goes on."""
    return f"{story.kind.value} {story.repo} {story.steps[0] if story.steps else ''}"


def _name(story: Story) -> Markup:
    """Call a story by what it is about: what was done first, or for an issue its title."""
    first = next((step.title for step in story.timeline if step.title), "")
    return prose(first) if first else tag("span", story.repo)


def _step(step: Step, story: Story, lang: Language, web: Web, tz: str) -> Markup:
    say = words(lang)
    name, address = named(step.cite, story.repo, web)
    act = say.acts[step.act.value].format(step.part) if step.act is Act.PART else say.acts[step.act.value]
    news = step.cite in story.news
    return tag(
        "li",
        _time(step.at, tz),
        " ",
        tag("span", act, class_="act"),
        " ",
        tag("span", prose(step.title), class_="title") if step.title else None,
        " ",
        link(address, tag("code", name), rel="noreferrer", class_="sha"),
        class_=" ".join(("news" if news else "past", "undone" if step.act in _UNDOING else "")).strip(),
    )


def _time(at: datetime, tz: str) -> Markup:
    local = at.astimezone(zone(tz))
    return tag("time", f"{local:%Y-%m-%d}", datetime=f"{local:%Y-%m-%d}")
