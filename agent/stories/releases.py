"""Releases as steps: which changes of stories and which fixes of issues a tag is the first to have."""

from collections.abc import Iterable, Mapping, Sequence

from agent.domain.commits import Commit, Headline, Issue, Release
from agent.domain.links import Act, Link, Step, Story, StoryKind
from agent.links.digest import Digest
from agent.links.headlines import headline
from agent.stories.joining import step, story, with_steps

_MOST = 24


def with_releases(one: Story, first: Mapping[str, Release]) -> Story:
    """Add to a story's timeline the releases that were the first to have its changes, by their hashes."""
    found = {release.tag: release for cite in one.steps if (release := first.get(cite.partition("@")[2]))}
    dated = with_steps(one, (*one.timeline, *map(_step, found.values())))
    return dated.model_copy(update={"steps": one.steps})


def release_story(release: Release, heads: Sequence[Headline]) -> Story:
    """Tell that a tag was made, and which changes of stories it is the first to have."""
    names = ", ".join(head.sha[:9] for head in heads[-_MOST:])
    en, zh = (f"; first with {names}.", f"；首次包含 {names}。") if names else (".", "。")
    steps = [step(release.repo, head, Act.LANDED) for head in heads[-_MOST:]]
    return _released(release, steps, f"{release.tag} was tagged{en}", f"{release.tag} 已打标签{zh}")


def fix_story(issue: Issue | Digest, fix: Commit, release: Release) -> Story:
    """Tell of an issue, its fix and the first release that has the fix."""
    opened = Step(cite=issue.id, at=issue.created_at, act=Act.OPENED, title=issue.title)
    steps = [opened, step(fix.repo, headline(fix), Act.LANDED)]
    return _released(release, steps, f"First in {release.tag}.", f"首见于 {release.tag}。")


def fixes(links: Iterable[Link]) -> dict[str, str]:
    """Name, for each issue that is fixed, the hash of the commit that fixed it last."""
    told = [one for one in links if one.may_read_fixed and "@" in one.change]
    return {one.issue: one.change.partition("@")[2] for one in told if one.change.startswith(one.issue.split("#")[0])}


def _step(release: Release) -> Step:
    name = f"{release.repo}@{release.tag}"
    return Step(cite=name, at=release.published_at, act=Act.RELEASED, title=release.name)


def _released(release: Release, steps: Sequence[Step], en: str, zh: str) -> Story:
    tag = _step(release)
    told = story(StoryKind.RELEASED, release.repo, [*steps, tag])
    return told.model_copy(update={"news": (tag.cite,), "text": {"en": en, "zh": zh}})
