"""The stories of one repository's day: looking back, finding, and what may be cited for them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent.analyst import Material
from agent.claims import Claim
from agent.evidence import CommitEvidence
from agent.headlines import Line, evidence_of, headline
from agent.ids import commit_id
from agent.links import Reference, Related
from agent.memories import StoryMemory
from agent.sources import CodeSource
from agent.stories import Story
from agent.story_finding.candidates import named_pairs, own_references
from agent.story_finding.follow_ups import follow_up_stories
from agent.story_finding.found import StoriesFound
from agent.story_finding.joining import joined, with_memory
from agent.story_finding.reverts import Named, is_revert, undoing_story
from agent.story_finding.series import PARTS, read_part, series_stories
from agent.story_finding.tell import LANGUAGES, short_text, story_claims
from tools.evidence_cache import EvidenceCache
from tools.history.blame import changed_lines
from tools.history.past import far_past, naming, near_past
from tools.history.releases import with_first_releases
from tools.history.reverts import find_reverts, said_by, said_in


async def find_stories(
    material: Material, references: Iterable[Reference], code: CodeSource, library: EvidenceCache, told: StoryMemory
) -> StoriesFound:
    """Find the stories to which a day's commits belong, and the earlier commits that they may go on with."""
    today, repo = [read.evidence for read in material.reads], material.repo
    if not today:
        return StoriesFound()
    heads, named = [headline(one.change.commit, one.pull) for one in today], own_references(repo, references)
    past = await near_past(material, code, told)
    said = {head.sha: said_in(head.title, repo) for head in past.found if is_revert(head.title)}
    bodies = {pull.number: pull.body for pull in material.pulls.values()}
    said |= {one.change.commit.sha: said_by(one, bodies.get(one.pull or 0, "")) for one in today}
    every = [one for some in said.values() for one in some]
    numbers = {one.number or 0 for one in every} | {int(one.target.partition("#")[2] or 0) for one in named}
    titles = [one.title for one in every if not one.number and not one.sha]
    parts = [PARTS] if any(read_part(head.title) for head in heads) else []
    wanted = naming(numbers - {0, *(head.pull or 0 for head in past.found)}, titles)
    far = await far_past(material, code, "|".join(filter(None, [wanted, *parts])))
    background = [headline(one.change.commit, one.pull) for one in material.background.values()]
    line = Line([*far, *past.found, *background, *heads])
    undone = await find_reverts(today, Named(line, said), code, library)
    by_lines, silently = await changed_lines(
        material.reads, code, library, {(u.doer.sha, u.target.sha) for u in undone}
    )
    undone += silently
    pairs = [*by_lines, *named_pairs(repo, heads, named, line)]
    mine = {head.sha for head in heads}
    stories = joined([undoing_story(one, repo) for one in undone])
    stories += series_stories(repo, line.heads, mine, whole=past.since is not None)
    cited = {cite.partition("@")[2] for one in stories for cite in one.steps} | {one.earlier.sha for one in pairs}
    earlier = {head.sha: head for head in (*line.heads, *(one.earlier for one in pairs), *(u.target for u in undone))}
    proving = {sha for one in undone for sha in (one.doer.sha, one.target.sha) if one.part}
    proving |= {sha for one in by_lines for sha in (one.doer.sha, one.earlier.sha)}
    return StoriesFound(
        stories=tuple(stories),
        pairs=tuple(pairs),
        heads=tuple(earlier[sha] for sha in sorted(cited & earlier.keys() - mine)),
        whole=tuple(sorted(proving)),
    )


async def with_relations(
    found: StoriesFound, material: Material, related: Iterable[Related], code: CodeSource, told: StoryMemory
) -> StoriesFound:
    """Add the follow-ups, as what a reader of both sides called them, then what earlier reports and tags know."""
    today = {read.evidence.id for read in material.reads}
    stories = [*found.stories, *follow_up_stories(material.repo, found.pairs, related, found.stories)]
    known = told.known(material.window, sorted({cite for one in stories for cite in one.steps}))
    stories = [with_memory(one, today, known) for one in stories]
    return found.model_copy(update={"stories": await with_first_releases(stories, code, material.window)})


async def with_past(material: Material, found: StoriesFound, code: CodeSource, library: EvidenceCache) -> Material:
    """Add what stories rest on to what may be cited."""
    whole = await library.whole(code, found.whole)
    background = {commit_id(material.repo, head.sha): evidence_of(material.repo, head) for head in found.heads}
    background |= dict(material.background)
    for change in whole.values():
        before = background.get(change.commit.id) or CommitEvidence(change=change, landed=True)
        background[change.commit.id] = before.model_copy(update={"change": change})
    reads = []
    for read in material.reads:
        background.pop(read.evidence.id, None)
        change = whole.get(read.evidence.change.commit.sha, read.evidence.change)
        reads.append(replace(read, evidence=read.evidence.model_copy(update={"change": change})))
    return replace(material, reads=reads, background=background)


def with_stories(claims: Sequence[Claim], found: StoriesFound) -> list[Claim]:
    """Put what stories say in front of what else is said; they know more of reverts than facts do."""
    said_in = {
        (f"{repo}@{one.doer.sha}", f"{repo}@{one.earlier.sha}"): one.said_in
        for one in found.pairs
        if (repo := one.said_in.partition("#")[0])
    }
    told = [claim for story in found.stories for claim in story_claims(story, said_in)]
    numbered = [
        claim.model_copy(update={"id": f"{claim.about[0][:-28]}.s{place}"}) for place, claim in enumerate(told, start=1)
    ]
    known = {(claim.about[0], other) for claim in told for other in claim.sources[1:]}
    facts = ("undoes", "relands")
    return numbered + [
        one for one in claims if one.predicate not in facts or (*one.about, one.sources[-1]) not in known
    ]


def told_stories(found: StoriesFound, claims: Sequence[Claim]) -> tuple[Story, ...]:
    """Give the stories of which something passed the gate, with what is said of their news."""
    stories = []
    for story in found.stories:
        # A claim tells a step of a story when it is about the news, and cites nothing outside it.
        about = [claim for claim in claims if claim.text and claim.about[:1] and claim.about[0] in story.news]
        cited = [(claim, {cite for cite in claim.sources if "@" in cite}) for claim in about]
        own = [claim for claim, commits in cited if len(commits) > 1 and commits <= set(story.steps)]
        if own:
            text = {lang: " ".join(short_text(claim, lang) for claim in own) for lang in LANGUAGES}
            stories.append(story.model_copy(update={"text": text}))
    return tuple(stories)
