"""What later days know of issues: what the open ones are about, what fixed the others, what was told as important."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlite_utils import Database

from agent.domain import Coverage, Issue, Threads
from agent.ids import RepoId, commit_id, thread_id
from agent.linking.digest import digest
from agent.links import Grade, Link, Relation
from agent.report import Report, RepoSection, ThreadLine
from agent.window import Window
from memory.archive import Archive
from memory.call_recorder import CallRecorder
from memory.database import database_in_memory
from memory.issues import OpenIssues
from memory.recorder import recorded

REPO = RepoId("octo/engine")
AT = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def window(day: int) -> Window:
    chosen = date(2026, 2, 1) + timedelta(days=day)
    return Window.days(chosen, chosen, "UTC")


def issue(number: int, **more: Any) -> Issue:
    values: dict[str, Any] = {
        "title": "Crash in `load_plan`",
        "body": "ValueError: the plan is gone",
        "state": "open",
        "state_reason": None,
        "author": "an",
        "labels": (),
        "created_at": AT,
        "updated_at": AT,
        "closed_at": None,
        "comments": 12,
        "reactions": 3,
    }
    return Issue(repo=REPO, number=number, **(values | more))


def link(sha: str, relation: Relation = Relation.FIXES) -> Link:
    return Link(issue=thread_id(REPO, 7), change=commit_id(REPO, sha * 40), relation=relation, grade=Grade.A)


def report(day: int, *links: Link, important: tuple[int, ...] = ()) -> Report:
    lines = [
        ThreadLine(number=n, title="Crash", author=None, event="important", at=AT, labels=(), comments=12)
        for n in important
    ]
    section = RepoSection(repo=REPO, branch="main", tip="d" * 40, coverage=Coverage.READ, issues=tuple(lines))
    return Report(window=window(day), repos=(REPO,), sections=(section,), ledger=(), links=links)


def read(*issues: Issue) -> Threads:
    return Threads(coverage=Coverage.READ, issues=issues)


def test_open_issues_are_known_on_the_next_day_by_what_they_are_about(db: Database) -> None:
    issues = OpenIssues(db)
    issues.remember(REPO, read(issue(7), issue(8)))
    Archive(db).remember(report(0))
    assert issues.known_open(REPO, window(1)) == {7, 8}
    assert issues.known(REPO, window(1)).issues == (digest(issue(8)), digest(issue(7)))
    issues.remember(REPO, read(issue(7, state="closed", closed_at=AT)))
    assert [one.number for one in issues.known(REPO, window(1)).issues] == [8]


def test_after_a_day_that_nobody_reported_the_open_issues_are_listed_anew(db: Database) -> None:
    issues = OpenIssues(db)
    issues.remember(REPO, read(issue(7), issue(8)))
    Archive(db).remember(report(0))
    assert issues.known_open(REPO, window(2)) == frozenset()
    assert issues.known(REPO, window(2)).issues == ()
    issues.remember(REPO, read(issue(8)), relisted=True)
    assert issues.known_open(REPO) == {8}
    issues.remember(REPO, Threads(coverage=Coverage.NOT_READ), relisted=True)
    assert issues.known_open(REPO) == {8}


def test_the_same_day_again_knows_what_it_knew_and_not_what_it_told_itself(db: Database) -> None:
    issues, archive = OpenIssues(db), Archive(db)
    archive.remember(report(0, link("a"), link("b", Relation.MENTIONS), important=(7,)))
    archive.remember(report(1, link("c"), important=(9,)))
    for _ in range(2):
        known = issues.known(REPO, window(1))
        assert [one.change[-1] for one in known.links] == ["a"]
        assert list(known.told) == [7]
        archive.remember(report(1, link("c"), important=(9,)))
    assert [one.change[-1] for one in issues.known(REPO, window(2)).links] == ["a", "c"]


def test_what_reports_told_of_issues_comes_back_from_the_reports(db: Database) -> None:
    reports = [report(0, link("a"), important=(7,)), report(1, link("c"))]
    for one in reports:
        Archive(db).remember(one)
    with closing(database_in_memory()) as lost:
        Archive(lost).rebuild(reports)
        again = OpenIssues(lost).known(REPO, window(2))
    assert again == OpenIssues(db).known(REPO, window(2))
    assert again.links
    assert again.told


def test_what_was_known_is_on_record(db: Database) -> None:
    issues = OpenIssues(db)
    issues.remember(REPO, read(issue(7)))
    Archive(db).remember(report(0, link("a"), important=(7,)))
    told = recorded(issues, CallRecorder(db, "r1"), "issues").known(REPO, window(1))
    db.execute("delete from open_issues")
    assert recorded(issues, CallRecorder(db, "r1", play_only=True), "issues").known(REPO, window(1)) == told
    assert [one.number for one in told.issues] == [7]
