"""The stories of one repository's day, and what may be cited for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import LANGUAGES, Language
from agent.domain.claims import Claim
from agent.domain.commits import Headline
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Link, Mention, Related, Relation, Story
from agent.domain.revert_messages import reverts_in
from agent.links.admitted_relation_links import with_judges
from agent.ports import CodeSource, Past, StoryMemory
from agent.stories.follow_up_stories import (
    follow_up_stories,
    named_pairs,
    own_references,
    related_pairs,
    thread_stories,
)
from agent.stories.numbered_series import PARTS, read_part, series_stories
from agent.stories.paragraph import story_paragraph
from agent.stories.story_claims import joined_texts, story_claims
from agent.stories.timeline import (
    LINEAGE,
    CommitPair,
    LandedLine,
    LineageReference,
    StoriesFound,
    Undoing,
    evidence_of,
    headline,
    joined,
    with_memory,
)
from tools.history.earlier_commits_by_title import far_past, naming, near_past
from tools.history.story_releases import with_first_releases
from tools.history.undone_earlier_commits import (
    find_reverts,
    lineage_in_message,
    lineage_of,
    pairs_by_lines,
    with_parts,
)

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache


async def find_stories(
    material: Material,
    references: Iterable[Mention],
    code: CodeSource,
    evidence_cache: "EvidenceCache",
    memory: StoryMemory,
    *,
    blamed: int,
) -> StoriesFound:
    """Return the stories of a day's commits, and the earlier commits that they may continue.

    For up to `blamed` commits, the removed lines are followed to the commits that wrote them.
    """
    repo = material.repo
    evidence = [read.evidence for read in material.reads]
    if not evidence:
        return StoriesFound()
    today = _headlines(evidence)
    mentions = own_references(repo, references)
    line, has_all = await _landed_line(material, mentions, code, memory)
    reverts = await find_reverts(evidence, line, code, evidence_cache)
    reverted = {(revert.doer.sha, revert.target.sha) for revert in reverts}
    by_lines = await pairs_by_lines(material.reads, code, evidence_cache, reverted, blamed)
    pairs = [*by_lines, *named_pairs(repo, today, mentions, line)]
    own_shas = {commit.sha for commit in today}
    stories = joined([revert.story(repo) for revert in reverts])
    stories += series_stories(repo, line.heads, own_shas, has_all=has_all)
    landed: dict[str, Headline] = {}
    for commit in (*line.heads, *_earlier_commits(pairs), *_reverted_commits(reverts)):
        landed[commit.sha] = commit
    earlier_shas = _cited_commits(stories, pairs) - own_shas
    return StoriesFound(
        stories=tuple(stories),
        pairs=tuple(pairs),
        heads=tuple(commit for sha, commit in landed.items() if sha in earlier_shas),
        proving=tuple(sorted(_proving_commits(reverts, by_lines))),
    )


def _earlier_commits(pairs: Iterable[CommitPair]) -> list[Headline]:
    return [pair.earlier for pair in pairs]


def _reverted_commits(reverts: Iterable[Undoing]) -> list[Headline]:
    return [revert.target for revert in reverts]


def _cited_commits(stories: Iterable[Story], pairs: Iterable[CommitPair]) -> set[str]:
    """Return the hashes of the steps of stories, and of the earlier commits of pairs."""
    shas = {commit.sha for commit in _earlier_commits(pairs)}
    for story in stories:
        shas.update(cite.sha for cite in story.steps)
    return shas


class _DayLine(NamedTuple):
    """The landed line up to a day, and whether its last weeks have no gap."""

    line: LandedLine
    is_complete: bool


async def _landed_line(
    material: Material, mentions: Sequence[Mention], code: CodeSource, memory: StoryMemory
) -> _DayLine:
    """Return the commits of the last weeks, the older ones that are named, and the day's."""
    today = _headlines(read.evidence for read in material.reads)
    past = await near_past(material, code, memory)
    lineage = _lineage_by_sha(material, past)
    far = await far_past(material, code, _far_pattern(today, past, lineage, mentions))
    background = _headlines(material.background.values())
    line = LandedLine([*far, *past.found, *background, *today], lineage)
    return _DayLine(line, is_complete=past.since is not None)


