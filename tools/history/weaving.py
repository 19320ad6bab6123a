"""Stories of one repository: looking back, weaving, and what may be cited for them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.analyst import Material, Read
from agent.claims import Claim
from agent.domain import Change
from agent.evidence import CommitEvidence, EvidenceId
from agent.ids import commit_id
from agent.memories import StoryMemory
from agent.settings import Language
from agent.sources import CodeSource, LooksBack, Past
from agent.stories import Story
from agent.weaving.claims import short_text, story_claims
from agent.weaving.headlines import evidence_of
from agent.weaving.wanted import FAR, pattern
from agent.weaving.weave import Loom, said_by, weave, with_memory
from agent.weaving.woven import Woven
from tools.evidence_cache import EvidenceCache
from tools.history.lookback import Lookback

_LINEAGE = ("undoes", "relands")
_LANGUAGES: tuple[Language, ...] = ("en", "zh")


async def woven(material: Material, code: CodeSource, library: EvidenceCache, stories_told: StoryMemory) -> Woven:
    """Find the stories to which a day's commits belong."""
    today = [read.evidence for read in material.reads]
    if not today:
        return Woven()
    bodies = {
        one.change.commit.sha: (pull.number, pull.body) for one in today if (pull := material.pulls.get(one.pull or 0))
    }
    past = await _past(material, code, stories_told, pattern(today, bodies))
    back = Lookback(material, code, library)
    writers, heads = await back.writers()
    taken, more = await back.taken_up(past)
    again, originals = await back.said_again(past)
    undone, undone_heads = await back.undone()
    undone |= await back.parts_said(past)
    taken = [*again, *(one for one in taken if one.doer not in {said.doer for said in again})]
    known = past.model_copy(update={"found": (*past.found, *heads, *more, *originals, *undone_heads)})
    loom = Loom(
        repo=material.repo,
        today=today,
        past=known,
        background=list(material.background.values()),
        writers=writers,
        undone=undone,
        wholly=await back.wholly(undone),
        retakes=taken,
        bodies=bodies,
    )
    stories = weave(loom)
    remembered = stories_told.known(material.window, sorted({cite for one in stories for cite in one.steps}))
    stories = [with_memory(story, remembered) for story in stories]
    named = {cite.partition("@")[2] for story in stories for cite in story.steps}
    mended = [sha for sha, found in writers.items() if sha in named and any(one in named for one in found)]
    proving = {*mended, *(one for sha in mended for one in writers[sha] if one in named)}
    proving |= {sha for one in taken for sha in one[:3]} | {sha for pair in undone.items() for sha in pair}
    titles = {head.sha: head for head in known.found if head.sha in named}
    return Woven(
        stories=tuple(stories),
        heads=tuple(titles[sha] for sha in sorted(titles)),
        whole=tuple(sorted(proving)),
        said={one.id: said for one in today if (said := said_by(one, bodies.get(one.change.commit.sha)))},
    )


async def _past(material: Material, code: CodeSource, stories_told: StoryMemory, wanted: str) -> Past:
    """Look back over the line; where the source cannot, take what earlier reports list."""
    newest = max((read.evidence for read in material.reads), key=lambda one: (one.at, one.id))
    if isinstance(code, LooksBack):
        sha = newest.change.commit.sha
        if (found := await code.headed(wanted, upto=sha, since=material.window.start - FAR)) is not None:
            return found
    return stories_told.past(material.repo, material.window)


async def with_past(material: Material, found: Woven, code: CodeSource, library: EvidenceCache) -> Material:
    """Add what stories rest on to what may be cited."""
    whole = await library.whole(code, found.whole)
    own = {read.evidence.change.commit.sha for read in material.reads}
    heads = {commit_id(material.repo, head.sha): evidence_of(material.repo, head) for head in found.heads}
    background = heads | dict(material.background)
    for sha, change in whole.items():
        name = commit_id(material.repo, sha)
        if sha not in own:
            before = background.get(name) or CommitEvidence(change=change, landed=True)
            background[name] = before.model_copy(update={"change": change, "pull": before.pull})
    reads = [_whole_read(read, whole) for read in material.reads]
    mine = {read.evidence.id for read in reads}
    return replace(
        material, reads=reads, background={name: one for name, one in background.items() if name not in mine}
    )


def _whole_read(read: Read, whole: Mapping[str, Change]) -> Read:
    change = whole.get(read.evidence.change.commit.sha)
    if change is None:
        return read
    return replace(read, evidence=read.evidence.model_copy(update={"change": change}))


def with_stories(claims: Sequence[Claim], material: Material, found: Woven) -> list[Claim]:
    """Put what stories say in front of what else is said of their commits; nothing twice."""
    today = {read.evidence.id: read.evidence for read in material.reads}
    said = {(claim.sources, claim.predicate) for claim in claims if claim.predicate in _LINEAGE}
    told: dict[EvidenceId, list[Claim]] = {}
    for story in found.stories:
        for claim in story_claims(story, today, found.said):
            if (claim.sources, claim.predicate) not in said:
                told.setdefault(claim.about[0], []).append(claim)
    numbered = {
        name: [one.model_copy(update={"id": f"{_short(name)}.s{place}"}) for place, one in enumerate(some, start=1)]
        for name, some in told.items()
    }
    ordered: list[Claim] = []
    for claim in claims:
        if claim.about:
            ordered += numbered.pop(claim.about[0], [])
        ordered.append(claim)
    for name in today:
        ordered += numbered.pop(name, [])
    return ordered


def told_stories(found: Woven, claims: Sequence[Claim]) -> tuple[Story, ...]:
    """Give the stories of which something passed the gate, with what is said of their news."""
    said = [claim for claim in claims if claim.text]
    stories = []
    for story in found.stories:
        own = [claim for claim in said if claim.about[:1] and _is_of(claim, story)]
        if own:
            text = {lang: " ".join(short_text(claim, lang) for claim in own) for lang in _LANGUAGES}
            stories.append(story.model_copy(update={"text": text}))
    return tuple(stories)


def _is_of(claim: Claim, story: Story) -> bool:
    """Tell whether a claim tells a step of a story: it is about the news, and cites nothing outside it."""
    commits = {cite for cite in claim.sources if "@" in cite}
    return claim.about[0] in story.news and len(commits) > 1 and commits <= set(story.steps)


def _short(name: EvidenceId) -> str:
    repo, _, sha = name.partition("@")
    return f"{repo}@{sha[:12]}"
