"""What one repository takes in or up of another one of the report: told when all of them are read."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.claims import Claim
from agent.domain import Frozen
from agent.dossier import Dossier
from agent.errors import AppError
from agent.evidence import CommitEvidence, Evidence, EvidenceId
from agent.gate.check import first_refusal
from agent.ids import RepoId
from agent.memories import StoryMemory
from agent.report import Drop
from agent.settings import Language
from agent.sources import CodeSource
from agent.stories import Act, Step, Story, StoryKind
from agent.weaving.bumps import Taken, upstream_of
from agent.weaving.claims import short_text
from agent.weaving.weave import with_memory
from agent.window import Window
from tools.evidence_cache import EvidenceCache
from tools.history.adopting import Adoption, proof
from tools.history.upstream import Bond, bond_claim, upstream

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
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
    adoptions: Sequence[Adoption] = ()
    pulls: Mapping[EvidenceId, Evidence] = field(default_factory=dict)
    """The pull requests of its commits, by name."""


async def connected(
    read: Mapping[RepoId, Reading], window: Window, library: EvidenceCache, told: StoryMemory
) -> Connected:
    """Find what commits of each repository take in or up of the others."""
    claims: list[Claim] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    sources = {name: one.code for name, one in read.items()}
    for repo, reading in read.items():
        bonds = [bond async for bond in _moved(repo, read, window, library)]
        bonds += await _adopted(reading.adoptions, sources, library)
        for bond in bonds:
            claim = bond_claim(bond, window)
            found: dict[EvidenceId, Evidence] = {bond.doer.id: bond.doer, bond.source.id: bond.source}
            found |= {name: reading.pulls[name] for name in bond.said if name in reading.pulls}
            late = frozenset({bond.doer.id}) if bond.doer.at not in window else frozenset()
            dossier = Dossier(found=found, window=window, seen=frozenset(found), late=late)
            judgements = [first_refusal(claim, dossier, lang) for lang in _LANGUAGES]
            worst = next((judgement for judgement in judgements if not judgement.passed), judgements[0])
            if not worst.passed:
                drops.append(Drop(repo=repo, verdict=worst.verdict, check=worst.check, about=claim.about))
                continue
            claims.append(claim.model_copy(update={"judgement": worst}))
            stories.append(_story(bond, claims[-1], told, window))
    return Connected(claims=tuple(claims), stories=tuple(stories), drops=tuple(drops))


async def _moved(
    repo: RepoId, read: Mapping[RepoId, Reading], window: Window, library: EvidenceCache
) -> AsyncIterator[Bond]:
    """Find where each dependency that was moved now stands."""
    tips = {name: one.tip for name, one in read.items()}
    seen: set[tuple[EvidenceId, RepoId]] = set()
    for one in read[repo].taken[:_MOST]:
        source = upstream_of(one.package, tips, repo)
        if source is None or (one.commit, source) in seen:
            continue
        try:
            found = await upstream(one, read[source].code, tips[source], window)
        except AppError:
            continue
        if found is not None and (doer := await _skimmed(one, read[repo].code, library)):
            seen.add((one.commit, source))
            params = {"package": one.package} | ({"version": one.version} if one.version else {})
            yield Bond(doer=doer, source=found, predicate="takes in", params=params, kind=StoryKind.BUMP)


async def _adopted(
    adoptions: Iterable[Adoption], sources: Mapping[RepoId, CodeSource], library: EvidenceCache
) -> list[Bond]:
    """Join commits with what they take up without a version that moves, of repositories that could be read."""
    bonds = []
    for one in adoptions:
        if one.source.repo not in sources or (both := await proof(one, sources, library)) is None:
            continue
        doer, source = both
        bonds.append(
            Bond(
                doer=doer,
                source=source,
                predicate=one.predicate,
                params=one.params,
                kind=StoryKind.ADOPTION,
                said=(one.said,) if one.said else (),
            )
        )
    return bonds


async def _skimmed(one: Taken, code: CodeSource, library: EvidenceCache) -> CommitEvidence | None:
    sha = one.commit.partition("@")[2]
    return library.get(one.commit) or next(iter([read async for read in library.skim(code, [sha])]), None)


def _story(bond: Bond, claim: Claim, told: StoryMemory, window: Window) -> Story:
    doer, found = bond.doer, bond.source
    source = found.change.commit.title if isinstance(found, CommitEvidence) else ""
    act = Act.TAKEN_IN if bond.kind is StoryKind.BUMP else Act.TAKEN_UP
    timeline = (
        Step(cite=found.id, at=found.at, act=Act.UPSTREAM, title=source),
        Step(cite=doer.id, at=doer.at, act=act, title=doer.change.commit.title),
    )
    story = Story(
        kind=bond.kind,
        repo=doer.repo,
        steps=(found.id, doer.id),
        timeline=timeline,
        news=(doer.id,),
        text={lang: short_text(claim, lang) for lang in _LANGUAGES},
    )
    return with_memory(story, told.known(window, [found.id, doer.id]))
