"""The first releases with commits of stories, and the stories of releases."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.errors import NotFound
from agent.domain.evidence import Material
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story, StoryStep
from agent.domain.references import pull_number
from agent.domain.threads import Release
from agent.domain.window import Window
from agent.links.searchable_issues import Known
from agent.ports import CloneSource, CodeSource
from agent.stories.release_stories import final, fixes, release_story, with_releases
from agent.stories.timeline import headline


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
