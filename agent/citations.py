"""Which evidence a published report rests on, and which must therefore be kept for as long as the report is."""

from agent.evidence import EvidenceId
from agent.ids import commit_id, thread_id
from agent.report import Depth, Report

_READ = (Depth.DEEP, Depth.SKIM)


def cited_by(report: Report) -> frozenset[EvidenceId]:
    """Name the commits whose diffs the report speaks of, and the issues and releases that it names.

    A commit that is only listed rests on its subject and its line counts, which the report itself holds.
    """
    commits = {commit_id(row.repo, row.sha) for row in report.ledger if row.depth in _READ}
    issues = {thread_id(section.repo, line.number) for section in report.sections for line in section.issues}
    releases = {f"{section.repo}@{line.tag}" for section in report.sections for line in section.releases}
    return frozenset((*commits, *issues, *releases))
