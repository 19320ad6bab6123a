"""Which links records, keywords and references make, and what follows from reverts."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, Person
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactKind, FactSheet, Severity
from agent.domain.links import Grade, Link, Relation
from agent.domain.revert_messages import reverts_in
from agent.domain.threads import Closing, Issue, PullRequest, Threads
from agent.links.recorded_links import carried_links, day_links, partners
from agent.links.references_in_texts import LandedDay, day_references
from agent.links.searchable_issues import digest

REPO = RepoId("lumen-ai/swiftserve")
DAY = datetime(2026, 3, 5, 12, tzinfo=UTC)
SHA = "a" * 40
A = SHA
B = "b" * 40
C = "c" * 40
MIRA = Person(name="Mira König", email="mira@mail.example")


def commit(message: str, sha: str = SHA) -> Commit:
    people = {"author": MIRA, "authored_at": DAY, "committer": MIRA, "committed_at": DAY}
    return Commit.model_validate(
        {"repo": REPO, "sha": sha, "parents": ("0" * 40,), "message": message, **people}
    )


def issue(number: int, **more: Any) -> Issue:
    values: dict[str, Any] = {
        "title": "Server hangs",
        "body": "",
        "state": "open",
        "state_reason": None,
    }
    values |= {"author": "an", "labels": (), "comments": 0, "reactions": 0, "closed_at": None}
    values |= {"created_at": DAY - timedelta(days=3), "updated_at": DAY}
    return Issue(repo=REPO, number=number, **(values | more))


def pull(number: int, body: str = "", **more: Any) -> PullRequest:
    values: dict[str, Any] = {
        "title": "Let requests in",
        "state": "closed",
        "author": "mira",
        "labels": (),
    }
    values |= {
        "merged_at": DAY,
        "merge_commit": SHA,
        "base": "main",
        "created_at": DAY,
        "updated_at": DAY,
    }
    return PullRequest(repo=REPO, number=number, body=body, **(values | more))


def threads(*issues: Issue, **more: Any) -> Threads:
    return Threads(coverage="read", issues=issues, **more)


def link_rows(links: tuple[Link, ...]) -> list[tuple[str, str, str]]:
    return [
        (link.issue.removeprefix(REPO), link.relation.value, link.grade.value) for link in links
    ]


def linked(commits: list[Commit], read: Threads, **more: Any) -> tuple[Link, ...]:
    day = LandedDay(REPO, "main", commits, read)
    return day_links(day, day_references(day), **more)


def links(message: str, *issues: Issue, **more: Any) -> list[tuple[str, str, str]]:
    return link_rows(linked([commit(message)], threads(*issues, **more)))


def test_a_closing_record_is_a_fix_and_so_is_what_a_merged_pull_request_closes() -> None:
    closing = Closing(
        issue=EvidenceId.thread(REPO, 12),
        closed_at=DAY,
        reason="completed",
        by_commit=EvidenceId.commit(REPO, SHA),
    )
    assert links("Let requests in", issue(12), closings=(closing,)) == [("#12", "fixes", "A")]
    closes = (EvidenceId.thread(REPO, 12),)
    assert links("x", issue(12), pulls=(pull(20, closes=closes),), pull_of={SHA: 20}) == [
        ("#12", "fixes", "A")
    ]


def test_an_issue_closed_as_not_planned_was_not_fixed() -> None:
    closing = Closing(
        issue=EvidenceId.thread(REPO, 12),
        closed_at=DAY,
        reason="not_planned",
        by_pull=EvidenceId.thread(REPO, 20),
    )
    closed_issue = issue(12, state="closed", state_reason="not_planned", closed_at=DAY)
    listed = pull(20, closes=(closed_issue.id,))
    found_links = links(
        "Fixes #12", closed_issue, closings=(closing,), pulls=(listed,), pull_of={SHA: 20}
    )
    assert found_links == [("#12", "refers to", "B")]


def test_the_words_of_the_pull_request_count_like_those_of_the_commit() -> None:
    body = "Closes #12\n\n## Related Issues\n\n#13\n\nSee #14"
    found_links = links(
        "x", issue(12), issue(13), issue(14), pulls=(pull(20, body),), pull_of={SHA: 20}
    )
    assert found_links == [
        ("#12", "fixes", "A"),
        ("#13", "refers to", "B"),
        ("#14", "refers to", "B"),
    ]


def test_a_revert_takes_the_fix_back_and_its_own_revert_brings_it_again() -> None:
    assert links('Revert "Fixes #12"\n\nThis reverts commit abc1234.', issue(12)) == [
        ("#12", "reverts the fix", "A")
    ]
    assert links('Revert "Revert "Fixes #12""', issue(12)) == [("#12", "fixes", "A")]
    titles = (
        '[Core] Revert "x"',
        "fix(core): partially revert x",
        'Revert "fix: reverted index"',
        "reversion of x",
    )
    assert [reverts_in(title) for title in (*titles, "x\n\nThis reverts commit abcdef1")] == [
        1,
        1,
        1,
        0,
        1,
    ]


def test_an_issue_that_is_known_from_memory_or_not_at_all_is_linked_by_its_keyword() -> None:
    (link,) = linked([commit("Fixes #12 (#20)")], threads(), digests=[digest(issue(12))])
    assert link_rows((link,)) == links("Fixes #12 (#20)") == [("#12", "fixes", "A")]
    address = "Closes https://github.com/lumen-ai/swiftserve/issues/12 and fixes other/forge#3"
    assert links(address) == [("#12", "fixes", "A"), ("other/forge#3", "fixes", "A")]


def test_a_bare_number_that_nobody_knows_and_a_pull_request_are_no_issues() -> None:
    assert links("See #12") == []
    assert links("Fixes https://github.com/lumen-ai/swiftserve/pull/12") == []
    assert links("Fixes #21", pulls=(pull(21, merged_at=None),)) == []


def test_only_a_keyword_reads_fixed_and_not_of_an_issue_that_is_younger_than_the_change() -> None:
    found_links = linked(
        [commit("Fixes #12, addresses #13, part of #14, see #15")],
        threads(*map(issue, range(12, 16))),
    )
    assert [link.issue[-2:] for link in found_links if link.may_read_fixed] == ["12"]
    assert [link.relation for link in found_links[1:]] == [Relation.MENTIONS] * 3
    assert links("Fixes #12", issue(12, created_at=DAY + timedelta(days=2))) == [
        ("#12", "refers to", "B")
    ]


def test_an_issue_that_was_opened_within_the_hour_after_its_fix_landed_is_fixed() -> None:
    for minutes, relation in ((59, ("#12", "fixes", "A")), (61, ("#12", "refers to", "B"))):
        late = issue(12, created_at=DAY + timedelta(minutes=minutes))
        assert links("Fixes #12", late) == [relation]


def test_a_record_that_gives_no_reason_for_closing_is_a_fix() -> None:
    closing = Closing(
        issue=EvidenceId.thread(REPO, 12),
        closed_at=DAY,
        reason=None,
        by_commit=EvidenceId.commit(REPO, SHA),
    )
    assert links("Let requests in", issue(12), closings=(closing,)) == [("#12", "fixes", "A")]


def test_a_revert_fixes_an_issue_that_was_closed_minutes_before_it_landed() -> None:
    message = 'Revert "Let requests in"\n\nFixes #12'
    for minutes, relation in ((9, "fixes"), (11, "reverts the fix")):
        closed = issue(12, state="closed", closed_at=DAY - timedelta(minutes=minutes))
        assert links(message, closed) == [("#12", relation, "A")]


def link(grade: Grade = Grade.A) -> Link:
    return Link(
        issue=EvidenceId.thread(REPO, 12),
        change=EvidenceId.commit(REPO, A),
        relation=Relation.FIXES,
        grade=grade,
    )


def undoing(sha: str, kind: FactKind) -> CommitEvidence:
    fact = Fact(kind=kind, severity=Severity.BEHAVIOUR, name="x", old=A)
    change = Change(commit=commit("Go back to the slow way", sha), files=())
    return CommitEvidence(change=change, sheet=FactSheet(facts=(fact,), route="hunks"))


def test_a_fix_is_taken_back_and_brought_back_without_a_word_by_what_patches_do() -> None:
    (_, undone) = carried_links([link(Grade.B)], [], partners([undoing(B, "revert")]))
    assert (undone.change, undone.relation, undone.grade) == (
        EvidenceId.commit(REPO, B),
        Relation.REVERTS,
        Grade.B,
    )
    assert undone.evidence == (f"takes back {A[:12]}",)
    (again,) = carried_links([], [link()], partners([undoing(C, "reland")]))
    assert (again.change, again.relation) == (EvidenceId.commit(REPO, C), Relation.FIXES)
    assert again.evidence == (f"brings back {A[:12]}",)


def test_a_revert_that_names_its_own_pull_request_takes_nothing_back() -> None:
    fact = Fact(kind="revert", severity=Severity.BEHAVIOUR, name=f"{REPO}#7")
    sheet = FactSheet(facts=(fact,), route="hunks")
    revert = CommitEvidence(change=Change(commit=commit("Go back", B), files=()), sheet=sheet)
    brought = CommitEvidence(change=Change(commit=commit("Go on", A), files=()))

    def partners_of(pull_of_revert: int, pull_of_other: int) -> list[str]:
        commits = [
            revert.model_copy(update={"pull": pull_of_revert}),
            brought.model_copy(update={"pull": pull_of_other}),
        ]
        return [pair.partner.sha for pair in partners(commits)]

    assert partners_of(8, 7) == [A]
    assert partners_of(7, 8) == []


def test_the_revert_of_a_part_does_not_say_that_the_fix_is_gone() -> None:
    message = 'Partially revert "Fixes #12"\n\nThis reverts commit abc1234.'
    assert links(message, issue(12)) == [("#12", "refers to", "B")]
    (pair, part) = (undoing(B, "revert"), undoing(B, "partial-revert"))
    assert (len(partners([pair])), len(partners([part]))) == (1, 0)
