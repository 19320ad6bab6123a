"""The issues that a change is most like, for a model to read: BM25 over the words of issues."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.domain.base import EvidenceId, ThreadId, thread_id
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.links import Grade, Link, Reference, Related, Relation
from agent.links.issues import Digest, digest, terms
from agent.triage.collected import Collected

NEAREST, COMMITS = 10, 20  # Issues that a commit is compared with, and commits of a day that are
_K1, _B = 1.2, 0.75
_QUERY, _LINES = 400, 20_000
_EARLY = timedelta(minutes=10)


class IssueIndex:
    """Finds the issues that share rare words with a text; the cost of a search is that of its words' entries."""

    def __init__(self, issues: Iterable[Digest]) -> None:
        self._issues = list(issues)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, issue in enumerate(self._issues):
            for term in issue.terms:
                self._places[term].append(place)
        lengths = [len(one.terms) for one in self._issues]
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        self._fit = [(_K1 + 1) / (1 + _K1 * (1 - _B + _B * length / mean)) for length in lengths]

    def nearest(self, query: Sequence[str], landed: datetime, most: int = NEAREST) -> list[Digest]:
        """Rank the issues that were there and not closed when a change landed."""
        scores: dict[int, float] = defaultdict(float)
        count = len(self._issues)
        for term in query:
            places = self._places.get(term, ())
            rarity = math.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5))
            # Words of every second issue tell nothing and cost the most.
            if len(places) * 2 <= count or count < 4:
                for place in places:
                    scores[place] += rarity * self._fit[place]
        ranked = sorted(scores, key=lambda place: (-scores[place], self._issues[place].number))
        return [one for place in ranked if _in_time(one := self._issues[place], landed)][:most]


def _in_time(issue: Digest, landed: datetime) -> bool:
    """Tell whether a change can have fixed an issue: reported before it landed, and not closed before."""
    return issue.created_at <= landed and (issue.closed_at is None or issue.closed_at >= landed - _EARLY)


def words_of(evidence: CommitEvidence) -> tuple[str, ...]:
    """Give the words of a change: its message, its facts, its files, then its changed lines."""
    facts = " ".join(f"{fact.name} {fact.old or ''} {fact.new or ''}" for fact in evidence.facts[:60])
    lines = [line for file in evidence.change.files for line in (file.patch or "").splitlines() if line[:1] in "+-"]
    text = "\n".join((evidence.change.commit.message, facts, "\n".join(evidence.paths[:60]), "\n".join(lines)[:_LINES]))
    return terms(text)[:_QUERY]


def candidates(reads: Sequence[Read], issues: Iterable[Digest], linked: Iterable[str]) -> dict[str, list[ThreadId]]:
    """Name the nearest issues of each commit that was read and is linked with nothing, the heaviest commits first."""
    index, taken = IssueIndex(issues), set(linked)
    chosen = [one.evidence for one in reads if one.depth in ("deep", "skim") and one.evidence.id not in taken]
    found = {one.id: [issue.id for issue in index.nearest(words_of(one), one.at)] for one in chosen[:COMMITS]}
    return {name: near for name, near in found.items() if near}


_MOST = 40  # Commits of a day that are read beside others
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
    recorded = [link for link in material.links if link.grade is Grade.A]
    still_open = {one.id for one in issues if one.state == "open"}
    settled: set[tuple[EvidenceId, EvidenceId]] = {(x.change, x.issue) for x in recorded if x.issue not in still_open}
    said = _said(found, material, settled)
    explained = {link.issue for link in recorded}
    free = [one for one in issues if one.id not in explained and one.state_reason not in _GIVEN_UP]
    near = candidates(material.reads, free, {link.change for link in recorded})
    chosen = []
    for read in material.reads:
        mine = said.get(read.evidence.id, {})
        named = [*mine.values(), *earlier.get(read.evidence.change.commit.sha, ())]
        others = tuple(dict.fromkeys((*named, *near.get(read.evidence.id, ()))))[:NEAREST]
        if others:
            chosen.append(Wanted(read=read, others=others, said=tuple(mine)))
    # What somebody names comes before what is only alike.
    return sorted(chosen, key=lambda one: not one.said)[:_MOST]


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
        if commit is not None and one.place != "release" and (commit, other) not in settled:
            about[commit][one] = other
    return about


def related_links(links: Sequence[Link], related: Iterable[Related], issues: Iterable[EvidenceId]) -> tuple[Link, ...]:
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
        found[pair] = link
    return tuple(found.values())
