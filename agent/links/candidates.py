"""Candidates for what a commit belongs to: a wide and cheap search, for a model to choose from."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, permutations, repeat, zip_longest
from typing import Literal

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Noise
from agent.domain.links import Grade, Mention, Story, StoryKind
from agent.domain.references import without_pull_numbers
from agent.links.changed_names import Birth
from agent.links.footprints import title_words
from agent.links.issue_index import IssueIndex, SimilarIssue
from agent.links.searchable_issues import GIVEN_UP, Digest, digest
from agent.links.similar_commit_index import SimilarCommit
from agent.links.touched_lines import LineWriter
from agent.stories.timeline import CommitPair
from agent.triage.collected_commits import Collected

MAX_ISSUES = 30  # The nearest issues of a commit
MAX_EARLIER = 6  # The nearest earlier commits, of each repository
_MAX_BIRTHS = 2  # Commits that brought names, of each commit
_TURNS_BEFORE_SINGLE = 3  # Writers and similar commits before who brought a single name
_MAX_FOLDED = 3  # Earlier commits that are offered for a commit that is folded
_SEARCHED_NOISE: frozenset[Noise] = frozenset({"tests", "ci", "chore"})
"""Folded commits that may mend or continue something: people wrote them, and not only prose."""
_MAX_NAMED = 9  # Things that texts name and that are read without being chosen
_MIN_EQUAL_WORDS = 3  # In shorter titles equal words may be chance
_NEARLY_EQUAL = 0.75  # The share of words that nearly equal titles have in common
# A word with letters and digits names a model, a device or a format; figures with dots a version.
_SPECIFIC = re.compile(r"\b(?:[a-z]+[-_]?\d[\w.+-]*|v?\d+(?:\.\d+)+)", re.ASCII | re.IGNORECASE)

_TYING: tuple[StoryKind, ...] = ("revert", "reland", "series")
"""Stories that say by themselves what their commits have to do with each other."""

_IdPair = tuple[EvidenceId, EvidenceId]  # A commit, and what it belongs to
Origin = Literal[
    "taken back", "changed lines", "touched lines", "birth", "tracker", "earlier commit", "issue"
]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Something that a commit may belong to though no text says so, and how it was found."""

    id: EvidenceId
    origin: Origin
    title: str
    at: datetime  # When it landed or was opened
    author: str = ""
    shared: tuple[str, ...] = ()  # What it has in common with the commit
    changed_lines: int = 0  # How many of its lines the commit changes, where they were followed
    taken_back: int = 0  # How many of its lines the commit takes back, where these are most
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
    """Earlier commits of the configured repositories that those of a day may belong to."""

    pairs: Sequence[CommitPair] = ()  # Commits whose lines are changed, and those that are named
    similar: Mapping[RepoId, Mapping[str, Sequence[SimilarCommit]]] = field(default_factory=dict)
    """Similar commits of each repository, by the hashes of the day's commits."""
    writers: Mapping[str, Sequence[LineWriter]] = field(default_factory=dict)
    """Who wrote the lines that commits of the day touch, by the hashes of these."""
    births: Mapping[str, Sequence[Birth]] = field(default_factory=dict)
    """Who brought rare names that commits of the day change, by the hashes of these."""
    trackers: Mapping[str, Sequence[Digest]] = field(default_factory=dict)
    """Issues that the first part of a series names, by the hashes of its later parts."""
    issues: Sequence[Digest] = ()  # Issues of the other repositories
    stories: Sequence[Story] = ()  # What code found already


