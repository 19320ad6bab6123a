"""The sections of a merged report: releases, threads and accounts of each repository."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from agent.domain.base import RepoId
from agent.domain.report import ReleaseLine, Report, RepoSection
from agent.reports.rerun.claims import MergedClaims
from agent.reports.rerun.repositories import MergedRepositories, repos_of


@dataclass(frozen=True)
class MergedSections:
    """The sections of both runs."""

    earlier: Report
    new: Report
    repositories: MergedRepositories
    claims: MergedClaims

    @cached_property
    def threads_lost(self) -> frozenset[RepoId]:
        """The repositories whose threads the new run failed to read."""
        return _without_read_threads(self.earlier, self.new)

    def all(self) -> list[RepoSection]:
        """Return the sections of both runs."""
        sections = self.repositories.uncovered(self.earlier.sections)
        earlier_by_repo = {section.repo: section for section in self.earlier.sections}
        for section in self.new.sections:
            before = earlier_by_repo.get(section.repo)
            if before is not None:
                section = self._merged_section(before, section)
            sections.append(section)
        return sections

    def _merged_section(self, before: RepoSection, section: RepoSection) -> RepoSection:
        merged = section.model_copy(
            update={
                "releases": _with_earlier_notes(section.releases, before.releases),
                "first_tip": section.first_tip if before.first_tip is None else before.first_tip,
                "account": self.claims.account(section.repo, before.account, section.account),
            }
        )
        if section.repo not in self.threads_lost:
            return merged
        return merged.model_copy(
            update={
                "coverage": before.coverage,
                "coverage_notices": before.coverage_notices,
                "issues": before.issues,
                "releases": before.releases,
            }
        )


def _without_read_threads(earlier: Report, new: Report) -> frozenset[RepoId]:
    """Return the repositories whose threads the earlier run read and the new one failed to read."""
    failed = {failure.repo for failure in new.failures if failure.stage == "threads"}
    read_before = repos_of(earlier.sections) - _without_threads(earlier.sections)
    unread = _without_threads(new.sections)
    return frozenset(repo for repo in read_before & unread if repo in failed)


def _without_threads(sections: Iterable[RepoSection]) -> set[RepoId]:
    """Return the repositories whose threads were not read."""
    return {section.repo for section in sections if section.coverage == "not read"}


def _with_earlier_notes(
    releases: Iterable[ReleaseLine], before: Iterable[ReleaseLine]
) -> tuple[ReleaseLine, ...]:
    """Return releases with their notes, those of the earlier run where this one has none."""
    notes = {release.tag: release.notes for release in before}
    merged: list[ReleaseLine] = []
    for release in releases:
        if release.notes is None:
            release = release.model_copy(update={"notes": notes.get(release.tag)})
        merged.append(release)
    return tuple(merged)
