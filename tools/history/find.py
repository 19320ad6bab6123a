"""The stories of one repository's day: looking back, finding, and what may be cited for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agent.analyst import Material, Read
from agent.claims import Claim
from agent.domain import Change
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import commit_id
from agent.links import Reference, Related
from agent.memories import StoryMemory
from agent.sources import CodeSource
from agent.stories import Story
from agent.story_finding.candidates import named_pairs, named_targets
from agent.story_finding.follow_ups import follow_up_stories
from agent.story_finding.found import StoriesFound
from agent.story_finding.headlines import Line, evidence_of, headline
from agent.story_finding.joining import joined, with_memory, with_news
from agent.story_finding.reverts import is_revert, undoing_story
from agent.story_finding.series import series_stories
from agent.story_finding.tell import LANGUAGES, short_text, story_claims
from tools.evidence_cache import EvidenceCache
from tools.history.blame import changed_lines
from tools.history.past import far_past, near_past, parts_past
from tools.history.releases import with_first_releases
from tools.history.reverts import Reverts, said_by, said_in

_LINEAGE = ("undoes", "relands")


async def find_stories(
    material: Material, references: Iterable[Reference], code: CodeSource, library: EvidenceCache, told: StoryMemory
) -> StoriesFound:
    """Find the stories to which a day's commits belong, and the earlier commits that they may go on with."""
    today = [read.evidence for read in material.reads]
    if not today:
        return StoriesFound()
    repo, heads = material.repo, [headline(one.change.commit, one.pull) for one in today]
    named = named_targets(repo, references)
    past = await near_past(material, code, told)
    said = {head.sha: said_in(head.title, repo) for head in past.found if is_revert(head.title)}
    bodies = {pull.number: pull.body for pull in material.pulls.values()}
    said |= {one.change.commit.sha: said_by(one, bodies.get(one.pull or 0, "")) for one in today}
    far = await far_past(material, code, [one for some in said.values() for one in some], named, past)
    background = [headline(one.change.commit, one.pull) for one in material.background.values()]
    line = Line([*far, *past.found, *background, *heads])
    undone = await Reverts(repo=repo, code=code, library=library, line=line, said=said).found(today)
    known = {(one.doer.sha, one.target.sha) for one in undone}
    by_lines, silently = await changed_lines(list(material.reads), code, library, known)
    undone += silently
    mine = {head.sha for head in heads}
    stories = [undoing_story(one, repo) for one in undone]
    recent = Line([*await parts_past(material, code, past), *heads]).heads
    series = series_stories(repo, recent, mine, whole=past.since is not None)
    pairs = [*by_lines, *named_pairs(repo, heads, named, line)]
    cited = {cite.partition("@")[2] for one in (*stories, *series) for cite in one.steps}
    earlier = {head.sha: head for head in (*recent, *line.heads, *(one.earlier for one in pairs))}
    cited |= {one.earlier.sha for one in pairs}
    proving = {sha for one in undone if one.part for sha in (one.doer.sha, one.target.sha)}
    proving |= {sha for one in by_lines for sha in (one.doer.sha, one.earlier.sha)}
    return StoriesFound(
        stories=(*joined(stories, {commit_id(repo, sha) for sha in mine}), *series),
        pairs=tuple(pairs),
        heads=tuple(earlier[sha] for sha in sorted(cited & earlier.keys() - mine)),
        whole=tuple(sorted(proving)),
    )


async def with_relations(
    found: StoriesFound, material: Material, related: Iterable[Related], code: CodeSource, told: StoryMemory
) -> StoriesFound:
    """Add the follow-ups, as what a reader of both sides called them, then what earlier reports and tags know."""
    today = {read.evidence.id for read in material.reads}
    follow_ups = follow_up_stories(material.repo, found.pairs, related, found.stories)
    stories = [with_news(one, today) for one in (*found.stories, *follow_ups)]
    known = told.known(material.window, sorted({cite for one in stories for cite in one.steps}))
    stories = [with_memory(one, known) for one in stories]
    return found.model_copy(update={"stories": await with_first_releases(stories, code, material.window)})


async def with_past(material: Material, found: StoriesFound, code: CodeSource, library: EvidenceCache) -> Material:
    """Add what stories rest on to what may be cited."""
    whole = await library.whole(code, found.whole)
    own = {read.evidence.change.commit.sha for read in material.reads}
    background = {commit_id(material.repo, head.sha): evidence_of(material.repo, head) for head in found.heads}
    background |= dict(material.background)
    for sha, change in whole.items():
        if sha not in own:
            name = commit_id(material.repo, sha)
            before = background.get(name) or CommitEvidence(change=change, landed=True)
            background[name] = before.model_copy(update={"change": change})
    reads = [_whole_read(read, whole) for read in material.reads]
    mine = {read.evidence.id for read in reads}
    return replace(
        material, reads=reads, background={name: one for name, one in background.items() if name not in mine}
    )


def _whole_read(read: Read, whole: Mapping[str, Change]) -> Read:
    change = whole.get(read.evidence.change.commit.sha)
    return replace(read, evidence=read.evidence.model_copy(update={"change": change})) if change else read


def with_stories(claims: Sequence[Claim], found: StoriesFound) -> list[Claim]:
    """Put what stories say in front of what else is said of their commits; they know more of reverts than facts do."""
    told: dict[EvidenceId, list[Claim]] = {}
    for story in found.stories:
        for claim in story_claims(story, found.pairs):
            some = told.setdefault(name := claim.about[0], [])
            repo, _, sha = name.partition("@")
            some.append(claim.model_copy(update={"id": f"{repo}@{sha[:12]}.s{len(some) + 1}"}))
    known = {(name, other) for name, some in told.items() for claim in some for other in claim.sources[1:]}
    ordered: list[Claim] = []
    for claim in claims:
        if claim.predicate in _LINEAGE and (claim.about[0], claim.sources[-1]) in known:
            continue
        ordered += told.pop(claim.about[0], []) if claim.about else []
        ordered.append(claim)
    return [*ordered, *(claim for some in told.values() for claim in some)]


def told_stories(found: StoriesFound, claims: Sequence[Claim]) -> tuple[Story, ...]:
    """Give the stories of which something passed the gate, with what is said of their news."""
    stories = []
    for story in found.stories:
        own = [claim for claim in claims if claim.text and claim.about[:1] and _is_of(claim, story)]
        if own:
            text = {lang: " ".join(short_text(claim, lang) for claim in own) for lang in LANGUAGES}
            stories.append(story.model_copy(update={"text": text}))
    return tuple(stories)


def _is_of(claim: Claim, story: Story) -> bool:
    """Tell whether a claim tells a step of a story: it is about the news, and cites nothing outside it."""
    commits = {cite for cite in claim.sources if "@" in cite}
    return claim.about[0] in story.news and len(commits) > 1 and commits <= set(story.steps)
