"""Releases as steps: which changes of stories and which fixes of issues a tag is the first to have."""

import re
from collections.abc import Mapping, Sequence

from agent.domain import Commit, Issue, Release
from agent.ids import RepoId, commit_id, thread_id
from agent.linking.digest import Digest
from agent.links import Link
from agent.sources import Headline
from agent.stories import Act, Step, Story, StoryKind
from agent.story_finding.joining import step, story

_MOST = 24
_VERSION = re.compile(r"v?\d+(?:\.\d+){1,3}(?:[.-]?post\d+)?", re.ASCII)
"""A final release, as PEP 440 and semantic versioning write it; `rc1` and `-dev` are none."""


def is_version(tag: str) -> bool:
    """Tell the tag of a final release from that of a candidate, a night or another artefact."""
    return _VERSION.fullmatch(tag) is not None


def final(releases: Sequence[Release]) -> list[Release]:
    """Keep the versions; where a project tags every build, only the newest of them."""
    ordered = sorted(releases, key=lambda one: (one.published_at, one.tag))
    return [one for one in ordered if is_version(one.tag)] or ordered[-1:]


def release_step(release: Release) -> Step:
    """Make a step of a tag."""
    name = f"{release.repo}@{release.tag}"
    return Step(cite=name, at=release.published_at, act=Act.RELEASED, title=release.name)


def with_releases(one: Story, first: Mapping[str, Release]) -> Story:
    """Add to a story the releases that were the first to have its changes, by their hashes."""
    found = {f"{r.repo}@{r.tag}": r for cite in one.steps if (r := first.get(cite.partition("@")[2]))}
    steps = sorted((*one.timeline, *map(release_step, found.values())), key=lambda step: step.at)
    return one.model_copy(update={"timeline": tuple(steps), "steps": tuple(step.cite for step in steps)})


def release_story(release: Release, heads: Sequence[Headline]) -> Story:
    """Tell that a tag was made, and which changes of stories it is the first to have."""
    repo, tag = release.repo, release_step(release)
    told = story(StoryKind.RELEASED, repo, [*(step(repo, head, Act.LANDED) for head in heads[-_MOST:]), tag])
    names = ", ".join(head.sha[:9] for head in heads[-_MOST:])
    text = {
        "en": f"{release.tag} was tagged" + (f"; first with {names}." if names else "."),
        "zh": f"{release.tag} 已打标签" + (f"；首次包含 {names}。" if names else "。"),
    }
    return told.model_copy(update={"news": (tag.cite,), "text": text})


def fixed_commits(links: Sequence[Link], repo: RepoId) -> dict[int, str]:
    """Name, for each issue that is fixed, the hash of the commit that fixed it last."""
    fixes = [link for link in links if link.may_read_fixed and link.issue.startswith(f"{repo}#") and "@" in link.change]
    return {int(link.issue.rpartition("#")[2]): link.change.rpartition("@")[2] for link in fixes}


def fix_stories(
    repo: RepoId,
    fixes: Mapping[int, Commit],
    issues: Sequence[Issue | Digest],
    released: Mapping[int, Release],
) -> list[Story]:
    """Tell issue, fix and release of every fix that came out in the window; the release is the news."""
    opened = {issue.number: issue for issue in issues}
    stories = []
    for number, release in released.items():
        issue, fix = opened.get(number), fixes.get(number)
        if issue is None or fix is None:
            continue
        steps = (
            Step(cite=thread_id(repo, number), at=issue.created_at, act=Act.OPENED, title=issue.title),
            Step(cite=commit_id(repo, fix.sha), at=fix.committed_at, act=Act.LANDED, title=fix.title),
            release_step(release),
        )
        names = tuple(one.cite for one in steps)
        text = {"en": f"First in {release.tag}.", "zh": f"首见于 {release.tag}。"}
        one = Story(kind=StoryKind.RELEASED, repo=repo, steps=names, timeline=steps, news=names[-1:])
        stories.append(one.model_copy(update={"text": text}))
    return stories
