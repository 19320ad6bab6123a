"""The issues that a change is most like, for a model to read: BM25 over the words of issues."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Mention
from agent.links.issue_digest import GIVEN_UP, Digest, digest, terms
from agent.stories.timeline import CommitPair
from agent.triage.collected import Collected

NEAREST, _EARLIER, _COMPARED, _READ_BESIDE = 10, 5, 20, 40
"""Issues and earlier commits that one is read beside; commits of a day that are compared, and that are read so."""
_K1, _B = 1.2, 0.75
_QUERY, _LINES = 400, 20_000
_EARLY = timedelta(minutes=10)


def candidates(
    reads: Sequence[Read], issues: Iterable[Digest], linked: Iterable[str]
) -> dict[str, list[EvidenceId]]:
    """Name the nearest issues of each commit that was read and is linked with nothing, the heaviest commits first."""
    every, taken = list(issues), set(linked)
    places: dict[str, list[int]] = defaultdict(list)
    for place, issue in enumerate(every):
        for term in issue.terms:
            places[term].append(place)
    # Words of every second issue tell nothing and cost the most.
    telling = {
        term: some for term, some in places.items() if len(some) * 2 <= len(every) or len(every) < 4
    }
    mean = sum(len(one.terms) for one in every) / max(1, len(every)) or 1.0
    fit = [(_K1 + 1) / (1 + _K1 * (1 - _B + _B * len(one.terms) / mean)) for one in every]
    chosen = [
        one.evidence
        for one in reads
        if one.depth in ("deep", "skim") and one.evidence.id not in taken
    ]
    found: dict[str, list[EvidenceId]] = {}
    for commit in chosen[:_COMPARED]:
        scores: dict[int, float] = defaultdict(float)
        for some in (telling.get(term, ()) for term in _words_of(commit)):
            for place in some:
                scores[place] += (
                    math.log(1 + (len(every) - len(some) + 0.5) / (len(some) + 0.5)) * fit[place]
                )
        ranked = [
            every[place]
            for place in sorted(scores, key=lambda place: (-scores[place], every[place].number))
        ]
        # A change can have fixed what was reported before it landed and not closed before.
        open_then = [
            x for x in ranked if x.created_at <= commit.at <= (x.closed_at or commit.at) + _EARLY
        ]
        if open_then:
            found[commit.id] = [one.id for one in open_then[:NEAREST]]
    return found


def _words_of(evidence: CommitEvidence) -> tuple[str, ...]:
    facts = " ".join(
        f"{fact.name} {fact.old or ''} {fact.new or ''}" for fact in evidence.facts[:60]
    )
    lines = [
        line
        for file in evidence.change.files
        for line in (file.patch or "").splitlines()
        if line[:1] in "+-"
    ]
    text = "\n".join(
        (
            evidence.change.commit.message,
            facts,
            "\n".join(evidence.paths[:60]),
            "\n".join(lines)[:_LINES],
        )
    )
    return terms(text)[:_QUERY]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A commit and the names of what it is read beside."""

    read: Read
    others: tuple[EvidenceId, ...]
    said: tuple[Mention, ...] = ()


def wanted_pairs(
    found: Collected, material: Material, known: Sequence[Digest], pairs: Iterable[CommitPair]
) -> list[Wanted]:
    """Choose what to read beside commits: what they name or are named by, what they may go on with, issues alike.

    A recorded fix needs no reading, unless its issue is still open; issues are compared where no fix is recorded.
    """
    fresh = {issue.id for issue in found.threads.issues}
    issues = [*map(digest, found.threads.issues), *(one for one in known if one.id not in fresh)]
    recorded = [link for link in material.links if link.grade is Grade.A]
    still_open = {one.id for one in issues if one.state == "open"}
    settled: set[tuple[EvidenceId, EvidenceId]] = {
        (x.change, x.issue) for x in recorded if x.issue not in still_open
    }
    said = _said(found.references, [read.evidence for read in material.reads], settled)
    explained = {link.issue for link in recorded}
    free = [one for one in issues if one.id not in explained and one.state_reason not in GIVEN_UP]
    near = candidates(material.reads, free, {link.change for link in recorded})
    # Those whose lines go come first.
    earlier = sorted(pairs, key=lambda one: not one.by_lines)
    chosen = []
    for read in material.reads:
        name, sha = read.evidence.id, read.evidence.change.commit.sha
        mine = said.get(name, {})
        goes_on = dict.fromkeys(
            EvidenceId.commit(material.repo, one.earlier.sha)
            for one in earlier
            if one.doer.sha == sha
        )
        named = [*mine.values(), *list(goes_on)[:_EARLIER]]
        others = tuple(dict.fromkeys((*named, *near.get(name, ()))))[:NEAREST]
        if others:
            chosen.append(Wanted(read=read, others=others, said=tuple(mine)))
    # What somebody names comes before what is only alike.
    return sorted(chosen, key=lambda one: not one.said)[:_READ_BESIDE]


def _said(
    references: Iterable[Mention],
    commits: Sequence[CommitEvidence],
    settled: set[tuple[EvidenceId, EvidenceId]],
) -> Mapping[EvidenceId, dict[Mention, EvidenceId]]:
    """Sort references by the commit that they are about, each with its other side, what it says itself first."""
    own: dict[EvidenceId, EvidenceId] = {one.id: one.id for one in commits}
    own |= {EvidenceId.thread(one.repo, one.pull): one.id for one in commits if one.pull}
    about: dict[EvidenceId, dict[Mention, EvidenceId]] = defaultdict(dict)
    for one in references:
        commit = one.source if one.source in own else own.get(one.target)
        other = one.target if one.source in own else one.source
        if commit is not None and (commit, other) not in settled:
            about[commit][one] = other
    return about
