"""The story of a release: which fixes and changes of stories a version is the first to have."""

from collections.abc import Iterable, Mapping, Sequence

from agent.domain.base import LANGUAGES, Language
from agent.domain.commits import Headline
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Link, Story, StoryStep
from agent.domain.threads import Release
from agent.domain.versions import is_version
from agent.report_languages import catalogue
from agent.stories.timeline import step, story

_MAX_NAMED = 24  # Changes that are named with a release


def final(releases: Iterable[Release]) -> list[Release]:
    """Return the versions, oldest first; candidates, nightly and other builds are none."""
    versions = [release for release in releases if is_version(release.tag)]
    return sorted(versions, key=lambda release: (release.published_at, release.tag))


def with_releases(published: Story, first_releases: Mapping[str, Release]) -> Story:
    """Return a story with the releases that were the first to have its changes, by their hashes."""
    releases: dict[str, Release] = {}
    for cite in published.steps:
        release = first_releases.get(cite.sha)
        if release is not None:
            releases[release.tag] = release
    steps = list(published.timeline)
    steps += [_step(release) for release in releases.values()]
    steps.sort(key=lambda step: (step.at, step.cite))
    return published.model_copy(update={"timeline": tuple(steps)})


def release_story(release: Release, heads: Sequence[Headline]) -> Story:
    """Return the story of a tag: which fixes and changes of stories it is the first to have."""
    newest = heads[-_MAX_NAMED:]
    tag = _step(release)
    steps = [step(release.repo, commit, "landed") for commit in newest]
    names = ", ".join(commit.sha[:9] for commit in newest)
    text: dict[Language, str] = {}
    for lang in LANGUAGES:
        phrases = catalogue(lang)["releases"]
        phrase = phrases["tagged_first_with"] if names else phrases["tagged"]
        text[lang] = phrase.format(tag=release.tag, names=names)
    released = story("released", release.repo, [*steps, tag])
    return released.model_copy(update={"news": (tag.cite,), "text": text})


def fixes(links: Iterable[Link]) -> list[str]:
    """Return, for each issue that is fixed, the hash of the commit that fixed it last."""
    last_fix: dict[EvidenceId, str] = {}
    for link in links:
        is_at_home = link.change.is_commit and link.change.repo == link.issue.repo
        if link.may_read_fixed and is_at_home:
            last_fix[link.issue] = link.change.sha
    return list(last_fix.values())


def _step(release: Release) -> StoryStep:
    return StoryStep(cite=release.id, at=release.published_at, act="released", title=release.name)
