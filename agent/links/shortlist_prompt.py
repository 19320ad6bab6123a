"""Prompt of the shortlist of what is worth reading: a line for each commit and each candidate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, Field

from agent.domain.evidence_id import EvidenceId
from agent.links.candidates import Candidate, CommitCandidates

_MAX_TITLE = 120  # Characters
_MAX_PATHS = 3
_MAX_SHARED = 3
_MAX_SHARED_TEXT = 80  # Characters
MOST_CANDIDATES = (36, 24, 16, 10, 6, 3)
"""How many candidates of a commit are listed: fewer where the question would be too long."""


class ReadingChoice(BaseModel):
    """A commit, and the candidates that are worth reading beside it."""

    commit: str = Field(default="", description="the handle of the commit")
    others: list[str] = Field(
        default_factory=list, description="handles of its candidates, the likeliest first"
    )


class Shortlist(BaseModel):
    """The pairs that are worth reading, the likeliest first."""

    pairs: list[ReadingChoice] = Field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ShortlistQuestion:
    """The commits of a repository's day with what code found for each."""

    commits: Sequence[CommitCandidates]
    max_candidates: int = MOST_CANDIDATES[0]

    @cached_property
    def commit_handles(self) -> Mapping[str, CommitCandidates]:
        """The commits by their handles."""
        return {f"c{number}": commit for number, commit in enumerate(self.commits, start=1)}

    @cached_property
    def candidate_handles(self) -> Mapping[EvidenceId, str]:
        """The handles of the candidates, which several commits may share.

        A candidate that is a commit of the day has the handle of that commit.
        """
        handles: dict[EvidenceId, str] = {}
        for handle, commit in self.commit_handles.items():
            handles[commit.read.evidence.id] = handle
        number = 0
        for commit in self.commits:
            for candidate in self._listed(commit):
                if candidate.id not in handles:
                    number += 1
                    handles[candidate.id] = f"k{number}"
        return handles

    @property
    def names(self) -> dict[str, str]:
        """The candidates by their handles."""
        return {handle: candidate for candidate, handle in self.candidate_handles.items()}

    def text(self) -> str:
        """Return a line for each commit and for each candidate."""
        commit_lines = [self._commit_line(handle) for handle in self.commit_handles]
        candidate_lines: dict[EvidenceId, str] = {}
        days_commits = {commit.read.evidence.id for commit in self.commits}
        for commit in self.commits:
            for candidate in self._listed(commit):
                if candidate.id not in days_commits:
                    line = self._candidate_line(commit, candidate)
                    candidate_lines.setdefault(candidate.id, line)
        return "\n".join(("Commits:", *commit_lines, "", "Candidates:", *candidate_lines.values()))

    def chosen(self, answer: Shortlist) -> dict[EvidenceId, list[Candidate]]:
        """Return the candidates that were chosen for each commit, in the order of the answer.

        What was not listed for a commit cannot be chosen for it.
        """
        chosen: dict[EvidenceId, list[Candidate]] = {}
        for choice in answer.pairs:
            commit = self.commit_handles.get(_handle(choice.commit))
            if commit is None:
                continue
            by_handle: dict[str, Candidate] = {}
            for candidate in self._listed(commit):
                by_handle[self.candidate_handles[candidate.id]] = candidate
            candidates = chosen.setdefault(commit.read.evidence.id, [])
            for other in choice.others:
                named_candidate = by_handle.pop(_handle(other), None)
                if named_candidate is not None and named_candidate not in candidates:
                    candidates.append(named_candidate)
        return chosen

    def _listed(self, commit: CommitCandidates) -> Sequence[Candidate]:
        return commit.found[: self.max_candidates]

    def _commit_line(self, handle: str) -> str:
        commit = self.commit_handles[handle]
        evidence = commit.read.evidence
        parts = [_short(evidence.change.commit.title), f"by {evidence.change.commit.author.name}"]
        if evidence.paths:
            parts.append(", ".join(evidence.paths[:_MAX_PATHS]))
        listed = [self.candidate_handles[candidate.id] for candidate in self._listed(commit)]
        return f"[{handle}] {' · '.join(parts)} <- {' '.join(listed)}"

    def _candidate_line(self, commit: CommitCandidates, candidate: Candidate) -> str:
        return f"[{self.candidate_handles[candidate.id]}] {' · '.join(_parts(commit, candidate))}"


def _parts(commit: CommitCandidates, candidate: Candidate) -> Iterator[str]:
    """Yield what a line says of a candidate: what it is, when it was, and what it is called."""
    name = candidate.id.shortened(9).removeprefix(commit.read.evidence.repo).removeprefix("@")
    is_commit = candidate.id.is_commit
    yield f"{'commit' if is_commit else 'issue'} {name}"
    yield f"{'landed' if is_commit else 'opened'} {candidate.at:%Y-%m-%d}"
    if is_commit:
        yield f"by {candidate.author}"
    yield _short(candidate.title)
    if candidate.taken_back:
        yield _taken_back_said(candidate.taken_back)
    if candidate.origin == "changed lines":
        yield "wrote lines that are changed"
    if candidate.origin == "touched lines":
        yield _lines_said(candidate.changed_lines)
    if candidate.origin == "birth":
        yield "brought names that are changed"
    if candidate.origin == "tracker":
        yield "named by the first part of the series"
    if candidate.shared:
        shared = ", ".join(candidate.shared[:_MAX_SHARED])
        yield f"shares {shared[:_MAX_SHARED_TEXT]}"


def _lines_said(changed: int) -> str:
    if not changed:
        return "wrote lines next to what is changed"
    return "wrote a line that is changed" if changed == 1 else f"wrote {changed} changed lines"


def _taken_back_said(lines: int) -> str:
    return "a line of it is taken back" if lines == 1 else f"{lines} lines of it are taken back"


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _MAX_TITLE else f"{line[:_MAX_TITLE].rstrip()} …"


def _handle(text: str) -> str:
    return text.strip("[]` ")
