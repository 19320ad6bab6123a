"""How much of a report is missing: whether it may stand for its window."""

from agent.domain.base import RepoId
from agent.domain.report import Depth, Report


def failed_repos(report: Report) -> tuple[RepoId, ...]:
    """Name the repositories of which nothing could be read: no commits, or no diff of any commit."""
    read = {section.repo for section in report.sections}
    return tuple(repo for repo in report.repos if repo not in read or _blind(report, repo))


def failed_share(report: Report) -> float:
    """Tell which share of the repositories failed; a report on none has no failures."""
    return len(failed_repos(report)) / len(report.repos) if report.repos else 0.0


def sound(report: Report, max_failed: float) -> bool:
    """Tell whether a report may be shown as that of its window: it is over, and enough of it could be read."""
    return not report.window.partial and failed_share(report) <= max_failed


def _blind(report: Report, repo: RepoId) -> bool:
    rows = report.rows(repo)
    return bool(rows) and all(row.depth is Depth.FAILED for row in rows)
