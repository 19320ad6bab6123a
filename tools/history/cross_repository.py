"""Ties across repositories: moved pins, references, the same work."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import LANGUAGES, Frozen, Language, RepoId
from agent.domain.claims import Claim
from agent.domain.errors import AppError
from agent.domain.evidence import (
    CommitEvidence,
    Evidence,
    EvidenceSet,
    ReleaseEvidence,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Link, Mention, Related, Story, StoryStep
from agent.domain.report import Drop
from agent.domain.threads import Issue
from agent.domain.window import Window
from agent.fact_sentences import sentence
from agent.gate.check import refusals
from agent.links.admitted_relation_links import predicate_of
from agent.ports import CloneSource, CodeSource, StoryMemory, ThreadSource
from agent.reports.chapter import CheckedClaims, checked_claims
from agent.stories.dependency_version_changes import DependencyMove, may_be_of
from agent.stories.follow_up_stories import KINDS, OF_COMMITS, READ
from agent.stories.paragraph import story_paragraph
from agent.stories.story_claims import joined_texts, story_claims
from agent.stories.timeline import evidence_of, headline, story, with_memory
from tools.history.earlier_commits_by_title import FAR, naming

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache

_MAX_PINS = 40  # Moved dependencies of a repository's day that are looked up
_MAX_NAMED = 40  # References of a repository's day to another repository
_MAX_LINKS = 200  # Links of a repository's day with issues


class Connected(Frozen):
    """The statements over several repositories."""

    claims: tuple[Claim, ...] = ()
    stories: tuple[Story, ...] = ()
    drops: tuple[Drop, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RepositoryReading:
    """The parts of one repository's reading that may lead to others."""

    code: CodeSource
    threads: ThreadSource
    tip: str
    dependency_moves: Sequence[DependencyMove] = ()
    references: Sequence[Mention] = ()
    related: Sequence[Related] = ()
    links: Sequence[Link] = ()
    pulls: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """The pull requests of its commits, by the commits' names."""


_Pair = tuple[EvidenceId, EvidenceId]
"""A commit, and what it is tied to."""


@dataclass(frozen=True)
class _Tie:
    """A commit, what it is tied to and how, and the pull request that says it."""

    doer: CommitEvidence
    source: Evidence
    act: Act
    said_in: ThreadEvidence | None = None
    judged_by: str = ""  # The model that admitted the act, where a model named it

    @property
    def pair(self) -> _Pair:
        """Return the names of both sides."""
        return self.doer.id, self.source.id

    @property
    def claim_id(self) -> str:
        """Return the name of the claim about it; a pair may be tied in two ways."""
        if self.act in READ.values():
            return _relation_id(self.doer, self.source.id)
        return f"{self.doer.id.shortened()}.u{self.source.id.revision[:7]}"


def _relation_id(doer: CommitEvidence, other: EvidenceId) -> str:
    return f"{doer.id.shortened()}.r {other}"


async def connected(
    read: Mapping[RepoId, RepositoryReading],
    window: Window,
    evidence_cache: "EvidenceCache",
    memory: StoryMemory,
) -> Connected:
    """Return the claims and stories that tie each repository's commits to the others."""
    claims: list[Claim] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    for tie in await _ties(read, window, evidence_cache):
        tied_story = _story(tie, memory, window)
        checked = _checked_tie(tie, tied_story, window)
        claims += checked.claims
        drops += checked.drops
        if checked.claims:
            stories.append(_with_text(tied_story, checked.claims))
    for repo in read:
        async for claim, evidence in _issue_claims(repo, read, evidence_cache):
            evidence_set = _evidence_set(evidence, window)
            checked = checked_claims([claim], (), (), evidence_set, refusals)
            claims += checked.claims
            drops += checked.drops
    return Connected(claims=tuple(claims), stories=tuple(stories), drops=tuple(drops))


async def _ties(
    read: Mapping[RepoId, RepositoryReading], window: Window, evidence_cache: "EvidenceCache"
) -> list[_Tie]:
    """Return the ties of all repositories: of a pair, its relation and the first other tie."""
    relations: dict[_Pair, _Tie] = {}
    ties: dict[tuple[_Pair, bool], _Tie] = {}
    for repo in read:
        async for tie in _related(repo, read, evidence_cache):
            relations.setdefault(tie.pair, tie)
            ties.setdefault((tie.pair, True), tie)
        async for tie in _pinned(repo, read, evidence_cache):
            ties.setdefault((tie.pair, False), tie)
        async for tie in _pairs_by_mention(repo, read, window, evidence_cache):
            # A relation of two commits says more than that one names the other.
            if tie.pair not in relations:
                ties.setdefault((tie.pair, False), tie)
    return list(ties.values())


