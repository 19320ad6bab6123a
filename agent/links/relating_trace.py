"""A trace of how the commits of a day were related, for a person who measures what is missed."""

from collections.abc import Iterable, Iterator
from typing import Literal

from agent.domain.base import Frozen, RepoId
from agent.domain.evidence_id import EvidenceId
from agent.links.candidates import CommitCandidates, Origin

CandidateKind = Literal["named", "earlier commit", "commit of another repository", "issue"]


class IdPair(Frozen):
    """A commit, and what it may belong to."""

    commit: EvidenceId
    other: EvidenceId


class RankedCandidate(IdPair):
    """A candidate of a commit, with its rank among those of its kind."""

    kind: CandidateKind
    rank: int  # The first one has 1
    origin: Origin | None = None  # How code found it; None for what a text names
    title: str = ""
    shared: tuple[str, ...] = ()  # What it has in common with the commit


class RelatingTrace(Frozen):
    """The candidates of a repository's day, those that were chosen, and those that were read."""

    repo: RepoId
    candidates: tuple[RankedCandidate, ...]
    shortlisted: tuple[IdPair, ...]
    read: tuple[IdPair, ...]


def ranked_candidates(commits: Iterable[CommitCandidates]) -> Iterator[RankedCandidate]:
    """Yield what each commit may be read beside, ranked among what is of the same kind."""
    for commit in commits:
        name = commit.read.evidence.id
        for rank, other in enumerate(commit.named, start=1):
            yield RankedCandidate(commit=name, other=other, kind="named", rank=rank)
        ranks: dict[CandidateKind, int] = {}
        for candidate in commit.found:
            kind = _kind(name, candidate.id)
            ranks[kind] = ranks.get(kind, 0) + 1
            yield RankedCandidate(
                commit=name,
                other=candidate.id,
                kind=kind,
                rank=ranks[kind],
                origin=candidate.origin,
                title=candidate.title,
                shared=candidate.shared,
            )


def _kind(commit: EvidenceId, other: EvidenceId) -> CandidateKind:
    if not other.is_commit:
        return "issue"
    return "earlier commit" if other.repo == commit.repo else "commit of another repository"


def pairs_of(commits: Iterable[CommitCandidates]) -> Iterator[IdPair]:
    """Yield each commit with each of what it is to be read beside."""
    for commit in commits:
        others = [*commit.named, *(candidate.id for candidate in commit.found)]
        for other in dict.fromkeys(others):
            yield IdPair(commit=commit.read.evidence.id, other=other)
