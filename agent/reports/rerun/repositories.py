"""The repositories of two runs of a window, and which of them the new run read."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, OwnUse
from agent.domain.links import Link, Story
from agent.domain.placement import CommitGroup
from agent.domain.report import Drop, Report, RepoSection

ReportPart = RepoSection | LedgerRow | Claim | Link | Story | CommitGroup | Drop | OwnUse
P = TypeVar("P", bound=ReportPart)


@dataclass(frozen=True)
class MergedRepositories:
    """The repositories of a merged report; sorts and selects its parts by them."""

    earlier: Report
    new: Report

    @cached_property
    def covered(self) -> frozenset[RepoId]:
        """The repositories that the new run could read."""
        return repos_of(self.new.sections)

    @cached_property
    def names(self) -> tuple[RepoId, ...]:
        """All repositories in their order, without names that turned out to be unknown."""
        existing = {*repos_of(self.earlier.sections), *self.new.repos}
        for failure in self.earlier.failures:
            if failure.repo is not None and not failure.unknown:
                existing.add(failure.repo)
        requested = dict.fromkeys((*self.earlier.repos, *self.new.repos))
        return tuple(repo for repo in requested if repo in existing)

    def in_order(self, parts: Iterable[P]) -> tuple[P, ...]:
        """Sort parts by their repositories; parts about several repositories come last."""
        order = {str(repo): number for number, repo in enumerate(self.names)}
        return tuple(sorted(parts, key=lambda part: order.get(repo_of(part), len(order))))

    def is_uncovered(self, part: ReportPart) -> bool:
        """Return True for a part of one repository that the new run did not read."""
        repo = repo_of(part)
        return repo in self.names and repo not in self.covered

    def uncovered(self, earlier: Iterable[P]) -> list[P]:
        """Return the earlier parts of repositories that the new run did not read."""
        return [part for part in earlier if self.is_uncovered(part)]

    def replaced(self, earlier: Iterable[P], new: Iterable[P]) -> list[P]:
        """Return the new parts, and the earlier ones of repositories that were not covered."""
        parts = [*self.uncovered(earlier), *new]
        if not self.covered:
            parts += [part for part in earlier if not repo_of(part)]
        return parts

    def has_read(self, names: Iterable[EvidenceId]) -> bool:
        """Return True if the new run read all repositories of some evidence."""
        return all(name.repo in self.covered for name in names)


def repos_of(sections: Iterable[RepoSection]) -> frozenset[RepoId]:
    """Return the repositories of some sections."""
    return frozenset(section.repo for section in sections)


def repo_of(part: ReportPart) -> str:
    """Return the repository of a part of a report, or an empty string if it has several."""
    if isinstance(part, Link):
        return part.change.repo
    return part.repo or ""
