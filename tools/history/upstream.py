"""Where a dependency of another repository now stands, and how it is said that one takes it in or up."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from agent.claims import Claim, Role
from agent.evidence import CommitEvidence, EvidenceId, ReleaseEvidence
from agent.settings import Language
from agent.sources import CodeSource, FindsTags, LooksBack
from agent.stories import StoryKind
from agent.templates import sentence
from agent.weaving.bumps import Taken, tags_of, version_pattern, version_set_by
from agent.weaving.headlines import evidence_of, headline
from agent.weaving.wanted import FAR
from agent.window import Window

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_CLOCKS_APART = timedelta(hours=1)

Upstream = CommitEvidence | ReleaseEvidence
"""What a dependency now stands at, or what is taken up of it."""


@dataclass(frozen=True, kw_only=True)
class Bond:
    """A commit, what it takes in or up, and how that is said."""

    doer: CommitEvidence
    source: Upstream
    predicate: str
    params: Mapping[str, str]
    kind: StoryKind
    said: tuple[EvidenceId, ...] = ()


async def upstream(one: Taken, code: CodeSource, tip: str, window: Window) -> Upstream | None:
    """Find what a dependency now stands at: a commit, the tag of its version, else the commit that set the version."""
    if one.sha:
        return evidence_of(code.repo, headline(await code.resolve(one.sha)))
    release = await code.tagged(tags_of(one.version)) if isinstance(code, FindsTags) else None
    if release and release.published_at <= one.at + _CLOCKS_APART:
        return ReleaseEvidence(release=release)
    if not isinstance(code, LooksBack):
        return None
    past = await code.headed(version_pattern(one.version), upto=tip, since=window.start - FAR)
    head = version_set_by(past.found, one.version, one.at + _CLOCKS_APART) if past else None
    return evidence_of(code.repo, head) if head else None


def bond_claim(bond: Bond, window: Window) -> Claim:
    """Say that a commit takes in or up what another repository has."""
    fresh = bond.source.at in window
    repo, _, sha = bond.doer.id.partition("@")
    own = (bond.doer.id, *bond.said)
    return Claim(
        id=f"{repo}@{sha[:12]}.u{bond.source.id.partition('@')[2][:7]}",
        repo=None,
        role=Role.CHANGE,
        about=(bond.doer.id,),
        predicate=bond.predicate,
        params=dict(bond.params),
        cites=(*own, bond.source.id) if fresh else own,
        background=() if fresh else (bond.source.id,),
        text={lang: sentence(bond.predicate, bond.params, lang) or "" for lang in _LANGUAGES},
    )
