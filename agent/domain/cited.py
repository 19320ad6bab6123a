"""Which evidence a published report rests on, and which must therefore be kept for as long as the report is."""

from agent.domain.base import EvidenceId, thread_id
from agent.domain.report import Report


def cited_by(report: Report) -> frozenset[EvidenceId]:
    """Name what its claims cite, and the issues and releases that it names.

    A commit of which nothing is said rests on its subject and its line counts, which the report itself holds.
    """
    issues = {thread_id(section.repo, line.number) for section in report.sections for line in section.issues}
    releases = {f"{section.repo}@{line.tag}" for section in report.sections for line in section.releases}
    claimed = {source for claim in report.claims for source in claim.sources}
    return frozenset((*claimed, *issues, *releases))
