"""The history earlier than a day: commits found by their titles, and the first releases with them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.errors import AppError, NotFound
from agent.domain.evidence import Material
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story, StoryStep
from agent.domain.references import pull_number
from agent.domain.threads import Release
from agent.domain.window import Window
from agent.links.searchable_issues import Known
from agent.ports import CloneSource, CodeSource, Past, StoryMemory
from agent.stories.release_stories import final, fixes, release_story, with_releases
from agent.stories.timeline import NEAR, headline
from agent.triage.first_look_results import Collected

FAR = timedelta(days=400)  # How far back what is named is looked for
_MAX_NAMES = 120  # Numbers, and titles, in a pattern
_MIN_TITLE = 12  # Characters of a title that is looked for
_MAX_TITLE = 60  # Characters of a title that must fit
_PULL_TEMPLATES = (
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "PULL_REQUEST_TEMPLATE.md",
    "docs/pull_request_template.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
)
"""Where GitHub looks for the form of a pull request."""


async def near_past(material: Material, code: CodeSource, memory: StoryMemory) -> Past:
    """Return the titles of the last sixty days, from earlier reports where the source has none."""
    if isinstance(code, CloneSource):
        since = material.window.start - NEAR
        past = await code.headed("", upto=_newest(material), since=since)
        if past is not None:
            return past
    return memory.past(material.repo, material.window)


async def far_past(material: Material, code: CodeSource, pattern: str) -> Sequence[Headline]:
    """Return the commits further back whose titles fit a pattern."""
    if not pattern or not isinstance(code, CloneSource):
        return ()
    since = material.window.start - FAR
    past = await code.headed(pattern, upto=_newest(material), since=since)
    return past.found if past else ()


def naming(numbers: Iterable[int], titles: Iterable[str] = ()) -> str:
    """Return a pattern for the titles of landed pull requests of these numbers, and these titles."""
    alternatives: list[str] = []
    either = "|".join(map(str, sorted(numbers)[:_MAX_NAMES]))
    if either:
        alternatives.append(rf"\(#({either})\)|^Merge pull request #({either}) ")
    title_patterns: list[str] = []
    for title in titles:
        if len(title) >= _MIN_TITLE:
            # Every dialect of regular expressions reads other signs in its own way.
            title_patterns.append(re.sub(r"[^A-Za-z0-9 ]", ".", title[:_MAX_TITLE].strip()))
    alternatives += sorted(title_patterns)[:_MAX_NAMES]
    return "|".join(alternatives)


async def pull_templates(code: CodeSource, collected: Collected) -> tuple[str, ...]:
    """Return the forms for pull requests that a clone has, where the window has pull requests.

    Messages of squashed pull requests have the form even where no thread was read.
    """
    tip = collected.landing.tip
    if tip is None or not isinstance(code, CloneSource):
        return ()
    titles = (row.commit.title for row in collected.landed)
    if not collected.threads.pulls and not any(map(pull_number, titles)):
        return ()
    templates = []
    for path in _PULL_TEMPLATES:
        try:
            text = await code.file(tip, path)
        except AppError:
            continue  # A form only says what not to quote: its absence must not end a report
        if text:
            templates.append(text)
    return tuple(templates)


def _newest(material: Material) -> str:
    commits = [read.evidence for read in material.reads]
    newest = max(commits, key=lambda commit: (commit.at, commit.id))
    return newest.change.commit.sha


async def with_first_releases(
    stories: Sequence[Story], code: CodeSource, window: Window
) -> tuple[Story, ...]:
    """Return stories with the releases that were the first to have their changes."""
    releases = await _first_releases(code, _commits_in(stories, code.repo), window)
    return tuple(with_releases(story, releases) for story in stories)


async def tags_of_window(
    code: CodeSource, window: Window, listed: Sequence[Release]
) -> tuple[Release, ...]:
    """Return the releases that were listed, and the other tags of the window."""
    if not isinstance(code, CloneSource):
        return tuple(listed)
    listed_tags = {release.tag for release in listed}
    releases = list(listed)
    for release in final(await code.tags_made(window.start, window.end)):
        if release.tag not in listed_tags:
            releases.append(release)
    return tuple(releases)


async def release_stories(
    code: CodeSource,
    material: Material,
    issues: Known,
    releases: Sequence[Release],
    earlier: Sequence[Story],
) -> list[Story]:
    """Return a story for each version of the window, with the commits that it is the first to have.

    Commits of earlier stories and fixes of issues are considered.
    """
    window = material.window
    versions = final(release for release in releases if release.published_at in window)
    releases_by_tag = {release.tag: release for release in versions}
    if not releases_by_tag:
        return []
    heads = {commit.sha: commit for commit in _commits_in(earlier, code.repo)}
    for sha in fixes((*issues.links, *material.links)):
        try:
            heads[sha] = headline(await code.resolve(sha))
        except NotFound:
            continue
    commits_by_tag: dict[str, list[Headline]] = defaultdict(list)
    for sha, release in (await _first_releases(code, list(heads.values()), window)).items():
        commits_by_tag[release.tag].append(heads[sha])
    stories: list[Story] = []
    for tag, release in releases_by_tag.items():
        stories.append(release_story(release, commits_by_tag[tag]))
    return stories


def _commits_in(stories: Sequence[Story], repo: RepoId) -> list[Headline]:
    """Return the commits of a repository that are steps of stories, oldest first."""
    steps: dict[EvidenceId, StoryStep] = {}
    for story in stories:
        for step in story.timeline:
            if step.act != "released":
                steps[step.cite] = step
    commits: list[Headline] = []
    for step in sorted(steps.values(), key=lambda step: step.at):
        if not step.cite.is_commit or step.cite.repo != repo:
            continue
        pull = pull_number(step.title)
        commits.append(
            Headline(sha=step.cite.sha, at=step.at, author="", title=step.title, pull=pull)
        )
    return commits


async def _first_releases(
    code: CodeSource, heads: Sequence[Headline], window: Window
) -> Mapping[str, Release]:
    if not heads or not isinstance(code, CloneSource):
        return {}
    return await code.first_tags(heads, until=window.end)
