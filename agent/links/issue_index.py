"""An index of the issues that a commit may belong to, ranked by BM25 over what they report."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.domain.evidence import CommitEvidence
from agent.links.searchable_issues import Digest, names_in, terms

# The parameters of BM25, with their usual values.
_K1 = 1.2
_B = 0.75
_MIN_ISSUES = 4  # Among fewer issues no word is called common
_TITLE = 3.0  # How much a word counts that stands in the title of an issue
_NAME = 2.0  # How much an identifier counts, compared with a plain word
_FRAME = 2.0  # By which the score grows where a traceback ends in a function that was changed
_MAX_RARE = 4  # Issues that may have an identifier that is called rare
_MAX_SHARED = 4  # Shared identifiers that are named with an issue
_MAX_QUERY_TERMS = 400
_MAX_DIFF_CHARACTERS = 20_000
_MAX_FACTS = 60
_MAX_PATHS = 60
# Tracebacks are those of Python, so these are its definitions.
_DEFINITION = re.compile(r"\bdef (\w{1,100})", re.ASCII)
_CLOSED_EARLY = timedelta(minutes=10)  # By which an issue may be closed before its fix lands


@dataclass(frozen=True, kw_only=True)
class SimilarIssue:
    """An issue, and what it shares with a commit."""

    issue: Digest
    shared: tuple[str, ...] = ()  # The rarest identifiers that both have
    has_rare_name: bool = False  # Whether hardly any other issue has one of them
    frame: str = ""  # The frame of its traceback that is in a changed function


class IssueIndex:
    """An inverted index of issues."""

    def __init__(self, issues: Sequence[Digest]) -> None:
        self._issues = issues
        mean_terms = sum(len(issue.terms) for issue in issues) / max(1, len(issues)) or 1.0
        self._weights: list[float] = []  # By which the length of each issue changes its score
        self._titles: list[set[str]] = []
        self._names: list[set[str]] = []
        positions: dict[str, list[int]] = defaultdict(list)
        for position, issue in enumerate(issues):
            length = len(issue.terms) / mean_terms
            self._weights.append((_K1 + 1) / (1 + _K1 * (1 - _B + _B * length)))
            self._titles.append(set(terms(issue.title)))
            self._names.append(set(terms(" ".join(issue.names))))
            for term in issue.terms:
                positions[term].append(position)
        # Words of every second issue say nothing and cost the most.
        self._positions: dict[str, list[int]] = {}
        for term, term_positions in positions.items():
            if len(issues) < _MIN_ISSUES or len(term_positions) * 2 <= len(issues):
                self._positions[term] = term_positions

    def ranked(self, commit: CommitEvidence, limit: int) -> list[SimilarIssue]:
        """Return the issues that were open when a commit landed and share the most with it."""
        text = _query_text(commit)
        query_terms = terms(text)[:_MAX_QUERY_TERMS]
        scores = self._scores(query_terms)
        functions = _changed_functions(commit)
        frames: dict[int, str] = {}
        for position in scores:
            frame = _shared_frame(self._issues[position], functions)
            if frame:
                frames[position] = frame
                scores[position] *= _FRAME
        query_names = set(terms(" ".join(names_in(text))))
        order = sorted(scores, key=lambda position: (-scores[position], -position))
        similar: list[SimilarIssue] = []
        for position in order:
            if len(similar) == limit:
                break
            issue = self._issues[position]
            if _was_open(issue, commit):
                shared = self._names[position] & query_names
                similar.append(self._similar(issue, shared, frames.get(position, "")))
        return similar

    def _scores(self, query_terms: Iterable[str]) -> dict[int, float]:
        scores: dict[int, float] = defaultdict(float)
        for term in query_terms:
            positions = self._positions.get(term, ())
            rarity = self._rarity(len(positions))
            for position in positions:
                weight = rarity * self._weights[position]
                if term in self._titles[position]:
                    weight *= _TITLE
                if term in self._names[position]:
                    weight *= _NAME
                scores[position] += weight
        return scores

    def _similar(self, issue: Digest, shared: set[str], frame: str) -> SimilarIssue:
        counts = {name: len(self._positions.get(name, self._issues)) for name in shared}
        rarest = sorted(counts, key=lambda name: (counts[name], name))
        return SimilarIssue(
            issue=issue,
            shared=tuple(rarest[:_MAX_SHARED]),
            has_rare_name=bool(rarest) and counts[rarest[0]] <= _MAX_RARE,
            frame=frame,
        )

    def _rarity(self, count: int) -> float:
        """Return the weight of a term that `count` issues have."""
        return math.log(1 + (len(self._issues) - count + 0.5) / (count + 0.5))


def _was_open(issue: Digest, commit: CommitEvidence) -> bool:
    """Return True if an issue was open when a commit landed, so that the commit may fix it."""
    closed_at = issue.closed_at or commit.at
    return issue.created_at <= commit.at <= closed_at + _CLOSED_EARLY


def _query_text(evidence: CommitEvidence) -> str:
    """Return a commit's message, facts, paths and changed lines, the title first."""
    facts = []
    for fact in evidence.facts[:_MAX_FACTS]:
        facts.append(f"{fact.name} {fact.old or ''} {fact.new or ''}")
    lines = []
    for file in evidence.change.files:
        patch_lines = (file.patch or "").splitlines()
        lines += [line for line in patch_lines if line[:1] in ("+", "-")]
    texts = (
        evidence.change.commit.message,
        " ".join(facts),
        "\n".join(evidence.paths[:_MAX_PATHS]),
        "\n".join(lines)[:_MAX_DIFF_CHARACTERS],
    )
    return "\n".join(texts)


def _changed_functions(commit: CommitEvidence) -> dict[str, set[str]]:
    """Return the Python functions in the hunks of a commit, by the ends of its paths."""
    functions: dict[str, set[str]] = defaultdict(set)
    for file in commit.change.files:
        end = "/".join(file.path.split("/")[-2:])
        # The header of a hunk has the line that its function begins with.
        functions[end].update(_DEFINITION.findall(file.patch or ""))
    return functions


def _shared_frame(issue: Digest, functions: dict[str, set[str]]) -> str:
    for frame in issue.frames:
        path, _, function = frame.rpartition(":")
        if function in functions.get(path, ()):
            return frame
    return ""
