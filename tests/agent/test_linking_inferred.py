"""What is told as likely fixed although nobody says so, and how issues stand."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent.domain import Change, Closing, Commit, Coverage, FileChange, Issue, Person, Threads
from agent.ids import RepoId, commit_id, thread_id
from agent.linking.inferred import inferred_links
from agent.linking.sketch import Sketch, sketch
from agent.linking.standing import Standing, standing
from agent.links import Grade, Link, Relation

REPO = RepoId("lumen-ai/swiftserve")
DAY = datetime(2026, 3, 5, 12, tzinfo=UTC)
MIRA = Person(name="Mira König", email="mira@mail.example")
TITLE = "Support Markdown and notebook export of the documentation for downstream retrieval"


def commit(message: str, sha: str = "a" * 40) -> Commit:
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


def issue(number: int, title: str, body: str = "", **more: Any) -> Issue:
    values: dict[str, Any] = {
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
    return Issue(repo=REPO, number=number, title=title, body=body, **(values | more))


OTHERS = tuple(issue(100 + i, f"Crash number {i} in kernel {i}x with batch {i}y") for i in range(20))


def likely(commits: list[Commit], *issues: Issue, sketches: dict[str, Sketch] | None = None, **more: Any) -> list[str]:
    known = Threads(coverage=Coverage.READ, issues=(*issues, *OTHERS), **more)
    found = inferred_links(REPO, commits, known, sketches or {})
    assert all(link.grade is Grade.C and not link.may_read_fixed and link.evidence for link in found)
    return [f"#{link.issue.partition('#')[2]} ← {link.change[-40:][0]}" for link in found]


def test_several_steps_of_the_same_work_are_all_linked() -> None:
    steps = [commit(f"{TITLE} (#20)"), commit(f"{TITLE} (copy all files) (#21)", "b" * 40)]
    assert likely(steps, issue(12, f"Infra] {TITLE}")) == ["#12 ← a", "#12 ← b"]


@pytest.mark.parametrize(
    "more",
    [
        {"state": "closed", "state_reason": "not_planned", "closed_at": DAY},
        {"state": "closed", "state_reason": "duplicate", "closed_at": DAY},
        {"labels": ("question",)},
        {"created_at": DAY + timedelta(days=1)},
        {"state": "closed", "state_reason": "completed", "closed_at": DAY - timedelta(days=1)},
    ],
)
def test_what_cannot_have_been_fixed_by_it_is_left_alone(more: dict[str, Any]) -> None:
    assert likely([commit(TITLE)], issue(12, TITLE, **more)) == []


def test_a_question_is_not_fixed() -> None:
    assert likely([commit(TITLE)], issue(12, f"[Question] {TITLE}")) == []


def test_two_issues_that_fit_alike_are_both_left_alone() -> None:
    assert likely([commit(TITLE)], issue(12, TITLE), issue(13, TITLE)) == []


def test_a_revert_fixes_nothing() -> None:
    assert likely([commit(f'Revert "{TITLE}"')], issue(12, TITLE)) == []


def test_an_issue_whose_closer_is_known_needs_no_guess() -> None:
    closing = Closing(issue=thread_id(REPO, 12), closed_at=DAY, reason="completed", by_commit=commit_id(REPO, "c" * 40))
    closed = issue(12, TITLE, state="closed", state_reason="completed", closed_at=DAY)
    assert likely([commit(TITLE)], closed, closings=(closing,)) == []


def test_a_bug_closed_right_after_the_fix_that_touches_what_it_names_is_linked() -> None:
    patch = "@@ -1,2 +1,2 @@ def evict_adapter(cache):\n-    cache.popitem()\n+    cache.popitem(last=False)"
    file = FileChange(path="swiftserve/lora.py", status="modified", additions=1, deletions=1, patch=patch)
    fix = commit("fix: evict the oldest LoRA adapter instead of the newest")
    read = {fix.sha: sketch(Change(commit=fix, files=(file,)))}
    body = "With `max_loras=8` the adapter used a moment ago is gone; `evict_adapter` drops the newest."
    closed = {"state": "closed", "state_reason": "completed", "closed_at": DAY + timedelta(seconds=30)}
    bug = issue(12, "[Bug] LoRA adapter is reloaded on every request", body, labels=("bug",), **closed)
    assert likely([fix, commit("docs: describe the cache", "b" * 40)], bug, sketches=read) == ["#12 ← a"]


def test_a_huge_diff_that_names_everything_fixes_nothing() -> None:
    lines = "\n".join(f"+crash_in_kernel_{i}x = batch_{i}y" for i in range(3_000))
    file = FileChange(path="all.py", status="added", additions=3_000, deletions=0, patch=f"@@ -0,0 +1,3000 @@\n{lines}")
    update = commit("v4.4.1 update (#3079)")
    named = issue(12, "Crash in `crash_in_kernel_7x`", "`crash_in_kernel_7x` and `batch_7y` are wrong")
    assert likely([update], named, sketches={update.sha: sketch(Change(commit=update, files=(file,)))}) == []


def link(relation: Relation = Relation.FIXES, grade: Grade = Grade.A) -> Link:
    return Link(issue=thread_id(REPO, 12), change=commit_id(REPO, "a" * 40), relation=relation, grade=grade)


def test_how_an_issue_stands_follows_its_state_and_its_links() -> None:
    opened, done = issue(12, TITLE), issue(12, TITLE, state="closed", state_reason="completed", closed_at=DAY)
    undone = {f"{REPO}@{'a' * 40}": f"{REPO}@{'b' * 40}"}
    again = undone | {f"{REPO}@{'b' * 40}": f"{REPO}@{'c' * 40}"}
    assert standing(opened, []) is Standing.OPEN
    assert standing(opened, [link(grade=Grade.B)]) is Standing.ADDRESSED
    assert standing(opened, [link(grade=Grade.C)]) is Standing.LIKELY
    assert standing(opened, [link(Relation.MENTIONS, Grade.D)]) is Standing.OPEN
    assert standing(done, []) is Standing.CLOSED
    assert standing(done, [link()]) is Standing.FIXED
    assert standing(done, [link()], undone) is Standing.UNDONE
    assert standing(done, [link()], again) is Standing.FIXED
    assert standing(issue(12, TITLE, state_reason="reopened"), [link()]) is Standing.REOPENED
    assert standing(issue(12, TITLE, state="closed", state_reason="not_planned"), [link()]) is Standing.GIVEN_UP
