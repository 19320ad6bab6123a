"""What a commit may belong to, found by code: wide and cheap, for a model to choose from."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Mention
from agent.domain.references import without_pull_numbers
from agent.links.earlier_commits import SimilarCommit
from agent.links.footprints import title_words
from agent.links.issue_digest import GIVEN_UP, Digest, digest
from agent.links.issue_index import IssueIndex, SimilarIssue
from agent.stories.timeline import CommitPair
from agent.triage.collected import Collected

MAX_ISSUES = 30  # The nearest issues of a commit
MAX_EARLIER = 6  # The nearest earlier commits, of each repository
_MAX_NAMED = 9  # Things that texts name and that are read without being chosen
_MIN_EQUAL_WORDS = 3  # In shorter titles equal words may be chance
_NEARLY_EQUAL = 0.75  # The share of words that nearly equal titles have in common
# A word with letters and digits names a model, a device or a format; figures with dots a version.
_SPECIFIC = re.compile(r"\b(?:[a-z]+[-_]?\d[\w.+-]*|v?\d+(?:\.\d+)+)", re.ASCII | re.IGNORECASE)

Origin = Literal["changed lines", "tracker", "earlier commit", "issue"]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Something that a commit may belong to though no text says so, and how it was found."""

    id: EvidenceId
    origin: Origin
    title: str
    at: datetime  # When it landed or was opened
    author: str = ""
    shared: tuple[str, ...] = ()  # What it has in common with the commit
    may_be_inferred: bool = False  # Whether the two share enough to be called related


@dataclass(frozen=True, kw_only=True)
class CommitCandidates:
    """A commit, and what it may be read beside."""

    read: Read
    named: tuple[EvidenceId, ...] = ()  # What one side names
    mentions: tuple[Mention, ...] = ()  # By which one side names the other
    found: tuple[Candidate, ...] = ()  # What code found, the likeliest first


@dataclass(frozen=True, kw_only=True)
class HistoryFindings:
    """What the history of the configured repositories offers the commits of a day."""

    pairs: Sequence[CommitPair] = ()  # Commits whose lines are changed, and those that are named
    similar: Mapping[RepoId, Mapping[str, Sequence[SimilarCommit]]] = field(default_factory=dict)
    """Similar commits of each repository, by the hashes of the day's commits."""
    trackers: Mapping[str, Sequence[Digest]] = field(default_factory=dict)
    """Issues that the first part of a series names, by the hashes of its later parts."""
    issues: Sequence[Digest] = ()  # Issues of the other repositories


def commit_candidates(
    collected: Collected, material: Material, known_issues: Sequence[Digest], past: HistoryFindings
) -> list[CommitCandidates]:
    """Return what each commit may belong to; commits without a candidate are left out.

    A recorded fix needs no reading, unless its issue is still open.
    """
    issues = [*_all_issues(collected, known_issues), *past.issues]
    open_issues = {issue.id for issue in issues if issue.state == "open"}
    recorded = [link for link in material.links if link.grade is Grade.A]
    fixed_issues = {link.issue for link in recorded}
    fixing_commits = {link.change for link in recorded}
    settled = {(link.change, link.issue) for link in recorded if link.issue not in open_issues}
    commits = [read.evidence for read in material.reads]
    mentions_by_commit = _mentions_by_commit(collected.references, commits, settled)
    unexplained: list[Digest] = []
    for issue in issues:
        if issue.id not in fixed_issues and issue.state_reason not in GIVEN_UP:
            unexplained.append(issue)
    index = IssueIndex(unexplained)
    candidates: list[CommitCandidates] = []
    for read in material.reads:
        commit = read.evidence
        mentions = mentions_by_commit.get(commit.id, {})
        found = _by_lines(commit, past.pairs)
        if read.depth in ("deep", "skim"):
            found += _trackers(commit, past)
            found += _earlier(commit, past)
            if commit.id not in fixing_commits:
                found += [_issue(commit, issue) for issue in index.ranked(commit, MAX_ISSUES)]
        named = tuple(dict.fromkeys((*mentions.values(), *_named_earlier(commit, past.pairs))))
        named = named[:_MAX_NAMED]
        unnamed = _unnamed(found, commit, named)
        if named or unnamed:
            candidate = CommitCandidates(
                read=read, named=named, mentions=tuple(mentions), found=tuple(unnamed)
            )
            candidates.append(candidate)
    return candidates


def _unnamed(
    found: Sequence[Candidate], commit: CommitEvidence, named: Sequence[EvidenceId]
) -> list[Candidate]:
    """Return the candidates that no text names, each once, by the first way it was found."""
    by_id: dict[EvidenceId, Candidate] = {}
    for candidate in found:
        if candidate.id != commit.id and candidate.id not in named:
            by_id.setdefault(candidate.id, candidate)
    return list(by_id.values())


# ---------------------------------------------------------------- earlier commits


def _by_lines(commit: CommitEvidence, pairs: Iterable[CommitPair]) -> list[Candidate]:
    """Return the commits whose lines a commit takes out."""
    candidates: list[Candidate] = []
    for pair in pairs:
        if pair.by_lines and pair.doer.sha == commit.change.commit.sha:
            lines = _commit_candidate(commit.repo, pair.earlier, "changed lines", ())
            candidates.append(lines)
    return candidates


