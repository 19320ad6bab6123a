"""A week is joined from the reports of its days: what came and went is no news, and groups stay."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Story, StoryStep
from agent.domain.placement import CommitGroup, Importance, Placement
from agent.domain.report import Report
from agent.domain.window import Window
from agent.editions.week import Week, load_week, week_of
from agent.reports.commit_order import in_report_order

Rows = Callable[..., LedgerRow]
Reports = Callable[..., Report]
ROUTER = RepoId("octo/router")
ADDED = "a" * 40
REVERTED = "b" * 40
FIXED = "c" * 40
TUNED = "d" * 40


def commit(sha: str) -> EvidenceId:
    return EvidenceId.commit(ROUTER, sha)


def placed(row: LedgerRow, importance: Importance, order: int) -> LedgerRow:
    placement = Placement(
        importance=importance, order=order, reason="Users set it.", decided_by="model"
    )
    return row.model_copy(update={"placement": placement})


def revert() -> Story:
    at = datetime(2026, 2, 3, 9, tzinfo=UTC)
    steps = (
        StoryStep(cite=commit(ADDED), at=at, act="landed", title="Add a cache"),
        StoryStep(cite=commit(REVERTED), at=at, act="undone", title="Revert it"),
    )
    return Story(
        kind="revert", repo=ROUTER, steps=(commit(ADDED), commit(REVERTED)), timeline=steps
    )


def week(make_row: Rows, make_report: Reports) -> Week:
    """Return a week in which a must-know was taken back the next day, and two commits stayed."""
    first_day = [
        placed(make_row(ADDED, "Add a cache", repo=ROUTER), Importance.MUST_KNOW, 1),
        placed(make_row(FIXED, "Fix the queue", repo=ROUTER), Importance.WORTH_KNOWING, 2),
        placed(make_row(TUNED, "Tune the queue", repo=ROUTER), Importance.MINOR, 3),
    ]
    second_day = [placed(make_row(REVERTED, "Revert it", repo=ROUTER), Importance.MUST_KNOW, 1)]
    reports = []
    for day, rows in ((2, first_day), (3, second_day)):
        window = Window.days(date(2026, 2, day), date(2026, 2, day), "UTC")
        reports.append(make_report(rows, window=window))
    label = {"en": "The queue", "zh": "队列"}
    kept = CommitGroup(
        repo=ROUTER, commits=(commit(ADDED), commit(FIXED), commit(TUNED)), label=label
    )
    reports[0] = reports[0].model_copy(update={"groups": (kept,)})
    reports[1] = reports[1].model_copy(update={"stories": (revert(),)})
    return week_of("2026-W06", "UTC", reports)


def test_what_came_and_went_stands_behind_what_stayed_whatever_an_editor_gave_it(
    make_row: Rows, make_report: Reports
) -> None:
    edition = week(make_row, make_report)
    assert [(pair.change, pair.undone_by) for pair in edition.came_and_went] == [
        (commit(ADDED), commit(REVERTED))
    ]
    ordered = in_report_order(edition.report.ledger)
    assert [row.sha for row in ordered[:2]] == [FIXED, TUNED]
    assert {row.importance for row in ordered[2:]} == {Importance.MINOR}


def test_groups_of_the_days_are_those_of_the_week_without_what_came_and_went(
    make_row: Rows, make_report: Reports
) -> None:
    edition = week(make_row, make_report)
    (group,) = edition.report.groups
    assert group.commits == (commit(FIXED), commit(TUNED))
    assert group.label["en"] == "The queue"


def test_a_week_is_read_back_as_it_was(make_row: Rows, make_report: Reports) -> None:
    edition = week(make_row, make_report)
    assert load_week(json.dumps(edition.data()), "2026-W06.json") == edition
