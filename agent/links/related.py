"""Which commits are read beside what, and which links follow from what a model named and a judge admitted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.domain.base import EvidenceId, ThreadId, thread_id
from agent.domain.evidence import Material, Read
from agent.domain.links import Grade, Link, Place, Reference, Related, Relation
from agent.links.candidates import NEAREST, candidates
from agent.links.digest import Digest, digest
from agent.links.undoing import Patch, with_patches
from agent.triage.collected import Collected

_MOST = 40
"""Commits of a day that are read beside others."""
_LINKING = (Relation.FIXES, Relation.PARTLY, Relation.BECAUSE)
_GIVEN_UP = ("not_planned", "duplicate")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A commit and the names of what it is read beside."""

    read: Read
    others: tuple[EvidenceId, ...]
    said: tuple[Reference, ...] = ()


def wanted_pairs(
    found: Collected, material: Material, known: Sequence[Digest], earlier: Mapping[str, Sequence[EvidenceId]]
) -> list[Wanted]:
    """Choose what to read beside commits: what they name or are named by, what they may go on with, issues alike.

    A recorded fix needs no reading, unless its issue is still open; issues are compared where no fix is recorded.
    """
    fresh = {issue.id for issue in found.threads.issues}
    issues = [*map(digest, found.threads.issues), *(one for one in known if one.id not in fresh)]
    settled = _settled(material.links, issues)
    said = _said(found, material, settled)
    explained = {link.issue for link in material.links if link.grade is Grade.A}
    free = [one for one in issues if one.id not in explained and one.state_reason not in _GIVEN_UP]
    near = candidates(material.reads, free, {link.change for link in material.links if link.grade is Grade.A})
    chosen = []
    for read in material.reads:
        mine = said.get(read.evidence.id, {})
        named = [*mine.values(), *earlier.get(read.evidence.change.commit.sha, ())]
        others = tuple(dict.fromkeys((*named, *near.get(read.evidence.id, ()))))[:NEAREST]
        if others:
            chosen.append(Wanted(read=read, others=others, said=tuple(mine)))
    # What somebody names comes before what is only alike.
    return sorted(chosen, key=lambda one: not one.said)[:_MOST]


def _settled(links: Iterable[Link], issues: Iterable[Digest]) -> set[tuple[EvidenceId, EvidenceId]]:
    still_open = {one.id for one in issues if one.state == "open"}
    return {(one.change, one.issue) for one in links if one.grade is Grade.A and one.issue not in still_open}


def _said(
    found: Collected, material: Material, settled: set[tuple[EvidenceId, EvidenceId]]
) -> Mapping[EvidenceId, dict[Reference, EvidenceId]]:
    """Sort references by the commit that they are about, each with its other side, what it says itself first."""
    own = {read.evidence.id: read.evidence.id for read in material.reads}
    for read in material.reads:
        if number := found.threads.pull_of.get(read.evidence.change.commit.sha):
            own[thread_id(material.repo, number)] = read.evidence.id
    about: dict[EvidenceId, dict[Reference, EvidenceId]] = defaultdict(dict)
    for one in found.references:
        commit = one.source if one.source in own else own.get(one.target)
        other = one.target if one.source in own else one.source
        if commit is not None and one.place is not Place.RELEASE and (commit, other) not in settled:
            about[commit][one] = other
    return about


def related_links(
    links: Sequence[Link], related: Iterable[Related], issues: Iterable[EvidenceId], patches: Mapping[str, Patch]
) -> tuple[Link, ...]:
    """Put what was admitted in the place of plain references; what says more than GitHub records only narrows it."""
    found, known = {(link.issue, link.change): link for link in links}, set(issues)
    for one in related:
        pair = (ThreadId(one.other), one.change)
        before = found.get(pair)
        if one.relation not in _LINKING or one.other not in known:
            continue
        if before and before.grade is Grade.A and one.relation is not Relation.PARTLY:
            continue
        said = tuple(text for _, text in one.anchors)
        link = Link(issue=pair[0], change=one.change, relation=one.relation, grade=one.grade, evidence=said)
        found[pair] = with_patches([link], patches)[0]
    return tuple(found.values())