def _named_earlier(commit: CommitEvidence, pairs: Iterable[CommitPair]) -> list[EvidenceId]:
    """Return the landed commits that a commit or its pull request names."""
    sha = commit.change.commit.sha
    return [
        EvidenceId.commit(commit.repo, pair.earlier.sha)
        for pair in pairs
        if not pair.by_lines and pair.doer.sha == sha
    ]


def _earlier(commit: CommitEvidence, past: HistoryFindings) -> list[Candidate]:
    """Return the most similar commits of all repositories, those of its own first."""
    candidates: list[Candidate] = []
    title = commit.change.commit.title
    for repo in sorted(past.similar, key=lambda repo: repo != commit.repo):
        for similar in past.similar[repo].get(commit.change.commit.sha, ())[:MAX_EARLIER]:
            may_be_inferred = may_be_related(
                title, similar.commit.title, has_rare_name=similar.has_rare_name
            )
            if repo != commit.repo and not (similar.shared or may_be_inferred):
                continue  # Titles of different projects share words by chance
            candidate = _commit_candidate(
                repo, similar.commit, "earlier commit", similar.shared, may_be_inferred
            )
            candidates.append(candidate)
    return candidates


def _commit_candidate(
    repo: RepoId,
    commit: Headline,
    origin: Origin,
    shared: tuple[str, ...],
    may_be_inferred: bool = True,
) -> Candidate:
    return Candidate(
        id=EvidenceId.commit(repo, commit.sha),
        origin=origin,
        title=commit.title,
        at=commit.at,
        author=commit.author,
        shared=shared,
        may_be_inferred=may_be_inferred,
    )


# ---------------------------------------------------------------- issues


def _all_issues(collected: Collected, known_issues: Sequence[Digest]) -> list[Digest]:
    """Return the issues of the day, and those of earlier days that were not read again."""
    issues = [digest(issue) for issue in collected.threads.issues]
    read_ids = {issue.id for issue in issues}
    issues += [issue for issue in known_issues if issue.id not in read_ids]
    return issues


def _issue(commit: CommitEvidence, similar: SimilarIssue) -> Candidate:
    issue = similar.issue
    has_rare_name = similar.has_rare_name or bool(similar.frame)
    title = commit.change.commit.title
    shared = (similar.frame, *similar.shared) if similar.frame else similar.shared
    return Candidate(
        id=issue.id,
        origin="issue",
        title=issue.title,
        at=issue.created_at,
        author=issue.author or "",
        shared=shared,
        may_be_inferred=may_be_related(title, issue.title, has_rare_name=has_rare_name),
    )


def _trackers(commit: CommitEvidence, past: HistoryFindings) -> list[Candidate]:
    """Return the issues that the first part of a commit's series names."""
    candidates: list[Candidate] = []
    for issue in past.trackers.get(commit.change.commit.sha, ()):
        tracker = Candidate(
            id=issue.id,
            origin="tracker",
            title=issue.title,
            at=issue.created_at,
            author=issue.author or "",
            may_be_inferred=True,
        )
        candidates.append(tracker)
    return candidates


# ---------------------------------------------------------------- what may be inferred


def may_be_related(title: str, other_title: str, *, has_rare_name: bool) -> bool:
    """Return True if two things that nobody connects share enough to be called related.

    They have a rare identifier in common, or nearly the same title; and their titles do not name
    different models, devices or versions.
    """
    if _are_specific_apart(title, other_title):
        return False
    return has_rare_name or _are_nearly_equal(title, other_title)


def _are_nearly_equal(title: str, other_title: str) -> bool:
    words = set(title_words(title))
    other_words = set(title_words(other_title))
    if min(len(words), len(other_words)) < _MIN_EQUAL_WORDS:
        return False
    return len(words & other_words) >= _NEARLY_EQUAL * len(words | other_words)


def _are_specific_apart(title: str, other_title: str) -> bool:
    """Return True if each title names a model, device or version that the other does not name."""
    names = _specific_names(title)
    other_names = _specific_names(other_title)
    return bool(names - other_names) and bool(other_names - names)


def _specific_names(title: str) -> set[str]:
    plain = without_pull_numbers(title).lower()
    return {re.sub(r"[-_]", "", name).rstrip(".") for name in _SPECIFIC.findall(plain)}


# ---------------------------------------------------------------- what texts name


def _mentions_by_commit(
    mentions: Iterable[Mention],
    commits: Sequence[CommitEvidence],
    settled: set[tuple[EvidenceId, EvidenceId]],
) -> Mapping[EvidenceId, dict[Mention, EvidenceId]]:
    """Return the mentions of or by each commit or its pull request, with the other side."""
    commit_of: dict[EvidenceId, EvidenceId] = {commit.id: commit.id for commit in commits}
    for commit in commits:
        if commit.pull:
            commit_of[EvidenceId.thread(commit.repo, commit.pull)] = commit.id
    by_commit: dict[EvidenceId, dict[Mention, EvidenceId]] = defaultdict(dict)
    for mention in mentions:
        if mention.source in commit_of:
            commit_id: EvidenceId | None = mention.source
            other = mention.target
        else:
            commit_id = commit_of.get(mention.target)
            other = mention.source
        if commit_id is not None and (commit_id, other) not in settled:
            by_commit[commit_id][mention] = other
    return by_commit
