"""What ties commits of different repositories: a pin that moves, a reference, the same work as a reader found."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.claims import Claim, Role
from agent.domain import Frozen
from agent.dossier import Dossier
from agent.errors import AppError
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ReleaseEvidence
from agent.gate.check import first_refusal
from agent.ids import RepoId
from agent.links import Place, Reference, Related, Relation
from agent.memories import StoryMemory
from agent.report import Drop
from agent.sources import CodeSource, FindsTags, LooksBack
from agent.stories import Act, Step, Story, StoryKind
from agent.story_finding.candidates import OF_COMMITS
from agent.story_finding.headlines import evidence_of, headline
from agent.story_finding.joining import with_memory
from agent.story_finding.pins import Taken, may_be_of, tags_of
from agent.story_finding.tell import LANGUAGES, short_text
from agent.templates import sentence
from agent.window import Window
from tools.evidence_cache import EvidenceCache
from tools.history.past import FAR, pattern

_MOST = 40
_READ: Mapping[Relation, tuple[str, Act, StoryKind]] = {
    Relation.SAME_WORK: ("same work", Act.SAME_WORK, StoryKind.SAME_WORK),
    Relation.INTRODUCED: ("mends", Act.MENDED, StoryKind.FOLLOW_UP),
    Relation.CONTINUES: ("continues", Act.FOLLOW_UP, StoryKind.FOLLOW_UP),
}
"""How it is told what a reader of both sides found."""
_REFERS = ("refers to", Act.REFERS, StoryKind.REFERENCE)
_TAKES_IN = ("takes in", Act.TAKEN_IN, StoryKind.BUMP)


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
    pulls: Mapping[EvidenceId, Evidence] = field(default_factory=dict)
    """The pull requests of its commits, by the commits' names."""


@dataclass(frozen=True)
class _Tie:
    """A commit, what it is tied to, and how that is told."""

    doer: CommitEvidence
    source: CommitEvidence | ReleaseEvidence
    told_as: tuple[str, Act, StoryKind]
    said_in: Evidence | None = None


async def connected(
    read: Mapping[RepoId, Reading], window: Window, library: EvidenceCache, told: StoryMemory
) -> Connected:
    """Find what commits of each repository take in of the others, and which of their changes they name."""
    claims: list[Claim] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    for repo in read:
        ties = [tie async for tie in _pinned(repo, read, library)]
        known = {(tie.doer.id, tie.source.id) for tie in ties}
        ties += [tie async for tie in _named(repo, read, window, library) if (tie.doer.id, tie.source.id) not in known]
        for tie in ties:
            claim, found = _claim(tie, window), {one.id: one for one in (tie.doer, tie.source, tie.said_in) if one}
            late = frozenset({tie.doer.id}) if tie.doer.at not in window else frozenset()
            dossier = Dossier(found=found, window=window, seen=frozenset(found), late=late)
            judged = first_refusal(claim, dossier, "en")
            if not judged.passed:
                drops.append(Drop(repo=repo, verdict=judged.verdict, check=judged.check, about=claim.about))
                continue
            claims.append(claim.model_copy(update={"judgement": judged}))
            stories.append(_story(tie, claim, told, window))
    return Connected(claims=tuple(claims), stories=tuple(stories), drops=tuple(drops))


async def _pinned(repo: RepoId, read: Mapping[RepoId, Reading], library: EvidenceCache) -> AsyncIterator[_Tie]:
    """Find where each dependency that was moved now stands: the one repository that has the commit or the tag."""
    seen: set[tuple[EvidenceId, RepoId]] = set()
    for one in read[repo].taken[:_MOST]:
        others = [name for name in read if name != repo] if one.sha else may_be_of(one.package, read, repo)
        found = [source for name in others if (source := await _standing(one, read[name].code))]
        if len(found) != 1 or (one.commit, found[0].repo) in seen:
            continue
        if doer := await _skimmed(one.commit, read[repo].code, library):
            seen.add((one.commit, found[0].repo))
            yield _Tie(doer, found[0], _TAKES_IN)


