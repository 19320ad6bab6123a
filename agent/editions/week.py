"""A week out of its days: one report, without what was taken back before the week was over."""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from agent.domain.base import Frozen
from agent.domain.claims import Claim
from agent.domain.errors import StorageError, UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.links import Story, undone_pairs
from agent.domain.placement import CommitGroup, Importance, Placement
from agent.domain.report import ReleaseLine, Report, RepoSection
from agent.domain.window import Window
from agent.reports.report_json import load, to_json

MOST_WORDS = 1_000
"""The length of an edition."""
P = TypeVar("P")
_OF_ONE_DAY = ("brief", "summary")


class RevertPair(Frozen):
    """A change of the week and the one that took it back in the same week."""

    change: EvidenceId
    undone_by: EvidenceId


class Week(Frozen):
    """A week's edition: the days as one report, and what is no news in it."""

    label: str
    report: Report
    days: tuple[str, ...]
    missing: tuple[str, ...] = ()  # Days that have no report
    came_and_went: tuple[RevertPair, ...] = ()

    def data(self) -> dict[str, Any]:
        """Return the edition as plain data: that of a report, and the parts of a week."""
        data = to_json(self.report)
        data["date"] = self.label
        return data | self.model_dump(exclude={"label", "report"})


def load_week(text: str | bytes, name: str) -> Week:
    """Read an edition back; `name` is what an error calls it."""
    report = load(text, name)
    data = json.loads(text)
    parts = {key: data.get(key, ()) for key in ("days", "missing", "came_and_went")}
    try:
        return Week.model_validate({"label": data["date"], "report": report} | parts)
    except (KeyError, ValueError) as error:
        raise StorageError(
            f"{name} is not a week of ours; `gitzette run --week` writes it anew"
        ) from error


def days_of(label: str) -> list[date]:
    """Return the seven days of a week such as 2026-W06, by ISO 8601."""
    problem = f"{label[:20]!r} is not a week; write it as 2026-W06"
    match = re.fullmatch(r"(\d{4})-W(\d{2})", label)
    if match is None:
        raise UsageError(problem)
    try:
        monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
    except ValueError as error:
        raise UsageError(problem) from error
    return [monday + timedelta(days=number) for number in range(7)]


def week_of(label: str, tz: str, reports: Sequence[Report]) -> Week:
    """Join the reports of a week's days, which are given in their order."""
    days = days_of(label)
    reverts = _reverts_within(reports)
    without_effect: set[EvidenceId] = set()
    for pair in reverts:
        without_effect |= {pair.change, pair.undone_by}
    repos = _every(report.repos for report in reports)
    sections: list[RepoSection] = []
    for repo in repos:
        sections += _section(repo, reports)
    report = Report(
        window=Window.days(days[0], days[-1], tz),
        repos=repos,
        sections=tuple(sections),
        ledger=_ledger(reports, without_effect),
        claims=_claims(reports, without_effect),
        stories=_stories(reports),
        groups=_groups(reports, without_effect),
        failures=_every(report.failures for report in reports),
        links=_every(report.links for report in reports),
        uses=_every(report.uses for report in reports),
        analyst=reports[-1].analyst,
    )
    reported = {report.window.label for report in reports}
    names = [str(day) for day in days]
    return Week(
        label=label,
        report=report,
        days=tuple(name for name in names if name in reported),
        missing=tuple(name for name in names if name not in reported),
        came_and_went=reverts,
    )


def _every(parts_of_days: Iterable[Iterable[P]]) -> tuple[P, ...]:
    """Return the parts of all days, each once."""
    parts: dict[P, None] = {}
    for parts_of_day in parts_of_days:
        parts.update(dict.fromkeys(parts_of_day))
    return tuple(parts)


def _reverts_within(reports: Sequence[Report]) -> tuple[RevertPair, ...]:
    """Return what landed and was taken back in the same week.

    What landed again after that is listed as itself.
    """
    landed: set[EvidenceId] = set()
    for report in reports:
        landed.update(row.id for row in report.ledger)
    pairs: dict[RevertPair, None] = {}
    for report in reports:
        for story in report.stories:
            for change, undone_by in undone_pairs(story):
                if change in landed and undone_by in landed:
                    pairs[RevertPair(change=change, undone_by=undone_by)] = None
    return tuple(pairs)


def _ledger(
    reports: Sequence[Report], without_effect: Collection[EvidenceId]
) -> tuple[LedgerRow, ...]:
    """Return the rows of all days; what came and went stands behind everything else."""
    last = sum(len(report.ledger) for report in reports)
    rows: dict[EvidenceId, LedgerRow] = {}
    for report in reports:
        for row in report.ledger:
            rows[row.id] = _without_news(row, last) if row.id in without_effect else row
    return tuple(rows.values())


def _without_news(row: LedgerRow, order: int) -> LedgerRow:
    """Return the row of a commit that came and went, as a minor one with this order."""
    update: dict[str, object] = {"tier": Tier.LOW, "weight": 0.0}
    if row.placement is not None:
        importance = min(row.importance, Importance.MINOR)
        update["placement"] = Placement(importance=importance, order=order)
    return row.model_copy(update=update)


def _groups(
    reports: Sequence[Report], without_effect: Collection[EvidenceId]
) -> tuple[CommitGroup, ...]:
    """Return the groups of all days, without the commits that came and went."""
    groups: list[CommitGroup] = []
    for report in reports:
        for group in report.groups:
            commits = tuple(commit for commit in group.commits if commit not in without_effect)
            if len(commits) > 1:
                groups.append(group.model_copy(update={"commits": commits}))
    return tuple(groups)


def _claims(reports: Sequence[Report], without_effect: Collection[EvidenceId]) -> tuple[Claim, ...]:
    """Return what is said of single commits that still matter."""
    claims: dict[str, Claim] = {}
    for report in reports:
        for claim in report.claims:
            if claim.role not in _OF_ONE_DAY:
                claims[claim.id] = claim
    lasting: list[Claim] = []
    for claim in claims.values():
        if not any(commit in without_effect for commit in claim.about):
            lasting.append(claim)
    return tuple(lasting)


def _stories(reports: Sequence[Report]) -> tuple[Story, ...]:
    """Return the stories of the week, each as the last day knows it."""
    stories: dict[tuple[object, ...], Story] = {}
    for report in reports:
        for story in report.stories:
            stories[story.kind, story.repo, story.steps[:1]] = story
    return tuple(stories.values())


def _section(repo: str, reports: Sequence[Report]) -> list[RepoSection]:
    """Return a repository's last section, with the releases of all days; issues are reported by day."""
    sections: list[RepoSection] = []
    for report in reports:
        sections += (section for section in report.sections if section.repo == repo)
    releases: dict[str, ReleaseLine] = {}
    for section in sections:
        releases |= {release.tag: release for release in section.releases}
    # How many files changed is known of each day, and several days may change the same ones.
    update = {"issues": (), "releases": tuple(releases.values()), "notices": (), "files": None}
    return [section.model_copy(update=update) for section in sections[-1:]]
