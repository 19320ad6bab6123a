"""Which links records, keywords and plain references make."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent.domain.base import RepoId, commit_id, thread_id
from agent.domain.commits import Closing, Commit, Coverage, Issue, Person, PullRequest, Threads
from agent.domain.links import Grade, Link, Relation
from agent.links.issues import digest
from agent.links.recorded import day_links
from agent.links.references import Day, day_references

REPO = RepoId("lumen-ai/swiftserve")
DAY = datetime(2026, 3, 5, 12, tzinfo=UTC)
SHA = "a" * 40
MIRA = Person(name="Mira König", email="mira@mail.example")


def commit(message: str, sha: str = SHA) -> Commit:
    return Commit(
        repo=REPO,
        sha=sha,
        parents=("0" * 40,),
        author=MIRA,
        authored_at=DAY,
        committer=MIRA,
        committed_at=DAY,
        message=message,
    )


def issue(number: int, **more: Any) -> Issue:
    values: dict[str, Any] = {
        "title": "Server hangs",
        "body": "",
        "state": "open",
        "state_reason": None,
        "author": "an",
        "labels": (),
        "created_at": DAY - timedelta(days=3),
        "updated_at": DAY,
        "closed_at": None,
        "comments": 0,
        "reactions": 0,
    }
    return Issue(repo=REPO, number=number, **(values | more))


def pull(number: int, body: str = "", **more: Any) -> PullRequest:
    values: dict[str, Any] = {
        "title": "Let requests in",
        "state": "closed",
        "merged_at": DAY,
        "merge_commit": SHA,
        "base": "main",
        "author": "mira",
        "labels": (),
        "created_at": DAY,
        "updated_at": DAY,
    }
    return PullRequest(repo=REPO, number=number, body=body, **(values | more))


def threads(*issues: Issue, **more: Any) -> Threads:
    return Threads(coverage=Coverage.READ, issues=issues, **more)


def told(links: tuple[Link, ...]) -> list[tuple[str, str, str]]:
    return [(link.issue.removeprefix(REPO), link.relation.value, link.grade.value) for link in links]


def linked(commits: list[Commit], read: Threads, **more: Any) -> tuple[Link, ...]:
    day = Day(REPO, "main", commits, read)
    return day_links(day, day_references(day), **more)


def links(message: str, *issues: Issue, **more: Any) -> list[tuple[str, str, str]]:
    return told(linked([commit(message)], threads(*issues, **more)))


def test_a_closing_record_is_a_fix() -> None:
    closing = Closing(issue=thread_id(REPO, 12), closed_at=DAY, reason="completed", by_commit=commit_id(REPO, SHA))
    assert links("Let requests in", issue(12), closings=(closing,)) == [("#12", "fixes", "A")]


def test_an_issue_closed_as_not_planned_was_not_fixed() -> None:
    closing = Closing(issue=thread_id(REPO, 12), closed_at=DAY, reason="not_planned", by_pull=thread_id(REPO, 20))
    gone = issue(12, state="closed", state_reason="not_planned", closed_at=DAY)
    listed = pull(20, closes=(gone.id,))
    found = links("Fixes #12", gone, closings=(closing,), pulls=(listed,), pull_of={SHA: 20})
    assert found == [("#12", "refers to", "B")]


def test_a_merged_pull_request_fixes_what_it_closes() -> None:
    closes = (thread_id(REPO, 12),)
    assert links("x", issue(12), pulls=(pull(20, closes=closes),), pull_of={SHA: 20}) == [("#12", "fixes", "A")]


def test_an_unmerged_pull_request_fixes_nothing() -> None:
    given_up = pull(20, "Closes #12", merged_at=None, merge_commit=None, closes=(thread_id(REPO, 12),))
    assert links("x", issue(12), pulls=(given_up,)) == []
    assert links("x", issue(12), pulls=(given_up,), pull_of={SHA: 20}) == []


def test_words_of_a_pull_request_on_another_base_do_not_count() -> None:
    elsewhere = pull(20, "Closes #12", base="release/0.5")
    assert links("x", issue(12), pulls=(elsewhere,), pull_of={SHA: 20}) == []


def test_the_words_of_the_pull_request_count_like_those_of_the_commit() -> None:
    body = "Closes #12\n\n## Related Issues\n\n#13\n\nSee #14"
    found = links("x", issue(12), issue(13), issue(14), pulls=(pull(20, body),), pull_of={SHA: 20})
    assert found == [("#12", "fixes", "A"), ("#13", "refers to", "B"), ("#14", "refers to", "B")]


def test_a_pull_request_of_several_commits_is_linked_by_the_one_that_merged_it() -> None:
    other = commit("first half", "b" * 40)
    known = threads(issue(12), pulls=(pull(20, closes=(thread_id(REPO, 12),)),), pull_of={SHA: 20, other.sha: 20})
    found = linked([other, commit("second half")], known)
    assert [link.change for link in found] == [commit_id(REPO, SHA)]


def test_the_strongest_of_several_words_stands() -> None:
    assert links("See #12\n\nFixes #12", issue(12)) == [("#12", "fixes", "A")]


def test_a_revert_takes_the_fix_back_and_its_own_revert_brings_it_again() -> None:
    assert links('Revert "Fixes #12"\n\nThis reverts commit abc1234.', issue(12)) == [("#12", "reverts the fix", "A")]
    assert links('Revert "Revert "Fixes #12""', issue(12)) == [("#12", "fixes", "A")]


def test_an_issue_that_is_known_from_memory_or_not_at_all_is_linked_by_its_keyword() -> None:
    (known,) = linked([commit("Fixes #12 (#20)")], threads(), known=[digest(issue(12))])
    assert told((known,)) == links("Fixes #12 (#20)") == [("#12", "fixes", "A")]
    address = "Closes https://github.com/lumen-ai/swiftserve/issues/12 and fixes other/forge#3"
    assert links(address) == [("#12", "fixes", "A"), ("other/forge#3", "fixes", "A")]


def test_a_bare_number_that_nobody_knows_and_a_pull_request_are_no_issues() -> None:
    assert links("See #12") == []
    assert links("Fixes https://github.com/lumen-ai/swiftserve/pull/12") == []
    assert links("Fixes #21", pulls=(pull(21, merged_at=None),)) == []


def test_another_repository_counts_when_github_lists_it() -> None:
    abroad = thread_id(RepoId("lumen-ai/tensorforge"), 2)
    (link,) = linked([commit("x")], threads(pulls=(pull(20, closes=(abroad,)),), pull_of={SHA: 20}))
    assert (link.issue, link.relation, link.grade) == (abroad, Relation.FIXES, Grade.A)


def test_only_a_keyword_reads_fixed_without_a_model() -> None:
    found = linked([commit("Fixes #12, addresses #13, part of #14, see #15")], threads(*map(issue, range(12, 16))))
    assert [link.issue[-2:] for link in found if link.may_read_fixed] == ["12"]
    assert [link.relation for link in found[1:]] == [Relation.MENTIONS] * 3


def test_a_revert_may_fix_an_issue_of_its_own() -> None:
    words = 'Revert "Cache the plan" (#30)\n\nThis reverts commit abc1234.\n\nFixes #12'
    closed = issue(12, state="closed", state_reason="completed", closed_at=DAY)
    assert links(words, closed) == [("#12", "fixes", "A")]
    assert links(words, issue(12)) == [("#12", "reverts the fix", "A")]


def test_an_issue_that_is_younger_than_the_change_is_only_named() -> None:
    assert links("Fixes #12", issue(12, created_at=DAY + timedelta(days=2))) == [("#12", "refers to", "B")]