def _proving_commits(reverts: Iterable[Undoing], by_lines: Iterable[CommitPair]) -> set[str]:
    """Return the hashes of the commits whose lines prove a story."""
    shas: set[str] = set()
    for revert in reverts:
        if revert.part:
            shas.update((revert.doer.sha, revert.target.sha))
    for pair in by_lines:
        shas.update((pair.doer.sha, pair.earlier.sha))
    return shas


def _headlines(commits: Iterable[CommitEvidence]) -> list[Headline]:
    return [headline(commit.change.commit, commit.pull) for commit in commits]


def _lineage_by_sha(material: Material, past: Past) -> dict[str, list[LineageReference]]:
    """Return the commits that the day's commits and earlier reverts undo and bring back."""
    lineage: dict[str, list[LineageReference]] = {}
    for commit in past.found:
        if reverts_in(commit.title):
            lineage[commit.sha] = lineage_in_message(commit.title, material.repo)
    bodies = {pull.number: pull.body for pull in material.pulls.values()}
    for read in material.reads:
        evidence = read.evidence
        body = bodies.get(evidence.pull or 0, "")
        lineage[evidence.change.commit.sha] = lineage_of(evidence, body)
    return lineage


def _far_pattern(
    today: Sequence[Headline],
    past: Past,
    lineage: Mapping[str, Sequence[LineageReference]],
    mentions: Sequence[Mention],
) -> str:
    """Return a pattern for older titles: those that are named, and parts of series if one landed."""
    numbers: set[int] = set()
    titles: list[str] = []
    for mention in mentions:
        if mention.target.number:
            numbers.add(mention.target.number)
    for target in chain.from_iterable(lineage.values()):
        if target.number:
            numbers.add(target.number)
        elif not target.sha:
            titles.append(target.title)
    for commit in past.found:
        if commit.pull is not None:
            numbers.discard(commit.pull)
    patterns = [naming(numbers, titles)]
    if any(read_part(commit.title) for commit in today):
        patterns.append(PARTS)
    return "|".join(filter(None, patterns))


async def with_relations(
    stories_found: StoriesFound,
    material: Material,
    related: Sequence[Related],
    code: CodeSource,
    evidence_cache: "EvidenceCache",
    memory: StoryMemory,
) -> StoriesFound:
    """Return stories completed by a model's relations, by earlier reports, and by tags."""
    repo = material.repo
    evidence = [read.evidence for read in material.reads]
    today = _headlines(evidence)
    added = related_pairs(repo, today, stories_found.pairs, related)
    pairs = [*stories_found.pairs, *added]
    stories = await _related_lineage(stories_found, pairs, related, code, evidence_cache)
    stories += [story for story in stories_found.stories if story.kind not in LINEAGE]
    stories += follow_up_stories(repo, pairs, related, stories)
    stories += thread_stories(repo, today, related)
    stories = list(with_judges(stories, related))
    cites: set[EvidenceId] = set()
    for story in stories:
        cites.update(story.steps)
    remembered = memory.known(material.window, sorted(cites))
    today_ids = {commit.id for commit in evidence}
    stories = [with_memory(story, today_ids, remembered) for story in stories]
    own_shas = {commit.sha for commit in today}
    heads: dict[str, Headline] = {}
    for commit in _earlier_commits(added):
        if commit.sha not in own_shas:
            heads[commit.sha] = commit
    for commit in stories_found.heads:
        heads[commit.sha] = commit
    return stories_found.model_copy(
        update={
            "stories": await with_first_releases(stories, code, material.window),
            "heads": tuple(heads.values()),
        }
    )


async def _related_lineage(
    stories_found: StoriesFound,
    pairs: Iterable[CommitPair],
    related: Iterable[Related],
    code: CodeSource,
    evidence_cache: "EvidenceCache",
) -> list[Story]:
    """Return the reverts and re-lands of the day, with those that only a model related."""
    stories = [story for story in stories_found.stories if story.kind in LINEAGE]
    by_ids = {pair.ids(code.repo): pair for pair in pairs}
    undoings: list[Undoing] = []
    for relation in related:
        if relation.relation not in (Relation.RELANDS, Relation.UNDOES):
            continue
        pair = by_ids.get((relation.change, relation.other))
        if pair is None or _has_story(relation, stories):
            continue
        again = relation.relation is Relation.RELANDS
        undoings.append(Undoing(pair.doer, pair.earlier, again))
    if not undoings:
        return stories
    measured = await with_parts(undoings, code, evidence_cache)
    related_stories = [undoing.story(code.repo) for undoing in measured]
    return joined([*stories, *related_stories])


