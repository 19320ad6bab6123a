"""How a run's reading is shared out over repositories: by what commits are worth, not by the order of a list."""

from collections.abc import Mapping, Sequence

from agent.domain.base import Frozen, RepoId
from agent.domain.ledger import Tier, Triage


class Allotment(Frozen):
    """Which commits of one repository may be read in depth, and why the others may not."""

    deep: tuple[str, ...]
    """Hashes, heaviest first."""
    left_out: tuple[str, ...] = ()
    """Worth reading in depth, but the budget went to heavier ones."""


def allot(tables: Mapping[RepoId, Sequence[Triage]], budget: int) -> dict[RepoId, Allotment]:
    """Share a number of deep readings: what calls for action first, then one for each repository, then by weight."""
    best = {repo: _best(table) for repo, table in tables.items() if table}
    wanted = [(repo, one) for repo, table in tables.items() for one in table if _is_wanted(one, best[repo])]
    wanted.sort(key=lambda pair: (-_turn(pair[1], best[pair[0]]), -pair[1].score, pair[0], pair[1].sha))
    chosen, rest = wanted[:budget], wanted[budget:]
    return {
        repo: Allotment(
            deep=tuple(one.sha for owner, one in chosen if owner == repo),
            left_out=tuple(one.sha for owner, one in rest if owner == repo),
        )
        for repo in tables
    }


def _best(table: Sequence[Triage]) -> str:
    """Name the commit of a repository that is worth most."""
    return min(table, key=lambda one: (one.noise is not None, -one.score, one.sha)).sha


def _is_wanted(one: Triage, best: str) -> bool:
    """Read what is worth knowing, and of a repository where nothing is, its weightiest commit."""
    return one.tier in (Tier.HIGH, Tier.MID) or (one.sha == best and one.noise is None)


def _turn(one: Triage, best: str) -> int:
    """Serve urgent commits first, then the best of each repository, so that a quiet one is not starved."""
    if one.tier is Tier.HIGH:
        return 2
    return 1 if one.sha == best else 0
