"""What ties commits of different repositories: a pin that moves, a reference, the same work as a reader found."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.base import LANGUAGES, AppError, Frozen, RepoId
from agent.domain.claims import Claim
from agent.domain.commits import Issue
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
from agent.domain.window import Window
from agent.gate.check import refusals
from agent.links.admitted import predicate_of
from agent.ports import CloneSource, CodeSource, StoryMemory, ThreadSource
from agent.reports.chapter import checked_claims
from agent.stories.follow_ups import KINDS, OF_COMMITS, READ
from agent.stories.paragraph import story_paragraph
from agent.stories.releases import Taken, may_be_of
from agent.stories.tell import short_text, story_claims
from agent.stories.timeline import evidence_of, headline, story, with_memory
from agent.telling import sentence
from tools.history.past import FAR, naming

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache

_MOST = 40
_MAX_LINKS = 200  # Links of a repository's day with issues


class Connected(Frozen):
    """What is said over several repositories."""

    claims: tuple[Claim, ...] = ()
    stories: tuple[Story, ...] = ()
    drops: tuple[Drop, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was read of one repository as far as it may lead to others."""

    code: CodeSource
    threads: ThreadSource
    tip: str
    taken: Sequence[Taken] = ()
    references: Sequence[Mention] = ()
    related: Sequence[Related] = ()
    links: Sequence[Link] = ()
    pulls: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """The pull requests of its commits, by the commits' names."""


@dataclass(frozen=True)
class _Tie:
    """A commit, what it is tied to, how that is told, and the pull request that says it."""

    doer: CommitEvidence
    source: Evidence
    act: Act
    said_in: ThreadEvidence | None = None
    judged_by: str = ""  # The model that admitted the act, where a model named it

    @property
    def claim_id(self) -> str:
        """The name of the claim that tells it; one pair may be tied in two ways."""
        if self.act in READ.values():
            return _relation_id(self.doer, self.source.id)
        return f"{self.doer.id.shortened()}.u{self.source.id.revision[:7]}"


def _relation_id(doer: CommitEvidence, other: EvidenceId) -> str:
    return f"{doer.id.shortened()}.r {other}"


async def connected(
    read: Mapping[RepoId, Reading], window: Window, library: "EvidenceCache", told: StoryMemory
) -> Connected:
    """Find what commits of each repository take in of the others, and what they have to do with it."""
    ties: dict[tuple[EvidenceId, EvidenceId, bool], _Tie] = {}
    for repo in read:
        async for tie in _related(repo, read, library):
            ties.setdefault((tie.doer.id, tie.source.id, True), tie)
        async for tie in _pinned(repo, read, library):
            ties.setdefault((tie.doer.id, tie.source.id, False), tie)
        async for tie in _named(repo, read, window, library):
            # That one names the other says less than a relation of the two.
            if (tie.doer.id, tie.source.id, True) not in ties:
                ties.setdefault((tie.doer.id, tie.source.id, False), tie)
    claims: list[Claim] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    for tie in ties.values():
        one = _story(tie, told, window)
        said_in = {(tie.doer.id, tie.source.id): tie.said_in.id} if tie.said_in else {}
        update = {"id": tie.claim_id, "repo": None}
        made = [claim.model_copy(update=update) for claim in story_claims(one, said_in)]
        evidence = [piece for piece in (tie.doer, tie.source, tie.said_in) if piece]
        passed, refused = checked_claims(made, (), (), _evidence_set(evidence, window), refusals)
        claims += passed
        drops += refused
        if passed:
            text = {
                lang: " ".join(short_text(claim, lang) for claim in passed) for lang in LANGUAGES
            }
            paragraph = {lang: story_paragraph(one, lang) for lang in LANGUAGES}
            stories.append(one.model_copy(update={"text": text, "paragraph": paragraph}))
    for repo in read:
        async for claim, evidence in _issue_claims(repo, read, library):
            passed, refused = checked_claims(
                [claim], (), (), _evidence_set(evidence, window), refusals
            )
            claims += passed
            drops += refused
    return Connected(claims=tuple(claims), stories=tuple(stories), drops=tuple(drops))


def _evidence_set(evidence: Sequence[Evidence], window: Window) -> EvidenceSet:
    """Return what the claims about a pair may cite; a late commit counts as new."""
    by_id = {piece.id: piece for piece in evidence}
    doer = evidence[0]
    late = frozenset() if doer.at in window else frozenset({doer.id})
    return EvidenceSet(by_id=by_id, window=window, seen=frozenset(by_id), late=late)


async def _related(
    repo: RepoId, read: Mapping[RepoId, Reading], library: "EvidenceCache"
) -> AsyncIterator[_Tie]:
    """Find both sides of what was admitted about changes of other repositories."""
    for relation in read[repo].related:
        act = READ.get(relation.relation)
        far = read.get(relation.other.repo)
        if far is None or act is None or not relation.is_abroad or relation.kind == "issue":
            continue
        doer = await _skimmed(relation.change, read[repo].code, library)
        source = await _other_side(relation, far)
        if doer and source:
            yield _Tie(doer, source, act, judged_by=relation.judged_by)