def _has_story(relation: Related, stories: Iterable[Story]) -> bool:
    """Return True if both sides of a relation are steps of one story."""
    sides = {relation.change, relation.other}
    return any(sides.issubset(story.steps) for story in stories)


async def with_past(
    material: Material,
    stories: StoriesFound,
    code: CodeSource,
    evidence_cache: "EvidenceCache",
) -> Material:
    """Return material with the earlier commits of stories, so that claims may cite them."""
    changes = await evidence_cache.whole(code, stories.proving)
    background: dict[EvidenceId, CommitEvidence] = {}
    for commit in stories.heads:
        evidence = evidence_of(material.repo, commit)
        background[evidence.id] = evidence
    background |= material.background
    for change in changes.values():
        without_patch = background.get(change.commit.id) or CommitEvidence(change=change)
        background[change.commit.id] = without_patch.model_copy(update={"change": change})
    reads: list[Read] = []
    for read in material.reads:
        background.pop(read.evidence.id, None)
        change = changes.get(read.evidence.change.commit.sha, read.evidence.change)
        evidence = read.evidence.model_copy(update={"change": change})
        reads.append(replace(read, evidence=evidence))
    return replace(material, reads=reads, background=background)


def with_stories(claims: Sequence[Claim], stories: StoriesFound) -> list[Claim]:
    """Return the claims of stories, then other claims without the reverts that stories report."""
    said_in: dict[tuple[EvidenceId, EvidenceId], EvidenceId] = {}
    for pair in stories.pairs:
        if pair.said_in is not None:
            said_in[pair.ids(pair.said_in.repo)] = pair.said_in
    claims_of_stories: list[Claim] = []
    for story in stories.stories:
        claims_of_stories += story_claims(story, said_in)
    numbered: list[Claim] = []
    reported: set[tuple[EvidenceId, EvidenceId]] = set()
    for number, claim in enumerate(claims_of_stories, start=1):
        change = claim.about[0]
        numbered.append(claim.model_copy(update={"id": f"{change.shortened()}.s{number}"}))
        for other in claim.sources[1:]:
            reported.add((change, other))
    others: list[Claim] = []
    for claim in claims:
        is_lineage = claim.predicate in ("undoes", "relands")
        if is_lineage and (*claim.about, claim.sources[-1]) in reported:
            continue
        others.append(claim)
    return numbered + others


def published_stories(
    stories_found: StoriesFound, claims: Sequence[Claim], links: Sequence[Link]
) -> tuple[Story, ...]:
    """Return the stories of which a claim passed the gate, with their text."""
    reasons: dict[EvidenceId, EvidenceId] = {}
    for link in links:
        if link.relation is Relation.BECAUSE:
            reasons[link.change] = link.issue
    stories: list[Story] = []
    for story in stories_found.stories:
        # A claim belongs to a story if it is about its news, and cites nothing outside of it.
        story_news = [claim for claim in claims if claim.text and _is_news_of(claim, story)]
        if not story_news:
            continue
        text: dict[Language, str] = {}
        paragraph: dict[Language, str] = {}
        for lang in LANGUAGES:
            text[lang] = joined_texts(story_news, lang)
            written = story.paragraph.get(lang)
            paragraph[lang] = written or story_paragraph(story, lang, reasons)
        stories.append(story.model_copy(update={"text": text, "paragraph": paragraph}))
    return tuple(stories)


def _is_news_of(claim: Claim, story: Story) -> bool:
    if not claim.about or claim.about[0] not in story.news:
        return False
    return _cites_steps_of(claim, story)


def _cites_steps_of(claim: Claim, story: Story) -> bool:
    """Return True if a claim cites several steps of a story, and no commit outside of it."""
    steps = set(story.steps)
    commits = {cite for cite in claim.sources if cite.kind not in ("thread", "lines")}
    return commits <= steps and len(steps & set(claim.sources)) > 1
