"""Which commits were read in depth, and what follows from that for the rest of the repository's day."""

from collections.abc import Mapping, Sequence

from agent.analyst import Material
from agent.collected import Collected, Scales
from agent.domain import Frozen, Issue
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.facts import FactKind
from agent.ids import commit_id
from agent.linking.digest import Known, as_issue
from agent.links import Link
from agent.settings import Tiers
from agent.triage import Triage, rank

_LESS = 0.001


class Readings(Frozen):
    """Which commits were read in depth, and which commits of earlier days beside them."""

    deep: tuple[str, ...] = ()
    background: tuple[str, ...] = ()


def readings_of(studied: Sequence[CommitEvidence], found: Collected) -> Readings:
    """Note what was studied, and what of earlier days it undoes or brings back."""
    landed = {row.commit.sha for row in found.landed}
    background = sorted({old for evidence in studied for old in _undone(evidence)} - landed)
    return Readings(deep=tuple(one.change.commit.sha for one in studied), background=tuple(background))


def _undone(evidence: CommitEvidence) -> list[str]:
    kinds = (FactKind.REVERT, FactKind.RELAND)
    return [fact.old for fact in evidence.facts if fact.kind in kinds and fact.old and len(fact.old) == 40]


def known_issues(found: Collected, earlier: Known, links: Sequence[Link]) -> list[Issue]:
    """Give the issues of earlier days that something today addresses."""
    fresh, wanted = {issue.id for issue in found.threads.issues}, {link.issue for link in links}
    return [as_issue(one) for one in earlier.issues if one.id in wanted and one.id not in fresh]


def weighed_again(
    known: Mapping[str, CommitEvidence], undone: Mapping[EvidenceId, EvidenceId], scales: Scales, tiers: Tiers
) -> tuple[Triage, ...]:
    """Rank the commits by what is known after reading: whole files show more than a patch does.

    What landed and was undone in the same window leaves nothing to act on.
    """
    gone = {*undone, *undone.values()}
    weighed = []
    for evidence in known.values():
        one = scales.weigh(evidence)
        settled = min(one.score, tiers.high - _LESS) if evidence.id in gone else one.score
        weighed.append(one.model_copy(update={"score": settled}))
    return rank(weighed, tiers)


def reverted_by(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """Tell which commit of the window undid which, by the patch or by what the message names."""
    by_pull = {f"#{one.pull}": one.id for one in commits if one.pull}
    mine = {one.id for one in commits}
    pairs: dict[EvidenceId, EvidenceId] = {}
    for one in commits:
        for fact in one.facts:
            if fact.kind is FactKind.REVERT:
                named = (f"{one.repo}@{fact.old}", by_pull.get("#" + fact.name.rpartition("#")[2], ""))
                pairs |= {old: one.id for old in named if old in mine and old != one.id}
    return pairs


def dossier_of(material: Material, found: Collected) -> Dossier:
    """Give the gate everything that was read of a repository."""
    known: dict[EvidenceId, Evidence] = {read.evidence.id: read.evidence for read in material.reads}
    known |= material.background
    known |= {issue.id: ThreadEvidence(thread=issue) for issue in material.issues}
    known |= {pull.id: ThreadEvidence(thread=pull) for pull in material.pulls.values()}
    known |= material.threads
    late = frozenset(commit_id(row.commit.repo, row.commit.sha) for row in found.late)
    return Dossier(
        found=known,
        window=material.window,
        seen=frozenset(known),
        links=tuple(material.links),
        reverted=material.reverted,
        late=late,
    )
