"""A week out of its days: the daily reports as one, without what was taken back before the week was over."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from agent.domain.base import EvidenceId, Frozen, UsageError
from agent.domain.ledger import Tier
from agent.domain.links import undone_pairs
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.reports.stored import to_json

MOST_WORDS = 1_000
_OF_ONE_DAY = ("brief", "summary")


class Pair(Frozen):
    """A change of the week and the one that took it back in the same week."""

    change: EvidenceId
    undone_by: EvidenceId


class Week(Frozen):
    """A week's edition: the days as one report, and what is not told as news in it."""

    label: str
    report: Report
    days: tuple[str, ...]
    missing: tuple[str, ...] = ()  # Days that have no report
    came_and_went: tuple[Pair, ...] = ()

    def data(self) -> dict[str, Any]:
        """Give the edition as plain data: that of a report, and the parts of a week."""
        return to_json(self.report) | {"date": self.label} | self.model_dump(exclude={"label", "report"})


def days_of(label: str) -> list[date]:
    """List the seven days of a week such as 2026-W06, by ISO 8601."""
    try:
        found = re.fullmatch(r"(\d{4})-W(\d{2})", label) or ("", 0, 0)
        first = date.fromisocalendar(int(found[1]), int(found[2]), 1)
    except ValueError as error:
        raise UsageError(f"{label[:20]!r} is not a week; write it as 2026-W06") from error
    return [first + timedelta(days=number) for number in range(7)]


def week_of(label: str, tz: str, reports: Sequence[Report]) -> Week:
    """Join the reports of a week's days, which are given in their order."""
    days, told = days_of(label), {report.window.label for report in reports}
    rows = {f"{row.repo}@{row.sha}": row for report in reports for row in report.ledger}
    pairs = tuple(dict.fromkeys(_pairs(reports, rows)))
    aside = {cite for pair in pairs for cite in (pair.change, pair.undone_by)}
    repos = tuple(dict.fromkeys(repo for report in reports for repo in report.repos))
    claims = {claim.id: claim for report in reports for claim in report.claims if claim.role not in _OF_ONE_DAY}
    # A story is told as the last day knows it.
    stories = {(one.kind, one.repo, one.steps[:1]): one for report in reports for one in report.stories}
    behind = {"tier": Tier.LOW, "weight": 0.0}
    joined = Report(
        window=Window.days(days[0], days[-1], tz),
        repos=repos,
        sections=tuple(section for repo in repos for section in _section(repo, reports)),
        ledger=tuple(row.model_copy(update=behind) if name in aside else row for name, row in rows.items()),
        failures=tuple(dict.fromkeys(failure for report in reports for failure in report.failures)),
        claims=tuple(claim for claim in claims.values() if not aside & set(claim.about)),
        links=tuple(dict.fromkeys(link for report in reports for link in report.links)),
        stories=tuple(stories.values()),
        uses=tuple(dict.fromkeys(use for report in reports for use in report.uses)),
        analyst=reports[-1].analyst,
    )
    names = [str(day) for day in days]
    known, missing = ([name for name in names if (name in told) is there] for there in (True, False))
    return Week(label=label, report=joined, days=tuple(known), missing=tuple(missing), came_and_went=pairs)


def _pairs(reports: Sequence[Report], landed: Collection[EvidenceId]) -> Iterator[Pair]:
    """Find what was taken back inside the week; what landed again after that is told as itself."""
    for story in (story for report in reports for story in report.stories):
        for change, by in undone_pairs(story):
            if change in landed and by in landed:
                yield Pair(change=change, undone_by=by)


def _section(repo: str, reports: Sequence[Report]) -> list[RepoSection]:
    """Take a repository's last section, with the releases of all days; issues are told day by day."""
    own = [section for report in reports for section in report.sections if section.repo == repo]
    releases = tuple(dict.fromkeys(release for section in own for release in section.releases))
    return [one.model_copy(update={"issues": (), "releases": releases, "notices": ()}) for one in own[-1:]]
