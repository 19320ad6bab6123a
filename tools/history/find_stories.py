"""The stories of one repository's day: looking back, finding, and what may be cited for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.domain.base import LANGUAGES, Language
from agent.domain.claims import Claim
from agent.domain.commits import Headline, reverts_in
from agent.domain.evidence import CommitEvidence, Material
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Link, Mention, Related, Relation, Story
from agent.links.admitted import with_judges
from agent.ports import CodeSource, Past, StoryMemory
from agent.stories.follow_ups import (
    follow_up_stories,
    named_pairs,
    own_references,
    related_pairs,
    thread_stories,
)
from agent.stories.paragraph import story_paragraph
from agent.stories.series import PARTS, read_part, series_stories
from agent.stories.tell import short_text, story_claims
from agent.stories.timeline import (
    LINEAGE,
    CommitPair,
    LandedLine,
    Said,
    StoriesFound,
    Undoing,
    evidence_of,
    headline,
    joined,
    with_memory,
)
from tools.history.past import far_past, naming, near_past, with_first_releases
from tools.history.reverts import changed_lines, find_reverts, said_by, said_in, with_parts

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache


async def find_stories(
    material: Material,
    references: Iterable[Mention],
    code: CodeSource,
    library: "EvidenceCache",
    told: StoryMemory,
    *,
    blamed: int,
) -> StoriesFound:
    """Find the stories to which a day's commits belong, and the earlier commits that they may go on with.

    The lines of so many commits, `blamed`, are followed to whoever wrote them.
    """
    today, repo = [read.evidence for read in material.reads], material.repo
    if not today:
        return StoriesFound()
    heads, named = _heads(today), own_references(repo, references)
    past = await near_past(material, code, told)
    said = _said(material, past)
    far = await far_past(material, code, _wanted(heads, past, said, named))
    line = LandedLine([*far, *past.found, *_heads(material.background.values()), *heads], said)
    undone = await find_reverts(today, line, code, library)
    known = {(one.doer.sha, one.target.sha) for one in undone}
    by_lines = await changed_lines(material.reads, code, library, known, blamed)
    pairs, mine = [*by_lines, *named_pairs(repo, heads, named, line)], {head.sha for head in heads}
    stories = joined([one.story(repo) for one in undone])
    stories += series_stories(repo, line.heads, mine, whole=past.since is not None)
    parts = [(one.doer, one.target) for one in undone if one.part]
    proving = {
        head.sha
        for both in [*parts, *((one.doer, one.earlier) for one in by_lines)]
        for head in both
    }
    earlier = [*line.heads, *(one.earlier for one in pairs), *(one.target for one in undone)]
    cited = {cite.sha for one in stories for cite in one.steps} | {one.earlier.sha for one in pairs}
    background = {head.sha: head for head in earlier if head.sha in cited - mine}
    return StoriesFound(
        stories=tuple(stories),
        pairs=tuple(pairs),
        heads=tuple(background.values()),
        whole=tuple(sorted(proving)),
    )


def _heads(commits: Iterable[CommitEvidence]) -> list[Headline]:
    return [headline(one.change.commit, one.pull) for one in commits]


def _said(material: Material, past: Past) -> dict[str, list[Said]]:
    said = {
        head.sha: said_in(head.title, material.repo)
        for head in past.found
        if reverts_in(head.title)
    }
    bodies = {pull.number: pull.body for pull in material.pulls.values()}
    today = [read.evidence for read in material.reads]
    return said | {
        one.change.commit.sha: said_by(one, bodies.get(one.pull or 0, "")) for one in today
    }


def _wanted(
    heads: Sequence[Headline],
    past: Past,
    said: Mapping[str, Sequence[Said]],
    named: Sequence[Mention],
) -> str:
    """Write what must be looked for further back: numbers and titles that are named, and parts if one landed."""
    every = [one for some in said.values() for one in some]
    numbers = {one.number or 0 for one in every} | {one.target.number or 0 for one in named}
    titles = [one.title for one in every if not one.number and not one.sha]
    parts = PARTS if any(read_part(head.title) for head in heads) else ""
    return "|".join(
        filter(
            None, [naming(numbers - {0, *(head.pull or 0 for head in past.found)}, titles), parts]
        )
    )


async def with_relations(
    found: StoriesFound,
    material: Material,
    related: Sequence[Related],
    code: CodeSource,
    library: "EvidenceCache",
    told: StoryMemory,
) -> StoriesFound:
    """Add what a reader of both sides found, then what earlier reports and tags know."""
    repo = material.repo
    today = _heads(read.evidence for read in material.reads)
    added = related_pairs(repo, today, found.pairs, related)
    lineage = await _related_lineage(found, [*found.pairs, *added], related, code, library)
    stories = [*lineage, *(story for story in found.stories if story.kind not in LINEAGE)]
    stories += follow_up_stories(repo, [*found.pairs, *added], related, stories)
    stories += thread_stories(repo, today, related)
    stories = list(with_judges(stories, related))
    known = told.known(material.window, sorted({cite for one in stories for cite in one.steps}))
    stories = [
        with_memory(one, {read.evidence.id for read in material.reads}, known) for one in stories
    ]
    own_shas = {commit.sha for commit in today}
    earlier = {pair.earlier.sha: pair.earlier for pair in added if pair.earlier.sha not in own_shas}
    heads = {head.sha: head for head in (*earlier.values(), *found.heads)}
    return found.model_copy(
        update={
            "stories": await with_first_releases(stories, code, material.window),
            "heads": tuple(heads.values()),
        }
    )


async def _related_lineage(
    found: StoriesFound,
    pairs: Iterable[CommitPair],
    related: Iterable[Related],
    code: CodeSource,
    library: "EvidenceCache",
) -> list[Story]:
    """Return the reverts and re-lands of the day, with those that only a reader of both sides saw."""
    stories = [story for story in found.stories if story.kind in LINEAGE]
    by_ids = {pair.ids(code.repo): pair for pair in pairs}
    undoings = []
    for relation in related:
        pair = by_ids.get((relation.change, relation.other))
        again = relation.relation is Relation.RELANDS
        if pair is None or not (again or relation.relation is Relation.UNDOES):
            continue
        if not any({relation.change, relation.other} <= set(story.steps) for story in stories):
            undoings.append(Undoing(pair.doer, pair.earlier, again))
    if not undoings:
        return stories
    measured = await with_parts(undoings, code, library)
    return joined([*stories, *(undoing.story(code.repo) for undoing in measured)])


async def with_past(
    material: Material, found: StoriesFound, code: CodeSource, library: "EvidenceCache"
) -> Material:
    """Add what stories rest on to what may be cited."""
    whole = await library.whole(code, found.whole)
    background = {one.id: one for one in (evidence_of(material.repo, head) for head in found.heads)}
    background |= material.background
    for change in whole.values():
        before = background.get(change.commit.id) or CommitEvidence(change=change)
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
        pair.ids(pair.said_in.repo): pair.said_in
        for pair in found.pairs
        if pair.said_in is not None
    }
    told = [claim for story in found.stories for claim in story_claims(story, said_in)]
    numbered = [
        claim.model_copy(update={"id": f"{claim.about[0].shortened()}.s{place}"})
        for place, claim in enumerate(told, start=1)
    ]
    known = {(claim.about[0], other) for claim in told for other in claim.sources[1:]}
    facts = ("undoes", "relands")
    return numbered + [
        one
        for one in claims
        if one.predicate not in facts or (*one.about, one.sources[-1]) not in known
    ]


def told_stories(
    found: StoriesFound, claims: Sequence[Claim], links: Sequence[Link]
) -> tuple[Story, ...]:
    """Return the stories of which something passed the gate, with what is said of them."""
    reasons: dict[EvidenceId, EvidenceId] = {}
    for link in links:
        if link.relation is Relation.BECAUSE:
            reasons[link.change] = link.issue
    stories: list[Story] = []
    for story in found.stories:
        # A claim tells a step of a story when it is about the news, and cites nothing outside it.
        story_news = [claim for claim in claims if claim.text and _is_news_of(claim, story)]
        if not story_news:
            continue
        text: dict[Language, str] = {}
        paragraph: dict[Language, str] = {}
        for lang in LANGUAGES:
            text[lang] = " ".join(short_text(claim, lang) for claim in story_news)
            written = story.paragraph.get(lang)
            paragraph[lang] = written or story_paragraph(story, lang, reasons)
        stories.append(story.model_copy(update={"text": text, "paragraph": paragraph}))
    return tuple(stories)


def _is_news_of(claim: Claim, story: Story) -> bool:
    if not claim.about or claim.about[0] not in story.news:
        return False
    return _is_told_in(claim, story)


def _is_told_in(claim: Claim, story: Story) -> bool:
    """Return True if a claim cites several steps of a story, and no commit outside of it."""
    steps = set(story.steps)
    commits = {cite for cite in claim.sources if cite.kind not in ("thread", "lines")}
    return commits <= steps and len(steps & set(claim.sources)) > 1