def commit_candidates(
    collected: Collected, material: Material, known_issues: Sequence[Digest], past: HistoryFindings
) -> list[CommitCandidates]:
    """Return what each commit may belong to; commits without a candidate are left out.

    A recorded fix needs no reading, unless its issue is still open. What texts name is read
    anyway; beyond that, commits that a story ties together are not offered, and few for a commit
    that is folded.
    """
    issues = _all_issues(collected, known_issues)
    issues += past.issues
    open_issues = {issue.id for issue in issues if issue.state == "open"}
    recorded = [link for link in material.links if link.grade is Grade.A]
    fixed_issues = {link.issue for link in recorded}
    fixing_commits = {link.change for link in recorded}
    settled: set[_IdPair] = set()
    for link in recorded:
        if link.issue not in open_issues:
            settled.add((link.change, link.issue))
    commits = [read.evidence for read in material.reads]
    mentions_by_commit = _mentions_by_commit(collected.references, commits, settled)
    index = IssueIndex(_unexplained(issues, fixed_issues))
    tied = settled | _tied_pairs(past.stories)
    all_candidates: list[CommitCandidates] = []
    for read in material.reads:
        commit = read.evidence
        mentions = mentions_by_commit.get(commit.id, {})
        named_ids = [*mentions.values()]
        named_ids += _named_earlier(commit, past.pairs)
        named_ids = list(dict.fromkeys(named_ids))[:_MAX_NAMED]
        collected_candidates: list[Candidate] = []
        if is_folded(read):
            if is_searched(read):
                earlier = [*_taken_back(commit, past), *_earlier(commit, past)]
                collected_candidates += _each_once(earlier)[:_MAX_FOLDED]
        else:
            collected_candidates += _taken_back(commit, past)
            collected_candidates += _by_lines(commit, past.pairs)
            collected_candidates += _trackers(commit, past)
            collected_candidates += _earlier(commit, past)
            if commit.id not in fixing_commits:
                similar_issues = index.ranked(commit, MAX_ISSUES)
                collected_candidates += [_issue(commit, issue) for issue in similar_issues]
        unnamed = _unnamed(collected_candidates, commit, named_ids, tied)
        if not named_ids and not unnamed:
            continue
        all_candidates.append(
            CommitCandidates(
                read=read,
                named=tuple(named_ids),
                mentions=tuple(mentions),
                found=tuple(unnamed),
            )
        )
    return all_candidates


def is_folded(read: Read) -> bool:
    """Return True for a commit that is listed by its title only."""
    return read.depth not in ("deep", "skim")


def is_searched(read: Read) -> bool:
    """Return True if earlier commits are looked for that a commit may belong to."""
    return not is_folded(read) or read.triage.noise in _SEARCHED_NOISE


def _unexplained(issues: Iterable[Digest], fixed_issues: set[EvidenceId]) -> list[Digest]:
    """Return the issues that no commit is recorded to fix and that nobody gave up."""
    unexplained: list[Digest] = []
    for issue in issues:
        if issue.id not in fixed_issues and issue.state_reason not in GIVEN_UP:
            unexplained.append(issue)
    return unexplained


def _unnamed(
    candidates: Sequence[Candidate],
    commit: CommitEvidence,
    named_ids: Sequence[EvidenceId],
    tied: set[_IdPair],
) -> list[Candidate]:
    """Return what no text names and nothing ties to the commit yet.

    Each candidate is listed once, by the first way in which it was found.
    """
    by_id: dict[EvidenceId, Candidate] = {}
    for candidate in candidates:
        if candidate.id in named_ids:
            continue
        # Lines that a commit changes may say more than that it is the next part of a series.
        if candidate.origin == "changed lines" or (commit.id, candidate.id) not in tied:
            by_id.setdefault(candidate.id, candidate)
    return list(by_id.values())


def _tied_pairs(stories: Iterable[Story]) -> set[_IdPair]:
    """Return the pairs of commits of which a story says what they have to do with each other."""
    pairs: set[_IdPair] = set()
    for story in stories:
        if story.kind in _TYING:
            pairs.update(permutations(story.steps, 2))
    return pairs


# ---------------------------------------------------------------- earlier commits


def _by_lines(commit: CommitEvidence, pairs: Iterable[CommitPair]) -> list[Candidate]:
    """Return the commits whose lines a commit takes out."""
    candidates: list[Candidate] = []
    for pair in pairs:
        if pair.by_lines and pair.doer.sha == commit.change.commit.sha:
            candidate = _commit_candidate(commit.repo, pair.earlier, "changed lines", ())
            candidates.append(candidate)
    return candidates