async def _standing(one: Taken, code: CodeSource) -> CommitEvidence | ReleaseEvidence | None:
    try:
        if one.sha:
            return evidence_of(code.repo, headline(await code.resolve(one.sha)))
        release = await code.tagged(tags_of(one.version)) if isinstance(code, FindsTags) else None
    except AppError:
        return None
    return ReleaseEvidence(release=release) if release and release.published_at <= one.at else None


async def _named(
    repo: RepoId, read: Mapping[RepoId, Reading], window: Window, library: EvidenceCache
) -> AsyncIterator[_Tie]:
    """Find the landed changes of other repositories that commits and their pull requests name."""
    reading = read[repo]
    related = {(one.change, one.other): _READ[one.relation] for one in reading.related if one.relation in _READ}
    wanted = {(one.source, one.target): one for one in reversed(reading.references) if one.place in OF_COMMITS}
    for other, far in read.items():
        mine = [pair for pair in {**wanted, **related} if pair[1].startswith((f"{other}#", f"{other}@"))][:_MOST]
        landed = await _landed(far, [target for _, target in mine], window) if mine and other != repo else {}
        for source, target in mine:
            doer = await _skimmed(source, reading.code, library) if target in landed else None
            if doer and landed[target].at <= doer.at:
                said = wanted.get((source, target))
                pull = reading.pulls.get(source) if said and said.place is Place.PULL else None
                yield _Tie(doer, landed[target], related.get((source, target), _REFERS), pull)


async def _landed(far: Reading, targets: Sequence[EvidenceId], window: Window) -> dict[EvidenceId, CommitEvidence]:
    """Find the landed commits of pull requests and hashes of a repository."""
    numbers = {int(one.rpartition("#")[2]): one for one in targets if "#" in one}
    found: dict[EvidenceId, CommitEvidence] = {}
    if numbers and isinstance(far.code, LooksBack):
        past = await far.code.headed(pattern(numbers), upto=far.tip, since=window.start - FAR)
        for head in past.found if past else ():
            if head.pull in numbers:
                found.setdefault(numbers[head.pull], evidence_of(far.code.repo, head))
    for one in targets:
        if "@" in one:
            try:
                found[one] = evidence_of(far.code.repo, headline(await far.code.resolve(one.partition("@")[2])))
            except AppError:
                continue
    return found


async def _skimmed(name: EvidenceId, code: CodeSource, library: EvidenceCache) -> CommitEvidence | None:
    sha = name.partition("@")[2]
    return library.get(name) or next(iter([read async for read in library.skim(code, [sha])]), None)


def _claim(tie: _Tie, window: Window) -> Claim:
    fresh = (tie.source.id,) if tie.source.at in window else ()
    predicate = "refers as said" if tie.said_in and tie.told_as is _REFERS else tie.told_as[0]
    said = (tie.said_in.id,) if tie.said_in and tie.told_as is _REFERS else ()
    repo, _, sha = tie.doer.id.partition("@")
    return Claim(
        id=f"{repo}@{sha[:12]}.u{tie.source.id.partition('@')[2][:7]}",
        repo=None,
        role=Role.CHANGE,
        about=(tie.doer.id,),
        predicate=predicate,
        cites=(tie.doer.id, *said, *fresh),
        background=() if fresh else (tie.source.id,),
        text={lang: sentence(predicate, {}, lang) or "" for lang in LANGUAGES},
    )


def _story(tie: _Tie, claim: Claim, told: StoryMemory, window: Window) -> Story:
    doer, source = tie.doer, tie.source
    title = source.change.commit.title if isinstance(source, CommitEvidence) else ""
    timeline = (
        Step(cite=source.id, at=source.at, act=Act.UPSTREAM, title=title),
        Step(cite=doer.id, at=doer.at, act=tie.told_as[1], title=doer.change.commit.title),
    )
    story = Story(
        kind=tie.told_as[2],
        repo=doer.repo,
        steps=(source.id, doer.id),
        timeline=timeline,
        news=(doer.id,),
        text={lang: short_text(claim, lang) for lang in LANGUAGES},
    )
    return with_memory(story, told.known(window, [source.id, doer.id]))
