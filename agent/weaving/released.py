"""The story of an issue, the commit that fixed it and the release in which the fix can be had."""

from collections.abc import Mapping, Sequence

from agent.domain import Commit, Issue, Release
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.linking.digest import Digest
from agent.links import Link
from agent.report import ThreadLine
from agent.stories import Act, Step, Story, StoryKind


def released_fixes(lines: Sequence[ThreadLine], links: Sequence[Link], repo: RepoId) -> dict[int, EvidenceId]:
    """Name, for each issue whose fix is in a release of the window, the commit that fixed it last."""
    released = {line.number for line in lines if line.release}
    fixes = [link for link in links if link.may_read_fixed and link.issue.startswith(f"{repo}#") and "@" in link.change]
    numbered = {int(link.issue.rpartition("#")[2]): link.change for link in fixes}
    return {number: change for number, change in numbered.items() if number in released}


def released_stories(
    repo: RepoId,
    lines: Sequence[ThreadLine],
    fixed_by: Mapping[int, Commit],
    issues: Sequence[Issue | Digest],
    releases: Sequence[Release],
) -> list[Story]:
    """Tell issue, fix and release of every fix that came out in the window; the release is the news."""
    opened = {issue.number: issue for issue in issues}
    published = {release.tag: release for release in releases}
    stories = []
    for line in lines:
        issue, fix, release = opened.get(line.number), fixed_by.get(line.number), published.get(line.release or "")
        if issue is None or fix is None or release is None:
            continue
        steps = (
            Step(cite=issue.id, at=issue.created_at, act=Act.OPENED, title=issue.title),
            Step(cite=fix.id, at=fix.committed_at, act=Act.LANDED, title=fix.title),
            Step(cite=f"{repo}@{release.tag}", at=release.published_at, act=Act.RELEASED, title=release.name),
        )
        names = tuple(step.cite for step in steps)
        stories.append(Story(kind=StoryKind.RELEASED, repo=repo, steps=names, timeline=steps, news=names[-1:]))
    return stories