def _taken_back(commit: CommitEvidence, past: HistoryFindings) -> list[Candidate]:
    """Return the commits of which a commit takes back most lines, though it does not say so."""
    by_lines = {candidate.id for candidate in _by_lines(commit, past.pairs)}
    candidates: list[Candidate] = []
    for similar in past.similar.get(commit.repo, {}).get(commit.change.commit.sha, ()):
        if not similar.undone:
            continue
        is_only_writer = EvidenceId.commit(commit.repo, similar.commit.sha) in by_lines
        origin: Origin = "changed lines" if is_only_writer else "taken back"
        candidate = _commit_candidate(commit.repo, similar.commit, origin, similar.shared)
        candidates.append(replace(candidate, taken_back=similar.undone))
    return candidates


def _each_once(candidates: Iterable[Candidate]) -> list[Candidate]:
    by_id: dict[EvidenceId, Candidate] = {}
    for candidate in candidates:
        by_id.setdefault(candidate.id, candidate)
    return list(by_id.values())


def _named_earlier(commit: CommitEvidence, pairs: Iterable[CommitPair]) -> list[EvidenceId]:
    """Return the landed commits that a commit or its pull request names."""
    sha = commit.change.commit.sha
    names: list[EvidenceId] = []
    for pair in pairs:
        if not pair.by_lines and pair.doer.sha == sha:
            names.append(EvidenceId.commit(commit.repo, pair.earlier.sha))
    return names


def _earlier(commit: CommitEvidence, past: HistoryFindings) -> list[Candidate]:
    """Return who wrote the lines that a commit touches, in turn with the most similar commits.

    Those who brought several names that it changes come third; who brought a single one, behind
    the first of both.
    """
    similar = _similar(commit, past)
    births = _births(commit, past)
    shared = {candidate.id: candidate.shared for candidate in (*births, *similar)}
    writers: list[Candidate] = []
    for writer in past.writers.get(commit.change.commit.sha, ()):
        name = EvidenceId.commit(commit.repo, writer.commit.sha)
        writers.append(_writer_candidate(commit, writer, shared.get(name, ())))
    several = [birth for birth in births if len(birth.shared) > 1]
    single = [birth for birth in births if len(birth.shared) == 1]
    later = [*repeat(None, _TURNS_BEFORE_SINGLE), *single]
    in_turn = chain.from_iterable(zip_longest(writers, similar, several, later))
    return _each_once(candidate for candidate in in_turn if candidate is not None)


def _births(commit: CommitEvidence, past: HistoryFindings) -> list[Candidate]:
    candidates: list[Candidate] = []
    title = commit.change.commit.title
    for birth in past.births.get(commit.change.commit.sha, ())[:_MAX_BIRTHS]:
        may_be_inferred = may_be_related(title, birth.commit.title, has_rare_name=True)
        candidate = _commit_candidate(
            commit.repo, birth.commit, "birth", birth.names, may_be_inferred
        )
        candidates.append(candidate)
    return candidates


def _writer_candidate(
    commit: CommitEvidence, writer: LineWriter, shared: tuple[str, ...]
) -> Candidate:
    title = commit.change.commit.title
    return Candidate(
        id=EvidenceId.commit(commit.repo, writer.commit.sha),
        origin="touched lines",
        title=writer.commit.title,
        at=writer.commit.at,
        author=writer.commit.author,
        shared=shared,
        changed_lines=writer.changed,
        may_be_inferred=writer.changed > 0 or not _are_specific_apart(title, writer.commit.title),
    )


def _similar(commit: CommitEvidence, past: HistoryFindings) -> list[Candidate]:
    """Return the most similar commits of all repositories, those of its own first."""
    candidates: list[Candidate] = []
    sha = commit.change.commit.sha
    title = commit.change.commit.title
    for repo in sorted(past.similar, key=lambda repo: repo != commit.repo):
        similar_commits = past.similar[repo].get(sha, ())
        for similar in similar_commits[:MAX_EARLIER]:
            # In one repository, the same name in the same file is hardly a coincidence.
            shares_code = similar.shares_code and repo == commit.repo
            may_be_inferred = may_be_related(
                title,
                similar.commit.title,
                has_rare_name=similar.has_rare_name or shares_code,
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
    names = _SPECIFIC.findall(without_pull_numbers(title).lower())
    return {re.sub(r"[-_]", "", name).rstrip(".") for name in names}


# ---------------------------------------------------------------- what texts name


def _mentions_by_commit(
    mentions: Iterable[Mention],
    commits: Sequence[CommitEvidence],
    settled: set[_IdPair],
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
