"""Which tags were the first to have the changes of stories and the fixes of issues, as git shows it."""

from collections.abc import Mapping, Sequence

from agent.analyst import Material
from agent.domain import Commit, Issue, Release
from agent.errors import NotFound
from agent.linking.digest import Digest
from agent.linking.known import Known
from agent.sources import CodeSource, Headline, KnowsTags, ListsTags
from agent.stories import Act, Story
from agent.story_finding.headlines import headline, pull_named
from agent.story_finding.releases import final, fix_stories, fixed_commits, release_story, with_releases
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
    window = material.window
    fresh = {one.tag: one for one in final(releases) if one.published_at in window}
    if not fresh:
        return []
    fixes = await _fixes(code, material, known)
    heads = {head.sha: head for head in (*_heads(earlier, code.repo), *map(headline, fixes.values()))}
    first = await _first(code, list(heads.values()), window)
    of_fix = {number: first[fix.sha] for number, fix in fixes.items() if fix.sha in first}
    issues: list[Issue | Digest] = [*material.issues, *known.issues]
    told = [
        release_story(one, [head for sha, head in heads.items() if first.get(sha) and first[sha].tag == tag])
        for tag, one in fresh.items()
    ]
    return told + fix_stories(code.repo, fixes, issues, {n: one for n, one in of_fix.items() if one.tag in fresh})


async def _fixes(code: CodeSource, material: Material, known: Known) -> dict[int, Commit]:
    """Look up the commits that fixed issues, today or on earlier days."""
    found: dict[int, Commit] = {}
    for number, sha in fixed_commits((*known.links, *material.links), code.repo).items():
        try:
            found[number] = await code.resolve(sha)
        except NotFound:
            continue
    return found


def _heads(stories: Sequence[Story], repo: str) -> list[Headline]:
    steps = {step.cite: step for one in stories for step in one.timeline if step.act is not Act.RELEASED}
    return [
        Headline(sha=cite.partition("@")[2], at=one.at, author="", title=one.title, pull=pull_named(one.title))
        for cite, one in sorted(steps.items(), key=lambda pair: pair[1].at)
        if cite.startswith(f"{repo}@")
    ]


async def _first(code: CodeSource, heads: Sequence[Headline], window: Window) -> Mapping[str, Release]:
    return await code.first_tags(heads, until=window.end) if heads and isinstance(code, KnowsTags) else {}
