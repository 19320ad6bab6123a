"""Which tags were the first to have the changes of stories and the fixes of issues, as git shows it."""

from collections.abc import Mapping, Sequence

from agent.analyst import Material
from agent.domain import Commit, Issue, Release
from agent.errors import NotFound
from agent.evidence import EvidenceId
from agent.headlines import headline, pull_named
from agent.ids import RepoId
from agent.linking.digest import Digest, Known
from agent.release_tags import final
from agent.sources import CodeSource, Headline, KnowsTags, ListsTags
from agent.stories import Act, Story
from agent.story_finding.releases import fix_story, fixes, release_story, with_releases
from agent.window import Window


async def with_first_releases(stories: Sequence[Story], code: CodeSource, window: Window) -> tuple[Story, ...]:
    """Add to stories the releases that were the first to have their changes."""
    first = await _first(code, _heads(stories, code.repo), window)
    return tuple(with_releases(one, first) for one in stories)


async def tags_of_window(code: CodeSource, window: Window, listed: Sequence[Release]) -> tuple[Release, ...]:
    """Give the releases that were listed, and the tags of the window that nobody listed."""
    made = await code.tags_made(window.start, window.end) if isinstance(code, ListsTags) else ()
    known = {one.tag for one in listed}
    return (*listed, *(one for one in final(made) if one.tag not in known))


async def release_stories(
    code: CodeSource, material: Material, known: Known, releases: Sequence[Release], earlier: Sequence[Story]
) -> list[Story]:
    """Tell the tags of the window, which changes of earlier stories each is the first to have, and which fixes."""
    fresh = {one.tag: one for one in final(one for one in releases if one.published_at in material.window)}
    issues: dict[EvidenceId, Issue | Digest] = {one.id: one for one in known.issues}
    issues |= {one.id: one for one in material.issues}
    fixed: dict[EvidenceId, Commit] = {}
    for issue, sha in fixes((*known.links, *material.links)).items() if fresh else ():
        try:
            fixed[issue] = await code.resolve(sha)
        except NotFound:
            continue
    heads = {head.sha: head for head in (*_heads(earlier, code.repo), *map(headline, fixed.values()))} if fresh else {}
    first = {
        sha: one for sha, one in (await _first(code, [*heads.values()], material.window)).items() if one.tag in fresh
    }
    told = [release_story(one, [heads[sha] for sha in first if first[sha].tag == tag]) for tag, one in fresh.items()]
    pairs = [(issue, fix) for issue, fix in fixed.items() if issue in issues and fix.sha in first]
    return told + [fix_story(issues[issue], fix, first[fix.sha]) for issue, fix in pairs]


def _heads(stories: Sequence[Story], repo: RepoId) -> list[Headline]:
    steps = {step.cite: step for one in stories for step in one.timeline if step.act is not Act.RELEASED}
    return [
        Headline(sha=cite.partition("@")[2], at=one.at, author="", title=one.title, pull=pull_named(one.title))
        for cite, one in sorted(steps.items(), key=lambda pair: pair[1].at)
        if cite.startswith(f"{repo}@")
    ]


async def _first(code: CodeSource, heads: Sequence[Headline], window: Window) -> Mapping[str, Release]:
    return await code.first_tags(heads, until=window.end) if heads and isinstance(code, KnowsTags) else {}
