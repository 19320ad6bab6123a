"""Merges a new run of a window with the report that the window already has."""

from collections.abc import Iterator

from agent.domain.report import Failure, Report
from agent.domain.window import Window
from agent.reports.rerun.claims import MergedClaims
from agent.reports.rerun.merged_ledger import MergedLedger
from agent.reports.rerun.merged_relations import MergedRelations
from agent.reports.rerun.repositories import MergedRepositories
from agent.reports.rerun.sections import MergedSections


def merge(earlier: Report, new: Report) -> Report:
    """Return a report of both runs of a window: the new one, completed from the earlier one.

    - A repository that the new run did not cover keeps all its parts. One whose name turned out to
      be unknown is left out.
    - Of a repository that both cover, facts and rows are those of the new run.
    - Claims that a judge admitted stay, unless the new run has judged claims on the same topic, as
      long as their commits are in the ledger: a commit never changes.
    - Where a model edited the repository before and only rules did so now, commits keep the places
      and groups that the model gave them.
    - A commit that the new run read less closely stays as it was read before, and so do threads that
      it could not read. Data that only a clone has stays where the new run had none: the notes of
      releases, and the versions that a fix affects.
    """
    repositories = MergedRepositories(earlier, new)
    ledger = MergedLedger(earlier, new, repositories)
    claims = MergedClaims(earlier, new, repositories, ledger)
    sections = MergedSections(earlier, new, repositories, claims)
    relations = MergedRelations(earlier, new, repositories, ledger, claims, sections.threads_lost)
    return Report(
        window=_window(earlier, new, repositories),
        repos=repositories.names,
        sections=repositories.in_order(sections.all()),
        ledger=ledger.rows_with(claims.analysed_before),
        failures=(*_standing_failures(earlier, new, repositories), *new.failures),
        claims=claims.all,
        links=repositories.in_order(relations.links()),
        stories=repositories.in_order(relations.stories()),
        groups=repositories.in_order(ledger.groups()),
        drops=repositories.in_order(repositories.replaced(earlier.drops, new.drops)),
        uses=repositories.in_order(repositories.replaced(earlier.uses, new.uses)),
        analyst=claims.analyst(),
        account=claims.account(None, earlier.account, new.account),
    )


def _window(earlier: Report, new: Report, repositories: MergedRepositories) -> Window:
    """Return the window with the earlier cutoff: that of the repository that was read first."""
    windows = [new.window]
    if repositories.uncovered(earlier.sections):
        windows.append(earlier.window)
    return min(windows, key=lambda window: window.cutoff or window.end)


def _standing_failures(
    earlier: Report, new: Report, repositories: MergedRepositories
) -> Iterator[Failure]:
    """Yield the earlier failures that the new run did not settle."""
    repeated = {(failure.repo, failure.stage) for failure in new.failures}
    for failure in earlier.failures:
        if (failure.repo, failure.stage) in repeated:
            continue
        is_settled = bool(repositories.covered)
        if failure.repo is not None:
            is_known = failure.repo in repositories.names
            is_settled = failure.repo in repositories.covered or not is_known
        if not is_settled:
            yield failure
