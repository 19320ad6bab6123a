"""Issues and releases: what is news in a window, and what is not."""

from datetime import UTC, date, datetime
from typing import Literal

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Link, Relation
from agent.domain.threads import Issue, Release, Threads
from agent.domain.window import Window
from agent.reports.chapter import issue_news, release_news

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
BEFORE, DURING, AFTER = (datetime(2026, 2, day, 12, tzinfo=UTC) for day in (3, 4, 5))
REPO = RepoId("octo/router")


def issue(
    number: int,
    created: datetime,
    closed: datetime | None = None,
    reason: str | None = None,
    state: Literal["open", "closed"] | None = None,
) -> Issue:
    ordinary = {
        "repo": REPO,
        "body": "",
        "author": "octocat",
        "labels": ("bug",),
        "comments": 0,
        "reactions": 0,
    }
    moments = {
        "created_at": created,
        "updated_at": closed or created,
        "closed_at": closed,
        "state_reason": reason,
    }
    linked_issues = {
        "number": number,
        "title": f"Issue {number}",
        "state": state or ("closed" if closed else "open"),
    }
    return Issue.model_validate(ordinary | moments | linked_issues)


def news(*issues: Issue, window: Window = DAY) -> list[tuple[int, str, datetime]]:
    issue_lines = issue_news(Threads(coverage="read", issues=issues), window)
    return [(line.number, line.event, line.at) for line in issue_lines]


def test_only_what_was_opened_or_closed_in_the_window_is_news() -> None:
    assert news(
        issue(5, DURING),
        issue(1, BEFORE),
        issue(2, BEFORE, BEFORE),
        issue(3, BEFORE, DURING),
        issue(4, AFTER),
        issue(6, BEFORE, AFTER),
        issue(7, BEFORE, DURING, "not_planned"),
    ) == [(3, "closed", DURING), (5, "opened", DURING), (7, "not planned", DURING)]


def test_releases_of_the_window_come_oldest_first() -> None:
    times = {"v2": DURING, "v1": DURING, "v0": DAY.start, "old": BEFORE, "new": DAY.end}
    releases = tuple(
        Release(repo=REPO, tag=tag, name=tag, body="", published_at=at, prerelease=False)
        for tag, at in times.items()
    )
    assert [line.tag for line in release_news(releases, DAY)] == ["v0", "v1", "v2"]


def test_open_issues_that_somebody_spoke_of_are_active_and_closed_or_silent_ones_are_not() -> None:
    spoken = issue(3, BEFORE).model_copy(update={"updated_at": DURING})
    later = issue(4, BEFORE).model_copy(update={"updated_at": AFTER})
    closed = issue(5, BEFORE, closed=BEFORE).model_copy(update={"updated_at": DURING})
    assert news(spoken, later, closed, issue(6, DURING)) == [
        (3, "active", DURING),
        (6, "opened", DURING),
    ]


def fix(number: int, *evidence: str, relation: Relation = Relation.FIXES) -> Link:
    change = EvidenceId.commit(REPO, "a" * 40)
    return Link(
        issue=EvidenceId.thread(REPO, number),
        change=change,
        relation=relation,
        grade=Grade.A,
        evidence=evidence,
    )


def test_an_old_issue_that_a_change_addresses_or_refers_to_is_news() -> None:
    links = (fix(7), fix(8, relation=Relation.MENTIONS))
    read = [issue(number, BEFORE) for number in (7, 8, 9)]
    lines = issue_news(Threads(coverage="read", issues=tuple(read)), DAY, links)
    assert [(line.number, line.event) for line in lines] == [(7, "linked"), (8, "linked")]
