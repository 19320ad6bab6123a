"""What is kept of open issues and found again, and what follows from reverts."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent.domain.base import RepoId, commit_id, thread_id
from agent.domain.commits import Change, Commit, FileChange, Issue, Person
from agent.domain.evidence import CommitEvidence, Read
from agent.domain.facts import Fact, FactKind, FactSheet, Severity
from agent.domain.ledger import Depth
from agent.domain.links import Grade, Link, Relation
from agent.links.candidates import candidates
from agent.links.issues import digest
from agent.links.recorded import carried_links, partners
from agent.triage.score import weigh

REPO = RepoId("lumen-ai/swiftserve")
DAY = datetime(2026, 3, 5, 12, tzinfo=UTC)
MIRA = Person(name="Mira König", email="mira@mail.example")
A, B, C = ("a" * 40, "b" * 40, "c" * 40)


def commit(message: str, sha: str = A) -> Commit:
    people = {"author": MIRA, "authored_at": DAY, "committer": MIRA, "committed_at": DAY}
    return Commit.model_validate({"repo": REPO, "sha": sha, "parents": (C,), "message": message, **people})


def issue(number: int, title: str, body: str = "", **more: Any) -> Issue:
    values: dict[str, Any] = {
        "state": "open",
        "state_reason": None,
        "author": "an",
        "labels": ("bug",),
        "created_at": DAY - timedelta(days=3),
        "updated_at": DAY - timedelta(days=3),
        "closed_at": None,
        "comments": 0,
        "reactions": 0,
    }
    return Issue(repo=REPO, number=number, title=title, body=body, **(values | more))


def link(change: str = A, relation: Relation = Relation.FIXES, grade: Grade = Grade.A, *evidence: str) -> Link:
    return Link(
        issue=thread_id(REPO, 12), change=commit_id(REPO, change), relation=relation, grade=grade, evidence=evidence
    )


OTHERS = tuple(issue(100 + i, f"Crash number {i} in kernel {i}x with batch {i}y") for i in range(20))
BUG = issue(
    12,
    "[Bug] LoRA adapter cache evicts the newest adapter",
    "### Your current environment\n\ntorch 2.9\n\n### The bug\n\n`evict_adapter` in `lora_cache.py` says\n"
    "ValueError: adapter pool is exhausted for this request",
)
PATCH = (
    "@@ -1,3 +1,3 @@ def evict_adapter(cache):\n-    cache.popitem()\n+    cache.popitem(last=False)\n"
    '+    raise ValueError("adapter pool is exhausted for this request")'
)
FILE = FileChange(path="swiftserve/lora_cache.py", status="modified", additions=2, deletions=1, patch=PATCH)
FIX = Change(commit=commit("fix: LoRA adapter cache evicts the oldest adapter"), files=(FILE,))


def nearest(*issues: Issue, linked: tuple[str, ...] = (), depth: Depth = Depth.SKIM) -> list[str]:
    read = Read(evidence=CommitEvidence(change=FIX), triage=weigh(FIX, None), depth=depth)
    return [one for near in candidates([read], map(digest, issues), linked).values() for one in near]


def test_the_nearest_issues_share_rare_words_and_were_open_when_the_change_landed() -> None:
    assert nearest(*OTHERS, BUG)[0] == BUG.id
    assert len(nearest(*OTHERS, BUG)) <= 10
    late = BUG.model_copy(update={"created_at": DAY + timedelta(hours=1)})
    over = BUG.model_copy(update={"state": "closed", "closed_at": DAY - timedelta(days=1)})
    assert BUG.id not in nearest(*OTHERS, late) + nearest(*OTHERS, over)


def test_what_is_linked_or_only_grouped_is_not_compared() -> None:
    assert nearest(*OTHERS, BUG, linked=(FIX.commit.id,)) == nearest(*OTHERS, BUG, depth=Depth.GROUP) == []


def test_a_digest_of_a_huge_issue_stays_small() -> None:
    huge = issue(1, "x", "word " * 100_000 + " ".join(f"w{i}ord" for i in range(9_000)))
    assert len(digest(huge).model_dump_json()) < 10_000


def undoing(sha: str, kind: FactKind, old: str) -> CommitEvidence:
    fact = Fact(kind=kind, severity=Severity.BEHAVIOUR, name="x", old=old)
    change = Change(commit=commit("Go back to the slow way", sha), files=())
    return CommitEvidence(change=change, sheet=FactSheet(facts=(fact,), route="hunks"))


def test_a_revert_without_a_word_takes_back_the_fix_that_its_patch_takes_back() -> None:
    pairs = partners([undoing(B, FactKind.REVERT, A)])
    (_, undone) = carried_links([link(grade=Grade.B)], [], pairs)
    assert (undone.change, undone.relation, undone.grade) == (commit_id(REPO, B), Relation.REVERTS, Grade.B)
    assert undone.evidence == (f"takes back {A[:12]}",)


def test_a_fix_of_an_earlier_day_that_lands_again_fixes_again() -> None:
    pairs = partners([undoing(C, FactKind.RELAND, A)])
    (again,) = carried_links([], [link()], pairs)
    assert (again.change, again.relation, again.evidence) == (
        commit_id(REPO, C),
        Relation.FIXES,
        (f"brings back {A[:12]}",),
    )


def test_a_mere_reference_is_not_taken_back() -> None:
    named = link(relation=Relation.MENTIONS, grade=Grade.B)
    assert carried_links([], [named], partners([undoing(B, FactKind.REVERT, A)])) == ()
