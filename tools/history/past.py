"""The landed line before a day, and the tags: which commits had a title, and which release was first to have them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import AppError, NotFound, RepoId
from agent.domain.commits import Headline, Release
from agent.domain.evidence import Material
from agent.domain.links import Story
from agent.domain.references import pull_number
from agent.domain.window import Window
from agent.links.issue_digest import Known
from agent.ports import CloneSource, CodeSource, Past, StoryMemory
from agent.stories.releases import final, fixes, release_story, with_releases
from agent.stories.timeline import NEAR, headline
from agent.triage.collected import Collected

FAR = timedelta(days=400)  # How far back what is named is looked for
_MOST_NAMES, _SHORTEST_TITLE = 120, 12
_PULL_TEMPLATES = tuple(
    f"{folder}{name}.md"
    for folder in (".github/", "", "docs/")
    for name in ("pull_request_template", "PULL_REQUEST_TEMPLATE")
)
"""Where GitHub looks for the form of a pull request."""


async def near_past(material: Material, code: CodeSource, told: StoryMemory) -> Past:
    """Read the titles of the last sixty days; where the source cannot, take what earlier reports list."""
    found = None
    if isinstance(code, CloneSource):
        found = await code.headed("", upto=_newest(material), since=material.window.start - NEAR)
    return found or told.past(material.repo, material.window)


async def far_past(material: Material, code: CodeSource, pattern: str) -> Sequence[Headline]:
    """Look further back for titles that fit a pattern."""
    if not pattern or not isinstance(code, CloneSource):
        return ()
    found = await code.headed(pattern, upto=_newest(material), since=material.window.start - FAR)
    return found.found if found else ()


def naming(numbers: Iterable[int], titles: Iterable[str] = ()) -> str:
    """Write what the titles of landed pull requests of these numbers, and these titles, must fit."""
    either = "|".join(map(str, sorted(numbers)[:_MOST_NAMES]))
    # Of other signs every dialect has its own reading.
    plain = sorted(
        re.sub(r"[^A-Za-z0-9 ]", ".", one[:60].strip())
        for one in titles
        if len(one) >= _SHORTEST_TITLE
    )
    return "|".join(
        ([rf"\(#({either})\)|^Merge pull request #({either}) "] if either else [])
        + plain[:_MOST_NAMES]
    )


async def pull_templates(code: CodeSource, collected: Collected) -> tuple[str, ...]:
    """Return the forms for pull requests that a clone has, where the window has pull requests."""
    tip = collected.landing.tip
    if tip is None or not collected.threads.pulls or not isinstance(code, CloneSource):
        return ()
    templates = []
    for path in _PULL_TEMPLATES:
        try:
            text = await code.file(tip, path)
        except AppError:
            continue  # A form only tells what not to quote: its absence must not end a report
        if text:
            templates.append(text)
    return tuple(templates)


def _newest(material: Material) -> str:
    newest = max((read.evidence for read in material.reads), key=lambda one: (one.at, one.id))
    return newest.change.commit.sha


async def with_first_releases(
    stories: Sequence[Story], code: CodeSource, window: Window
) -> tuple[Story, ...]:
    """Add to stories the releases that were the first to have their changes."""
    first = await _first(code, _heads(stories, code.repo), window)
    return tuple(with_releases(one, first) for one in stories)


async def tags_of_window(
    code: CodeSource, window: Window, listed: Sequence[Release]
) -> tuple[Release, ...]:
    """Give the releases that were listed, and the tags of the window that nobody listed."""
    made = await code.tags_made(window.start, window.end) if isinstance(code, CloneSource) else ()
    known = {one.tag for one in listed}
    return (*listed, *(one for one in final(made) if one.tag not in known))


async def release_stories(
    code: CodeSource,
    material: Material,
    known: Known,
    releases: Sequence[Release],
    earlier: Sequence[Story],
) -> list[Story]:
    """Tell the tags of the window, and which changes of earlier stories and fixes each is the first to have."""
    fresh = {
        one.tag: one
        for one in final(one for one in releases if one.published_at in material.window)
    }
    if not fresh:
        return []
    heads = {head.sha: head for head in _heads(earlier, code.repo)}
    for sha in fixes((*known.links, *material.links)):
        try:
            heads[sha] = headline(await code.resolve(sha))
        except NotFound:
            continue
    first = await _first(code, [*heads.values()], material.window)
    having = {tag: [heads[sha] for sha, one in first.items() if one.tag == tag] for tag in fresh}
    return [release_story(one, having[tag]) for tag, one in fresh.items()]


def _heads(stories: Sequence[Story], repo: RepoId) -> list[Headline]:
    steps = {step.cite: step for one in stories for step in one.timeline if step.act != "released"}
    return [
        Headline(
            sha=cite.sha,
            at=one.at,
            author="",
            title=one.title,
            pull=pull_number(one.title),
        )
        for cite, one in sorted(steps.items(), key=lambda pair: pair[1].at)
        if cite.is_commit and cite.repo == repo
    ]


async def _first(
    code: CodeSource, heads: Sequence[Headline], window: Window
) -> Mapping[str, Release]:
    return (
        await code.first_tags(heads, until=window.end)
        if heads and isinstance(code, CloneSource)
        else {}
    )
