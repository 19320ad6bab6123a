"""The allotment of the budget: which commits are read in depth, get one sentence, or are left out."""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from pydantic import Field

from agent.domain.account import Price
from agent.domain.base import Frozen, RepoId
from agent.domain.placement import Importance, Placement
from agent.settings.values import Budget

_EXPLAINING_SHARE = 0.8  # Of the budget; the rest is for editing, relating, repairs and summaries
_ANSWER_SHARE = 0.1  # Of the tokens of a run, those that come back
_MINOR_TOKENS = 9_000  # That one sentence takes: a small packet for the writer and twice the judge


class ExplainingBudget(Frozen):
    """The budget for explaining commits, over all repositories; None is no limit."""

    commits: int  # That are read in depth
    tokens: int | None = None
    repo_tokens: int | None = None  # For each repository


def allowance(budget: Budget, prices: Iterable[Price] = ()) -> ExplainingBudget:
    """Return what a run's budget allows for explaining commits, by tokens and by money.

    `prices` are those of the models that write and judge; the dearest counts.
    """
    tokens = budget.model_tokens
    cost_per_token = max((_cost_per_token(price) for price in prices), default=0.0)
    if budget.model_cost is not None and cost_per_token:
        tokens = min(tokens, round(budget.model_cost / cost_per_token))
    return ExplainingBudget(
        commits=budget.deep,
        tokens=int(tokens * _EXPLAINING_SHARE),
        repo_tokens=int(budget.repo_model_tokens * _EXPLAINING_SHARE),
    )


def _cost_per_token(price: Price) -> float:
    answers = price.output * _ANSWER_SHARE
    questions = price.input * (1 - _ANSWER_SHARE)
    return (questions + answers) / 1_000_000


class Candidates(NamedTuple):
    """The commits of a repository that can be read, and where they stand."""

    readable: frozenset[str]
    placements: Mapping[str, Placement]
    tokens: Mapping[str, int]  # That it takes to explain each


class ExplainingShare(Frozen):
    """The commits of one repository by how they are explained."""

    deep: tuple[str, ...] = ()  # Read in depth and explained, in the order of the report
    minor: tuple[str, ...] = ()  # One sentence each
    left_out: dict[str, str] = Field(default_factory=dict)
    """Commits that the budget is not enough for, with the setting that limits it."""


class _Turn(IntEnum):
    """When a commit is served."""

    MUST_KNOW = 0
    FIRST_OF_REPOSITORY = 1  # So that a quiet repository is not starved by busy ones
    WORTH_KNOWING = 2
    MINOR = 3


class _Wanted(NamedTuple):
    """A commit that should be explained; sorted, the most urgent comes first."""

    turn: _Turn
    order: int
    repo: RepoId
    sha: str
    tokens: int


class _BudgetLeft:
    """Keeps account of what is shared out."""

    def __init__(self, allowance: ExplainingBudget) -> None:
        self._allowance = allowance
        self._commits = 0
        self._tokens: dict[RepoId, int] = {}

    def limit_reached(self, commit: _Wanted) -> str:
        """Return the setting that is not enough for one more commit, or an empty string."""
        allowance = self._allowance
        if commit.turn is not _Turn.MINOR and self._commits >= allowance.commits:
            return "deep"
        total = sum(self._tokens.values()) + commit.tokens
        if allowance.tokens is not None and total > allowance.tokens:
            return "model_tokens"
        repo_total = self._tokens.get(commit.repo, 0) + commit.tokens
        if allowance.repo_tokens is not None and repo_total > allowance.repo_tokens:
            return "repo_model_tokens"
        return ""

    def spend(self, commit: _Wanted) -> None:
        """Note that a commit is explained."""
        if commit.turn is not _Turn.MINOR:
            self._commits += 1
        self._tokens[commit.repo] = self._tokens.get(commit.repo, 0) + commit.tokens


def allot(
    repositories: Mapping[RepoId, Candidates], allowance: ExplainingBudget
) -> dict[RepoId, ExplainingShare]:
    """Share the budget out: the must-knows of all repositories first, the minor commits last."""
    wanted_commits: list[_Wanted] = []
    for repo, candidates in repositories.items():
        wanted_commits += _wanted(repo, candidates)
    budget_left = _BudgetLeft(allowance)
    deep: dict[RepoId, list[_Wanted]] = {}
    minor: dict[RepoId, list[_Wanted]] = {}
    left_out: dict[RepoId, dict[str, str]] = {}
    for commit in sorted(wanted_commits):
        if limit := budget_left.limit_reached(commit):
            left_out.setdefault(commit.repo, {})[commit.sha] = limit
            continue
        budget_left.spend(commit)
        served = minor if commit.turn is _Turn.MINOR else deep
        served.setdefault(commit.repo, []).append(commit)
    shares = {}
    for repo in repositories:
        shares[repo] = ExplainingShare(
            deep=_in_order(deep.get(repo, [])),
            minor=_in_order(minor.get(repo, [])),
            left_out=left_out.get(repo, {}),
        )
    return shares


def _in_order(commits: list[_Wanted]) -> tuple[str, ...]:
    return tuple(commit.sha for commit in sorted(commits, key=lambda commit: commit.order))


def _wanted(repo: RepoId, candidates: Candidates) -> Iterator[_Wanted]:
    """Yield the readable commits above noise, each with its turn."""
    placements = candidates.placements
    shas = [sha for sha in placements if sha in candidates.readable]
    shas = [sha for sha in shas if placements[sha].importance is not Importance.NOISE]
    shas.sort(key=lambda sha: placements[sha].order)
    for position, sha in enumerate(shas):
        placement = placements[sha]
        turn = _turn(placement, is_first=position == 0)
        tokens = _MINOR_TOKENS if turn is _Turn.MINOR else candidates.tokens.get(sha, 0)
        yield _Wanted(turn, placement.order, repo, sha, tokens)


def _turn(placement: Placement, *, is_first: bool) -> _Turn:
    if placement.importance is Importance.MUST_KNOW:
        return _Turn.MUST_KNOW
    if placement.importance is Importance.WORTH_KNOWING:
        return _Turn.FIRST_OF_REPOSITORY if is_first else _Turn.WORTH_KNOWING
    # An editor who calls everything minor is believed; rules are not so sure.
    if is_first and placement.decided_by == "rules":
        return _Turn.FIRST_OF_REPOSITORY
    return _Turn.MINOR
