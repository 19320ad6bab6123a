"""What ties commits of different repositories: a pin that moves, a reference, the same work as a reader found."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.base import LANGUAGES, AppError, EvidenceId, Frozen, RepoId
from agent.domain.claims import Claim
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ReleaseEvidence, ThreadEvidence
from agent.domain.links import Act, Reference, Related, Step, Story
from agent.domain.report import Drop
from agent.domain.window import Window
from agent.gate.check import refusals
from agent.ports import CloneSource, CodeSource, StoryMemory
from agent.reports.chapter import checked_claims
from agent.stories.follow_ups import KINDS, OF_COMMITS, READ
from agent.stories.releases import Taken, may_be_of
from agent.stories.tell import short_text, story_claims
from agent.stories.timeline import evidence_of, headline, story, with_memory
from tools.history.past import FAR, naming

if TYPE_CHECKING:
    from tools.evidence_cache import EvidenceCache

_MOST = 40


class Connected(Frozen):
    """What is said over several repositories."""

    claims: tuple[Claim, ...] = ()
    stories: tuple[Story, ...] = ()
    drops: tuple[Drop, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was read of one repository as far as it may lead to others."""

    code: CodeSource
    tip: str
    taken: Sequence[Taken] = ()
    references: Sequence[Reference] = ()
    related: Sequence[Related] = ()
    pulls: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """The pull requests of its commits, by the commits' names."""


@dataclass(frozen=True)
class _Tie:
    """A commit, what it is tied to, how that is told, and the pull request that says it."""

    doer: CommitEvidence
    source: CommitEvidence | ReleaseEvidence
    act: Act
    said_in: ThreadEvidence | None = None


async def connected(
    read: Mapping[RepoId, Reading], window: Window, library: "EvidenceCache", told: StoryMemory
) -> Connected:
    """Find what commits of each repository take in of the others, and which of their changes they name."""
    ties: dict[tuple[EvidenceId, EvidenceId], _Tie] = {}
    for repo in read:
        async for tie in _pinned(repo, read, library):
            ties.setdefault((tie.doer.id, tie.source.id), tie)
        async for tie in _named(repo, read, window, library):
            ties.setdefault((tie.doer.id, tie.source.id), tie)
    found: dict[EvidenceId, Evidence] = {}
    for tie in ties.values():
        found |= {one.id: one for one in (tie.doer, tie.source, tie.said_in) if one}
    late = frozenset(tie.doer.id for tie in ties.values() if tie.doer.at not in window)
    dossier = Dossier(found=found, window=window, seen=frozenset(found), late=late)
    claims: list[Claim] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    for tie in ties.values():
        one = _story(tie, told, window)
        said_in = {(tie.doer.id, tie.source.id): tie.said_in.id} if tie.said_in else {}
        name = f"{tie.doer.id[:-28]}.u{tie.source.id.partition('@')[2][:7]}"
        made = [
            claim.model_copy(update={"id": name, "repo": None})
            for claim in story_claims(one, said_in)
        ]
        passed, refused = checked_claims(made, (), (), dossier, refusals)
        claims += passed
        drops += refused
        text = {lang: " ".join(short_text(claim, lang) for claim in passed) for lang in LANGUAGES}
        stories += [one.model_copy(update={"text": text})] if passed else []
    return Connected(claims=tuple(claims), stories=tuple(stories), drops=tuple(drops))


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
    mine = read[repo]
    acts: dict[tuple[EvidenceId, EvidenceId], Act] = {}
    acts |= {
        (one.change, one.other): READ[one.relation] for one in mine.related if one.relation in READ
    }
    said = {
        (one.source, one.target): one.place
        for one in reversed(mine.references)
        if one.place in OF_COMMITS
    }
    for other, far in read.items():
        pairs = [
            pair for pair in {**said, **acts} if pair[1].startswith((f"{other}#", f"{other}@"))
        ][:_MOST]
        landed = (
            await _landed(far, [target for _, target in pairs], window)
            if pairs and other != repo
            else {}
        )
        for source, target in pairs:
            doer = await _skimmed(source, mine.code, library) if target in landed else None
            if doer and landed[target].at <= doer.at:
                pull = (
                    mine.pulls.get(source) if said.get((source, target)) == "pull request" else None
                )
                yield _Tie(doer, landed[target], acts.get((source, target), "refers"), pull)


async def _landed(
    far: Reading, targets: Sequence[EvidenceId], window: Window
) -> dict[EvidenceId, CommitEvidence]:
    numbers = {int(one.rpartition("#")[2]): one for one in targets if "#" in one}
    found: dict[EvidenceId, CommitEvidence] = {}
    if numbers and isinstance(far.code, CloneSource):
        past = await far.code.headed(naming(numbers), upto=far.tip, since=window.start - FAR)
        heads = [head for head in reversed(past.found if past else ()) if head.pull in numbers]
        found |= {numbers[head.pull or 0]: evidence_of(far.code.repo, head) for head in heads}
    for one in targets:
        try:
            if "@" in one:
                found[one] = evidence_of(
                    far.code.repo, headline(await far.code.resolve(one.partition("@")[2]))
                )
        except AppError:
            continue
    return found


async def _skimmed(
    name: EvidenceId, code: CodeSource, library: "EvidenceCache"
) -> CommitEvidence | None:
    sha = name.partition("@")[2]
    return library.get(name) or next(iter([read async for read in library.skim(code, [sha])]), None)


def _story(tie: _Tie, told: StoryMemory, window: Window) -> Story:
    doer, source = tie.doer, tie.source
    title = source.change.commit.title if isinstance(source, CommitEvidence) else ""
    first = Step(cite=source.id, at=source.at, act="upstream", title=title)
    last = Step(
        cite=doer.id, at=max(doer.at, source.at), act=tie.act, title=doer.change.commit.title
    )
    one = story(KINDS[tie.act], doer.repo, [first, last])
    return with_memory(one, {doer.id}, told.known(window, list(one.steps)))