class _IssueClaim(NamedTuple):
    """A sentence about a commit and an issue of another repository, with both sides."""

    claim: Claim
    evidence: list[Evidence]


async def _issue_claims(
    repo: RepoId, read: Mapping[RepoId, Reading], library: "EvidenceCache"
) -> AsyncIterator[_IssueClaim]:
    """Yield what commits have to do with issues of other repositories: recorded, named, admitted."""
    for link in read[repo].links[:_MAX_LINKS]:
        far = read.get(link.issue.repo)
        if far is None or link.issue.repo == repo or not link.change.is_commit:
            continue
        commit = await _skimmed(link.change, read[repo].code, library)
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


async def _issue(name: EvidenceId, far: Reading) -> ThreadEvidence | None:
    """Read an issue of another repository; None for a pull request and for what is not there."""
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


async def _other_side(relation: Related, far: Reading) -> Evidence | None:
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
    repo: RepoId, read: Mapping[RepoId, Reading], library: "EvidenceCache"
) -> AsyncIterator[_Tie]:
    """Find where each dependency that was moved now stands: the one repository that has the commit or the tag."""
    others = [name for name in read if name != repo]
    seen: set[tuple[EvidenceId, RepoId]] = set()
    for one in read[repo].taken[:_MOST]:
        homes = others if one.sha else may_be_of(one.package, others)
        found = [source for name in homes if (source := await _standing(one, read[name].code))]
        if len(found) == 1 and (one.commit, found[0].repo) not in seen:
            seen.add((one.commit, found[0].repo))
            if doer := await _skimmed(one.commit, read[repo].code, library):
                yield _Tie(doer, found[0], "taken in")


async def _standing(one: Taken, code: CodeSource) -> CommitEvidence | ReleaseEvidence | None:
    try:
        if one.sha:
            return evidence_of(code.repo, headline(await code.resolve(one.sha)))
        tags = (f"v{one.version}", one.version)
        release = await code.tagged(tags) if isinstance(code, CloneSource) else None
    except AppError:
        return None
    return ReleaseEvidence(release=release) if release and release.published_at <= one.at else None


async def _named(
    repo: RepoId, read: Mapping[RepoId, Reading], window: Window, library: "EvidenceCache"
) -> AsyncIterator[_Tie]:
    """Find the landed commits of other repositories that commits or their pull requests name."""
    near = read[repo]
    places = {}
    for reference in reversed(near.references):
        if reference.place in OF_COMMITS:
            places[reference.source, reference.target] = reference.place
    for other, far in read.items():
        if other == repo:
            continue
        pairs = [pair for pair in places if pair[1].repo == other][:_MOST]
        landed = await _landed(far, [target for _, target in pairs], window) if pairs else {}
        for source, target in pairs:
            doer = await _skimmed(source, near.code, library) if target in landed else None
            if doer and landed[target].at <= doer.at:
                said_in_pull = places[source, target] == "pull request"
                pull = near.pulls.get(source) if said_in_pull else None
                yield _Tie(doer, landed[target], "refers", pull)


async def _landed(
    far: Reading, targets: Sequence[EvidenceId], window: Window
) -> dict[EvidenceId, CommitEvidence]:
    numbers = {target.number: target for target in targets if target.number is not None}
    found: dict[EvidenceId, CommitEvidence] = {}
    if numbers and isinstance(far.code, CloneSource):
        past = await far.code.headed(naming(numbers), upto=far.tip, since=window.start - FAR)
        heads = [head for head in reversed(past.found if past else ()) if head.pull in numbers]
        found |= {numbers[head.pull or 0]: evidence_of(far.code.repo, head) for head in heads}
    for one in targets:
        try:
            if not one.is_thread:
                commit = await far.code.resolve(one.revision)
                found[one] = evidence_of(far.code.repo, headline(commit))
        except AppError:
            continue
    return found


async def _skimmed(
    name: EvidenceId, code: CodeSource, library: "EvidenceCache"
) -> CommitEvidence | None:
    return library.get(name) or next(
        iter([read async for read in library.skim(code, [name.sha])]), None
    )


def _story(tie: _Tie, told: StoryMemory, window: Window) -> Story:
    doer = tie.doer
    first = _first_step(tie.source)
    last = StoryStep(
        cite=doer.id, at=max(doer.at, first.at), act=tie.act, title=doer.change.commit.title
    )
    one = story(KINDS[tie.act], doer.repo, [first, last])
    one = one.model_copy(update={"judged_by": tie.judged_by})
    return with_memory(one, {doer.id}, told.known(window, list(one.steps)))


def _first_step(source: Evidence) -> StoryStep:
    if isinstance(source, ThreadEvidence):
        thread = source.thread
        return StoryStep(cite=source.id, at=thread.created_at, act="opened", title=thread.title)
    title = source.change.commit.title if isinstance(source, CommitEvidence) else ""
    return StoryStep(cite=source.id, at=source.at, act="upstream", title=title)