def _checked_tie(tie: _Tie, tied_story: Story, window: Window) -> CheckedClaims:
    """Return the claims of a tie that pass the gate, and what was dropped."""
    said_in = {tie.pair: tie.said_in.id} if tie.said_in else {}
    claims: list[Claim] = []
    for claim in story_claims(tied_story, said_in):
        claims.append(claim.model_copy(update={"id": tie.claim_id, "repo": None}))
    evidence: list[Evidence] = [tie.doer, tie.source]
    if tie.said_in:
        evidence.append(tie.said_in)
    return checked_claims(claims, (), (), _evidence_set(evidence, window), refusals)


def _with_text(tied_story: Story, claims: Sequence[Claim]) -> Story:
    text: dict[Language, str] = {}
    paragraph: dict[Language, str] = {}
    for lang in LANGUAGES:
        text[lang] = joined_texts(claims, lang)
        paragraph[lang] = story_paragraph(tied_story, lang)
    return tied_story.model_copy(update={"text": text, "paragraph": paragraph})


def _evidence_set(evidence: Sequence[Evidence], window: Window) -> EvidenceSet:
    """Return the evidence that claims about a pair may cite; a late commit counts as new."""
    by_id = {piece.id: piece for piece in evidence}
    doer = evidence[0]
    late = frozenset() if doer.at in window else frozenset({doer.id})
    return EvidenceSet(by_id=by_id, window=window, seen=frozenset(by_id), late=late)


async def _related(
    repo: RepoId, read: Mapping[RepoId, RepositoryReading], evidence_cache: "EvidenceCache"
) -> AsyncIterator[_Tie]:
    """Yield both sides of what was admitted about changes of other repositories."""
    for relation in read[repo].related:
        act = READ.get(relation.relation)
        far = read.get(relation.other.repo)
        if far is None or act is None or not relation.is_abroad or relation.kind == "issue":
            continue
        doer = await _skimmed(relation.change, read[repo].code, evidence_cache)
        source = await _other_side(relation, far)
        if doer and source:
            yield _Tie(doer, source, act, judged_by=relation.judged_by)


class _IssueClaim(NamedTuple):
    """A sentence about a commit and an issue of another repository, with both sides."""

    claim: Claim
    evidence: list[Evidence]


async def _issue_claims(
    repo: RepoId, read: Mapping[RepoId, RepositoryReading], evidence_cache: "EvidenceCache"
) -> AsyncIterator[_IssueClaim]:
    """Yield claims about commits and issues of other repositories: recorded, named, admitted."""
    for link in read[repo].links[:_MAX_LINKS]:
        far = read.get(link.issue.repo)
        if far is None or link.issue.repo == repo or not link.change.is_commit:
            continue
        commit = await _skimmed(link.change, read[repo].code, evidence_cache)
        issue = await _issue(link.issue, far)
        if commit is None or issue is None:
            continue
        predicate = predicate_of(link, issue.thread.state)
        if not predicate:
            continue
        claim = Claim(
            id=_relation_id(commit, issue.id),
            repo=None,
            role="effect",
            about=(commit.id, issue.id),
            predicate=predicate,
            params={"issue": issue.id},
            cites=(commit.id, issue.id),
            text={lang: sentence(predicate, {}, lang) for lang in LANGUAGES},
            judged_by=link.judged_by,
        )
        yield _IssueClaim(claim, [commit, issue])


async def _issue(name: EvidenceId, far: RepositoryReading) -> ThreadEvidence | None:
    """Return an issue of another repository; None for a pull request and for a missing issue."""
    if name.number is None:
        return None
    try:
        threads = await far.threads.discussions([name.number])
    except AppError:
        return None
    for thread in threads:
        if isinstance(thread.thread, Issue):
            return thread
    return None


async def _other_side(relation: Related, far: RepositoryReading) -> Evidence | None:
    try:
        if relation.kind == "commit":
            commit = await far.code.resolve(relation.other.sha)
            return evidence_of(far.code.repo, headline(commit))
        if relation.other.number is None:
            return None
        threads = await far.threads.discussions([relation.other.number])
    except AppError:
        return None  # It is counted as dropped
    return next(iter(threads), None)


