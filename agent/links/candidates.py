"""The issues and commits that a change may belong to, for a model to read.

Issues are found by BM25 over their words.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Mention
from agent.links.issue_digest import GIVEN_UP, Digest, digest, terms
from agent.stories.timeline import CommitPair
from agent.triage.collected import Collected

NEAREST = 10  # Issues and commits that a commit is read beside
_MAX_EARLIER = 5  # Earlier commits among them
_MAX_COMPARED = 20  # Commits of a day that are compared with issues
_MAX_READ_BESIDE = 40  # Commits of a day that are read beside something
# The parameters of BM25, with their usual values.
_K1 = 1.2
_B = 0.75
_MIN_ISSUES = 4  # Among fewer issues no word is called common
_MAX_QUERY_TERMS = 400
_MAX_DIFF_CHARACTERS = 20_000
_MAX_FACTS = 60
_MAX_PATHS = 60
_CLOSED_EARLY = timedelta(minutes=10)  # By which an issue may be closed before its fix lands


def candidates(
    reads: Sequence[Read], issues: Iterable[Digest], linked: Iterable[str]
) -> dict[str, list[EvidenceId]]:
    """Return the nearest issues of the heaviest commits that were read and are not linked."""
    index = _IssueIndex(list(issues))
    linked_ids = set(linked)
    commits = []
    for read in reads:
        if read.depth in ("deep", "skim") and read.evidence.id not in linked_ids:
            commits.append(read.evidence)
    nearest: dict[str, list[EvidenceId]] = {}
    for commit in commits[:_MAX_COMPARED]:
        open_issues = []
        for issue in index.ranked(_query_terms(commit)):
            if _was_open(issue, commit):
                open_issues.append(issue.id)
        if open_issues:
            nearest[commit.id] = open_issues[:NEAREST]
    return nearest


def _was_open(issue: Digest, commit: CommitEvidence) -> bool:
    """Return True if an issue was open when a commit landed, so that the commit may fix it."""
    closed_at = issue.closed_at or commit.at
    return issue.created_at <= commit.at <= closed_at + _CLOSED_EARLY


class _IssueIndex:
    """An inverted index of issues, which ranks them by BM25."""

    def __init__(self, issues: Sequence[Digest]) -> None:
        self._issues = issues
        mean_terms = sum(len(issue.terms) for issue in issues) / max(1, len(issues)) or 1.0
        self._weights: list[float] = []  # By which the length of each issue changes its score
        positions: dict[str, list[int]] = defaultdict(list)
        for position, issue in enumerate(issues):
            length = len(issue.terms) / mean_terms
            self._weights.append((_K1 + 1) / (1 + _K1 * (1 - _B + _B * length)))
            for term in issue.terms:
                positions[term].append(position)
        # Words of every second issue say nothing and cost the most.
        self._positions: dict[str, list[int]] = {}
        for term, term_positions in positions.items():
            if len(issues) < _MIN_ISSUES or len(term_positions) * 2 <= len(issues):
                self._positions[term] = term_positions

    def ranked(self, query_terms: Iterable[str]) -> Iterator[Digest]:
        """Yield the issues that share terms with a query, the nearest first."""
        scores: dict[int, float] = defaultdict(float)
        for term in query_terms:
            positions = self._positions.get(term, ())
            rarity = self._rarity(len(positions))
            for position in positions:
                scores[position] += rarity * self._weights[position]
        issues = self._issues
        for position in sorted(scores, key=lambda at: (-scores[at], issues[at].number)):
            yield issues[position]

    def _rarity(self, count: int) -> float:
        """Return the weight of a term that `count` issues have."""
        return math.log(1 + (len(self._issues) - count + 0.5) / (count + 0.5))


def _query_terms(evidence: CommitEvidence) -> tuple[str, ...]:
    """Return the words of a commit's message, facts, paths and changed lines."""
    facts = []
    for fact in evidence.facts[:_MAX_FACTS]:
        facts.append(f"{fact.name} {fact.old or ''} {fact.new or ''}")
    lines = []
    for file in evidence.change.files:
        patch_lines = (file.patch or "").splitlines()
        lines += [line for line in patch_lines if line[:1] in "+-"]
    texts = (
        evidence.change.commit.message,
        " ".join(facts),
        "\n".join(evidence.paths[:_MAX_PATHS]),
        "\n".join(lines)[:_MAX_DIFF_CHARACTERS],
    )
    return terms("\n".join(texts))[:_MAX_QUERY_TERMS]


@dataclass(frozen=True, kw_only=True)
class CommitCandidates:
    """A commit, and the ids of what it is read beside."""

    read: Read
    others: tuple[EvidenceId, ...]
    mentions: tuple[Mention, ...] = ()  # By which one side names the other


def commit_candidates(
    collected: Collected,
    material: Material,
    known_issues: Sequence[Digest],
    pairs: Iterable[CommitPair],
) -> list[CommitCandidates]:
    """Return what to read beside each commit.

    That is what one side names, what the commit may continue, and similar issues. A recorded fix
    needs no reading, unless its issue is still open; similar issues are those without such a fix.
    """
    issues = _all_issues(collected, known_issues)
    open_issues = {issue.id for issue in issues if issue.state == "open"}
    recorded = [link for link in material.links if link.grade is Grade.A]
    fixed_issues = {link.issue for link in recorded}
    settled = {(link.change, link.issue) for link in recorded if link.issue not in open_issues}
    commits = [read.evidence for read in material.reads]
    mentions_by_commit = _mentions_by_commit(collected.references, commits, settled)
    unexplained = []
    for issue in issues:
        if issue.id not in fixed_issues and issue.state_reason not in GIVEN_UP:
            unexplained.append(issue)
    near = candidates(material.reads, unexplained, {link.change for link in recorded})
    # Commits whose lines are removed come first.
    sorted_pairs = sorted(pairs, key=lambda pair: not pair.by_lines)
    chosen = []
    for read in material.reads:
        commit = read.evidence
        mentions = mentions_by_commit.get(commit.id, {})
        earlier = _earlier_commits(commit, sorted_pairs)[:_MAX_EARLIER]
        others = dict.fromkeys((*mentions.values(), *earlier, *near.get(commit.id, ())))
        if others:
            chosen.append(
                CommitCandidates(
                    read=read, others=tuple(others)[:NEAREST], mentions=tuple(mentions)
                )
            )
    # What somebody names comes before what is only similar.
    chosen.sort(key=lambda commit: not commit.mentions)
    return chosen[:_MAX_READ_BESIDE]


def _all_issues(collected: Collected, known_issues: Sequence[Digest]) -> list[Digest]:
    """Return the issues of the day, and those of earlier days that were not read again."""
    issues = [digest(issue) for issue in collected.threads.issues]
    read_ids = {issue.id for issue in issues}
    issues += [issue for issue in known_issues if issue.id not in read_ids]
    return issues


def _earlier_commits(commit: CommitEvidence, pairs: Iterable[CommitPair]) -> list[EvidenceId]:
    """Return the commits that a commit may continue, by pairs of them."""
    earlier: dict[EvidenceId, None] = {}
    for pair in pairs:
        if pair.doer.sha == commit.change.commit.sha:
            earlier[EvidenceId.commit(commit.repo, pair.earlier.sha)] = None
    return list(earlier)


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
