"""A week out of its days: the daily reports as one, without what was taken back before the week was over."""

import json
import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from agent.domain.base import Frozen, StorageError, UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Tier
from agent.domain.links import undone_pairs
from agent.domain.report import ReleaseLine, Report, RepoSection
from agent.domain.window import Window
from agent.reports.stored import load, to_json

MOST_WORDS = 1_000
_OF_ONE_DAY = ("brief", "summary")


class RevertPair(Frozen):
    """A change of the week and the one that took it back in the same week."""

    change: EvidenceId
    undone_by: EvidenceId


class Week(Frozen):
    """A week's edition: the days as one report, and what is not told as news in it."""

    label: str
    report: Report
    days: tuple[str, ...]
    missing: tuple[str, ...] = ()  # Days that have no report
    came_and_went: tuple[RevertPair, ...] = ()

    def data(self) -> dict[str, Any]:
        """Give the edition as plain data: that of a report, and the parts of a week."""
        return (
            to_json(self.report)
            | {"date": self.label}
            | self.model_dump(exclude={"label", "report"})
        )


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
    rows = {row.id: row for report in reports for row in report.ledger}
    # A story is told as the last day knows it.
    stories = {
        (one.kind, one.repo, one.steps[:1]): one for report in reports for one in report.stories
    }
    claims = {
        claim.id: claim
        for report in reports
        for claim in report.claims
        if claim.role not in _OF_ONE_DAY
    }
    # What landed again after it was taken back is told as itself.
    undone = (
        pair for report in reports for story in report.stories for pair in undone_pairs(story)
    )
    pairs = dict.fromkeys(
        RevertPair(change=one, undone_by=by) for one, by in undone if one in rows and by in rows
    )
    aside = {cite for pair in pairs for cite in (pair.change, pair.undone_by)}
    names, behind = ("repos", "failures", "links", "uses"), {"tier": Tier.LOW, "weight": 0.0}
    parts: dict[str, Any] = {
        name: tuple(dict.fromkeys(part for report in reports for part in getattr(report, name)))
        for name in names
    }
    joined = Report(
        window=Window.days(days[0], days[-1], tz),
        sections=tuple(section for repo in parts["repos"] for section in _section(repo, reports)),
        ledger=tuple(
            row.model_copy(update=behind) if name in aside else row for name, row in rows.items()
        ),
        claims=tuple(claim for claim in claims.values() if not aside & set(claim.about)),
        stories=tuple(stories.values()),
        analyst=reports[-1].analyst,
        **parts,
    )
    known, missing = (
        tuple(f"{day}" for day in days if (f"{day}" in told) is there) for there in (True, False)
    )
    return Week(label=label, report=joined, days=known, missing=missing, came_and_went=tuple(pairs))


def _section(repo: str, reports: Sequence[Report]) -> list[RepoSection]:
    """Return a repository's last section, with the releases of all days; issues are told by day."""
    sections: list[RepoSection] = []
    for report in reports:
        sections += (section for section in report.sections if section.repo == repo)
    releases: dict[str, ReleaseLine] = {}
    for section in sections:
        releases |= {release.tag: release for release in section.releases}
    # How many files changed is known of each day, and several days may change the same ones.
    update = {"issues": (), "releases": tuple(releases.values()), "notices": (), "files": None}
    return [section.model_copy(update=update) for section in sections[-1:]]
