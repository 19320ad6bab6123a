"""The order in which a report shows its commits: the editor's, else by weight."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.ledger import LedgerRow
from agent.domain.placement import Importance


class _Ranked(NamedTuple):
    """A row with what it is sorted by."""

    importance: Importance
    rank: int  # Among the commits of its repository that matter as much; the first is 1
    repo_number: int
    row: LedgerRow


def in_report_order(rows: Iterable[LedgerRow]) -> list[LedgerRow]:
    """Return rows as a report shows them: by importance, then in the order of the editor.

    Repositories take turns: the first commit of each comes before the second of any. Rows of
    reports that have no placements are sorted by weight.
    """
    rows = list(rows)
    if all(row.placement is None for row in rows):
        return sorted(rows, key=lambda row: (-row.importance, -row.weight))
    ranked: list[_Ranked] = []
    for repo_number, repo_rows in enumerate(_by_repository(rows).values()):
        counts: Counter[Importance] = Counter()
        for row in sorted(repo_rows, key=_place_in_repository):
            counts[row.importance] += 1
            ranked.append(_Ranked(row.importance, counts[row.importance], repo_number, row))
    ranked.sort(key=lambda entry: (-entry.importance, entry.rank, entry.repo_number))
    return [entry.row for entry in ranked]


def leading_rows(rows: Iterable[LedgerRow], limit: int) -> list[LedgerRow]:
    """Return the first rows of a report, with one of each repository that has one worth knowing.

    Where `limit` would leave a repository out, its first commit takes the place of the last one
    of a repository that has several.
    """
    ordered = in_report_order(rows)
    leading = ordered[:limit]
    for row in ordered[limit:]:
        counts = Counter(chosen.repo for chosen in leading)
        if row.importance < Importance.WORTH_KNOWING or counts[row.repo]:
            continue
        for chosen in reversed(leading):
            if counts[chosen.repo] > 1:
                leading.remove(chosen)
                leading.append(row)
                break
    return leading


def _by_repository(rows: Iterable[LedgerRow]) -> dict[RepoId, list[LedgerRow]]:
    groups: dict[RepoId, list[LedgerRow]] = defaultdict(list)
    for row in rows:
        groups[row.repo].append(row)
    return groups


def _place_in_repository(row: LedgerRow) -> tuple[int, float, float]:
    """Return the sort key within a repository; rows that nobody placed come last, by weight."""
    order = float("inf") if row.placement is None else row.placement.order
    return -row.importance, order, -row.weight
