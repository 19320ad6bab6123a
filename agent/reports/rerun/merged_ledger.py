"""The ledger of a merged report: rows, how closely commits were read, places and groups."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow
from agent.domain.placement import CommitGroup, Placement
from agent.domain.report import Report
from agent.editor.placements import in_order
from agent.reports.rerun.repositories import MergedRepositories

KEPT = "; analysis of an earlier run"  # How the reason of such a row ends
_DEPTHS: tuple[Depth, ...] = ("failed", "list", "group", "skim", "deep")
_UNREAD: tuple[Depth, ...] = ("failed", "list")


@dataclass(frozen=True)
class MergedLedger:
    """The rows of all landed commits."""

    earlier: Report
    new: Report
    repositories: MergedRepositories

    def rows_with(self, analysed_before: Collection[EvidenceId]) -> tuple[LedgerRow, ...]:
        """Return the rows in their order, with the places of commits; some keep their analysis."""
        rows: list[LedgerRow] = []
        for row in self.rows.values():
            if row.id in analysed_before:
                row = self._explained(row)
            rows.append(self._placed(row))
        return tuple(rows)

    @cached_property
    def rows(self) -> dict[EvidenceId, LedgerRow]:
        """Every landed commit with its row, before analysis that is kept is noted in it."""
        rows = self.repositories.uncovered(self.earlier.ledger)
        for row in self.new.ledger:
            before = self._earlier_rows.get(row.id)
            if before is not None and row.id in self.read_less:
                rows.append(before)
            elif before is not None and row.affected is None:
                rows.append(row.model_copy(update={"affected": before.affected}))
            else:
                rows.append(row)
        return {row.id: row for row in self.repositories.in_order(rows)}

    @cached_property
    def read_less(self) -> frozenset[EvidenceId]:
        """The commits that the earlier run read closely, or at all, and the new one did not."""
        commits = set()
        for row in self.new.ledger:
            before = self._earlier_rows.get(row.id)
            if before is None:
                continue
            is_lost = row.depth in _UNREAD and before.depth not in _UNREAD
            if is_lost or (before.depth == "deep" and row.depth != "deep"):
                commits.add(row.id)
        return frozenset(commits)

    def has_landed(self, commits: Iterable[EvidenceId]) -> bool:
        """Return True if all of some commits are in the merged ledger."""
        return self.rows.keys() >= set(commits)

    def groups(self) -> list[CommitGroup]:
        """Return the groups of both runs, earlier ones where those of a model are kept."""
        groups = self.repositories.uncovered(self.earlier.groups)
        for group in self.earlier.groups:
            if group.repo in self._edited_before and self.has_landed(group.commits):
                groups.append(group)
        return [*groups, *self.new.groups]

    def _explained(self, row: LedgerRow) -> LedgerRow:
        """Return a row that says how the run read the commit whose analysis is printed."""
        before = self._earlier_rows[row.id]
        is_less_deep = _DEPTHS.index(before.depth) < _DEPTHS.index(row.depth)
        deepest = row if is_less_deep else before
        reason = deepest.reason.removesuffix(KEPT) + KEPT
        return row.model_copy(update={"depth": deepest.depth, "reason": reason})

    @cached_property
    def _earlier_rows(self) -> dict[EvidenceId, LedgerRow]:
        return {row.id: row for row in self.earlier.ledger}

    def _placed(self, row: LedgerRow) -> LedgerRow:
        """Return a row with the place that a model gave the commit, else with that of the new run."""
        placement = self._placements.get(row.id) or self._new_placements.get(row.id)
        return row if placement is None else row.model_copy(update={"placement": placement})

    @cached_property
    def _placements(self) -> dict[EvidenceId, Placement]:
        """The places of the commits whose repositories are still edited as they were before."""
        placements: dict[EvidenceId, Placement] = {}
        for repo in self._edited_before:
            by_sha: dict[str, Placement] = {}
            for row in self.rows.values():
                if row.repo != repo:
                    continue
                before = self._earlier_rows.get(row.id)
                placement = before.placement if before else row.placement
                if placement is not None:
                    by_sha[row.sha] = placement
            for sha, placement in in_order(by_sha).items():
                placements[EvidenceId.listed(repo, revision=sha)] = placement
        return placements

    @cached_property
    def _new_placements(self) -> dict[EvidenceId, Placement | None]:
        return {row.id: row.placement for row in self.new.ledger}

    @cached_property
    def _edited_before(self) -> frozenset[RepoId]:
        """The repositories that a model edited in the earlier run, and only rules in the new one."""
        edited_by_rules = self.repositories.covered - _edited_by_model(self.new)
        return _edited_by_model(self.earlier) & edited_by_rules


def _edited_by_model(report: Report) -> frozenset[RepoId]:
    """Return the repositories of which a model placed a commit."""
    repos = set()
    for row in report.ledger:
        if row.placement is not None and row.placement.decided_by != "rules":
            repos.add(row.repo)
    return frozenset(repos)
