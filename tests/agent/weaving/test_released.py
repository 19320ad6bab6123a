"""An issue, the commit that fixed it and the release that has it are one story."""

from datetime import UTC, datetime

from agent.weaving.released import released_fixes, released_stories

from agent.domain import Commit, Issue, Person, Release
from agent.ids import CommitId, RepoId, ThreadId
from agent.links import Grade, Link, Relation
from agent.report import ThreadLine
from agent.stories import Act, StoryKind

REPO = RepoId("octo/router")
SHA = "6" * 40
ADA = Person(name="Ada", email="ada@example.org")


def at(day: int) -> datetime:
    return datetime(2026, 2, day, tzinfo=UTC)


ISSUE = Issue.model_validate(
    {
        "repo": REPO, "number": 9, "title": "It hangs", "body": "", "state": "closed", "state_reason": "completed",
        "author": "ada", "labels": (), "created_at": at(1), "updated_at": at(3), "closed_at": at(3), "comments": 0,
        "reactions": 0,
    }
)  # fmt: skip
FIX = Commit(
    repo=REPO, sha=SHA, parents=(), author=ADA, authored_at=at(3), committer=ADA, committed_at=at(3), message="Wake up"
)
RELEASE = Release(repo=REPO, tag="v1.2", name="1.2", body="#9", published_at=at(5), prerelease=False)


def line(release: str | None) -> ThreadLine:
    return ThreadLine.model_validate(
        {
            "number": 9,
            "title": "It hangs",
            "author": "ada",
            "event": "released",
            "at": at(5),
            "labels": (),
            "release": release,
        }
    )


def link(grade: Grade) -> Link:
    return Link(issue=ThreadId(f"{REPO}#9"), change=CommitId(f"{REPO}@{SHA}"), relation=Relation.FIXES, grade=grade)


def test_issue_fix_and_release_are_told_in_their_order_and_the_release_is_the_news() -> None:
    (story,) = released_stories(REPO, [line("v1.2")], {9: FIX}, [ISSUE], [RELEASE])
    assert story.kind is StoryKind.RELEASED
    assert [step.act for step in story.timeline] == [Act.OPENED, Act.LANDED, Act.RELEASED]
    assert story.steps == (f"{REPO}#9", f"{REPO}@{SHA}", f"{REPO}@v1.2")
    assert story.news == (f"{REPO}@v1.2",)


def test_nothing_is_told_of_a_fix_that_is_in_no_release_or_that_nobody_knows() -> None:
    assert released_stories(REPO, [line("")], {9: FIX}, [ISSUE], [RELEASE]) == []
    assert released_stories(REPO, [line("v1.2")], {}, [ISSUE], [RELEASE]) == []
    assert released_stories(REPO, [line("v9")], {9: FIX}, [ISSUE], [RELEASE]) == []


def test_only_a_fix_that_may_be_called_one_counts() -> None:
    assert released_fixes([line("v1.2")], [link(Grade.A)], REPO) == {9: f"{REPO}@{SHA}"}
    assert released_fixes([line("v1.2")], [link(Grade.C)], REPO) == {}
    assert released_fixes([line("")], [link(Grade.A)], REPO) == {}