async def _pinned(
    repo: RepoId, read: Mapping[RepoId, RepositoryReading], evidence_cache: "EvidenceCache"
) -> AsyncIterator[_Tie]:
    """Yield a tie for each moved dependency whose commit or tag exactly one repository has."""
    others = [name for name in read if name != repo]
    seen: set[tuple[EvidenceId, RepoId]] = set()
    for move in read[repo].dependency_moves[:_MAX_PINS]:
        candidates = others if move.sha else may_be_of(move.package, others)
        targets: list[CommitEvidence | ReleaseEvidence] = []
        for name in candidates:
            target = await _target(move, read[name].code)
            if target is not None:
                targets.append(target)
        if len(targets) != 1 or (move.commit, targets[0].repo) in seen:
            continue
        seen.add((move.commit, targets[0].repo))
        doer = await _skimmed(move.commit, read[repo].code, evidence_cache)
        if doer is not None:
            yield _Tie(doer, targets[0], "taken in")


async def _target(
    move: DependencyMove, code: CodeSource
) -> CommitEvidence | ReleaseEvidence | None:
    """Return the commit or release of a repository that a dependency is moved to."""
    try:
        if move.sha:
            return evidence_of(code.repo, headline(await code.resolve(move.sha)))
        if not isinstance(code, CloneSource):
            return None
        release = await code.tagged((f"v{move.version}", move.version))
    except AppError:
        return None
    if release is None or release.published_at > move.at:
        return None
    return ReleaseEvidence(release=release)


async def _pairs_by_mention(
    repo: RepoId,
    read: Mapping[RepoId, RepositoryReading],
    window: Window,
    evidence_cache: "EvidenceCache",
) -> AsyncIterator[_Tie]:
    """Yield a tie for each landed commit of another repository that a commit or its pull names."""
    near = read[repo]
    fields: dict[_Pair, str] = {}
    for mention in reversed(near.references):
        if mention.place in OF_COMMITS:
            fields[mention.source, mention.target] = mention.place
    for other, far in read.items():
        if other == repo:
            continue
        pairs = [pair for pair in fields if pair[1].repo == other][:_MAX_NAMED]
        if not pairs:
            continue
        landed = await _landed(far, [target for _, target in pairs], window)
        for source, target in pairs:
            if target not in landed:
                continue
            doer = await _skimmed(source, near.code, evidence_cache)
            if doer is None or landed[target].at > doer.at:
                continue
            is_in_pull = fields[source, target] == "pull request"
            pull = near.pulls.get(source) if is_in_pull else None
            yield _Tie(doer, landed[target], "refers", pull)


async def _landed(
    far: RepositoryReading, targets: Sequence[EvidenceId], window: Window
) -> dict[EvidenceId, CommitEvidence]:
    """Return the landed commits that hashes and numbers of pull requests mean."""
    commits = await _landed_pulls(far, targets, window)
    for target in targets:
        if target.is_thread:
            continue
        try:
            commit = await far.code.resolve(target.revision)
        except AppError:
            continue
        commits[target] = evidence_of(far.code.repo, headline(commit))
    return commits


async def _landed_pulls(
    far: RepositoryReading, targets: Sequence[EvidenceId], window: Window
) -> dict[EvidenceId, CommitEvidence]:
    targets_by_number = {target.number: target for target in targets if target.number is not None}
    if not targets_by_number or not isinstance(far.code, CloneSource):
        return {}
    pattern = naming(targets_by_number)
    past = await far.code.headed(pattern, upto=far.tip, since=window.start - FAR)
    if past is None:
        return {}
    commits: dict[EvidenceId, CommitEvidence] = {}
    for commit in reversed(past.found):
        if commit.pull in targets_by_number:
            target = targets_by_number[commit.pull]
            commits[target] = evidence_of(far.code.repo, commit)
    return commits


async def _skimmed(
    name: EvidenceId, code: CodeSource, evidence_cache: "EvidenceCache"
) -> CommitEvidence | None:
    cached = evidence_cache.get(name)
    if cached is not None:
        return cached
    commits = [commit async for commit in evidence_cache.skim(code, [name.sha])]
    return commits[0] if commits else None


def _story(tie: _Tie, memory: StoryMemory, window: Window) -> Story:
    doer = tie.doer
    first = _first_step(tie.source)
    last = StoryStep(
        cite=doer.id,
        at=max(doer.at, first.at),
        act=tie.act,
        title=doer.change.commit.title,
    )
    tied_story = story(KINDS[tie.act], doer.repo, [first, last])
    tied_story = tied_story.model_copy(update={"judged_by": tie.judged_by})
    return with_memory(tied_story, {doer.id}, memory.known(window, list(tied_story.steps)))


def _first_step(source: Evidence) -> StoryStep:
    if isinstance(source, ThreadEvidence):
        thread = source.thread
        return StoryStep(cite=source.id, at=thread.created_at, act="opened", title=thread.title)
    title = source.change.commit.title if isinstance(source, CommitEvidence) else ""
    return StoryStep(cite=source.id, at=source.at, act="upstream", title=title)
