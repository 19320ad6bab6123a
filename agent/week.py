"""A week out of its days: the daily reports as one, without what was taken back before the week was over."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from agent.claims import Claim, Role
from agent.domain import Frozen
from agent.errors import UsageError
from agent.evidence import EvidenceId
from agent.record import to_json
from agent.report import LedgerRow, Report, RepoSection
from agent.stories import Story, undone_pairs
from agent.triage import Tier
from agent.window import Window

MOST_WORDS = 1_000
_OF_ONE_DAY = (Role.BRIEF, Role.SUMMARY, Role.OUTLOOK)


class Pair(Frozen):
    """A change of the week and the one that took it back in the same week."""

    change: EvidenceId
    undone_by: EvidenceId


class Week(Frozen):
    """A week's edition: the days as one report, and what is not told as news in it."""

    label: str
    report: Report
    days: tuple[str, ...]
    missing: tuple[str, ...] = ()
    """Days that have no report."""
    came_and_went: tuple[Pair, ...] = ()

    def data(self) -> dict[str, Any]:
        """Give the edition as plain data: that of a report, and the parts of a week."""
        pairs = [pair.model_dump() for pair in self.came_and_went]
        own = {"date": self.label, "days": list(self.days), "missing": list(self.missing), "came_and_went": pairs}
        return to_json(self.report) | own


def days_of(label: str) -> list[date]:
    """List the seven days of a week such as 2026-W06, by ISO 8601."""
    found = re.fullmatch(r"(\d{4})-W(\d{2})", label)
    try:
        first = date.fromisocalendar(int(found[1]), int(found[2]), 1) if found else None
    except ValueError:
        first = None
    if first is None:
        raise UsageError(f"{label[:20]!r} is not a week; write it as 2026-W06")
    return [first + timedelta(days=number) for number in range(7)]


def week_of(label: str, tz: str, reports: Sequence[Report]) -> Week:
    """Join the reports of a week's days, which are given in their order."""
    days = days_of(label)
    rows = {f"{row.repo}@{row.sha}": row for report in reports for row in report.ledger}
    pairs = tuple(_pairs(reports, rows.keys()))
    aside = {cite for pair in pairs for cite in (pair.change, pair.undone_by)}
    repos = tuple(dict.fromkeys(repo for report in reports for repo in report.repos))
    told = {report.window.label for report in reports}
    joined = Report(
        window=Window.days(days[0], days[-1], tz),
        repos=repos,
        sections=tuple(section for repo in repos if (section := _section(repo, reports))),
        ledger=tuple(_aside(row) if name in aside else row for name, row in rows.items()),
        failures=tuple(dict.fromkeys(failure for report in reports for failure in report.failures)),
        claims=tuple(_claims(reports, aside)),
        links=tuple(dict.fromkeys(link for report in reports for link in report.links)),
        stories=tuple(_stories(reports)),
        uses=tuple(dict.fromkeys(use for report in reports for use in report.uses)),
        analyst=reports[-1].analyst if reports else "rules",
    )
    names = [str(day) for day in days]
    return Week(
        label=label,
        report=joined,
        days=tuple(name for name in names if name in told),
        missing=tuple(name for name in names if name not in told),
        came_and_went=pairs,
    )


def _pairs(reports: Iterable[Report], landed: Iterable[EvidenceId]) -> Iterator[Pair]:
    """Find what was taken back inside the week; what landed again after that is told as itself."""
    known, seen = set(landed), set[EvidenceId]()
    for report in reports:
        for story in report.stories:
            for change, by in undone_pairs(story):
                if {change, by} <= known and by not in seen:
                    seen.add(by)
                    yield Pair(change=change, undone_by=by)


def _aside(row: LedgerRow) -> LedgerRow:
    return row.model_copy(update={"tier": Tier.LOW, "weight": 0.0})


def _section(repo: str, reports: Sequence[Report]) -> RepoSection | None:
    """Take a repository's last section, with the releases of all days; issues are told day by day."""
    own = [section for report in reports for section in report.sections if section.repo == repo]
    releases = tuple(dict.fromkeys(release for section in own for release in section.releases))
    return own[-1].model_copy(update={"issues": (), "releases": releases, "notices": ()}) if own else None


def _claims(reports: Iterable[Report], aside: set[EvidenceId]) -> Iterator[Claim]:
    """Give what was said of commits, each claim once; what speaks of a whole day is not of the week."""
    seen: set[tuple[EvidenceId, ...]] = set()
    for number, report in enumerate(reports):
        for claim in report.claims:
            if claim.role not in _OF_ONE_DAY and not aside & set(claim.about):
                yield claim if (claim.id,) not in seen else claim.model_copy(update={"id": f"{claim.id}.{number}"})
                seen.add((claim.id,))


def _stories(reports: Iterable[Report]) -> Iterator[Story]:
    """Give each story as the last day knows it."""
    last = {(story.kind, story.repo, story.steps[:1]): story for report in reports for story in report.stories}
    yield from last.values()
