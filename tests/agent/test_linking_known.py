"""What is kept of open issues, what follows from reverts, and how a likely fix is told."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent.because import because, reasons_of
from agent.domain import Change, Commit, Coverage, FileChange, Issue, Person, Threads
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind, FactSheet, Severity
from agent.ids import RepoId, commit_id, thread_id
from agent.linking.digest import digest
from agent.linking.inferred import inferred_links
from agent.linking.sketch import sketch
from agent.linking.undoing import carried_links, partners
from agent.links import Grade, Link, Relation
from agent.settings import Language
from agent.templates import sentence

REPO = RepoId("lumen-ai/swiftserve")
DAY = datetime(2026, 3, 5, 12, tzinfo=UTC)
MIRA = Person(name="Mira König", email="mira@mail.example")
A, B, C = ("a" * 40, "b" * 40, "c" * 40)
LANGUAGES: tuple[Language, ...] = ("en", "zh")


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


def test_the_environment_that_a_template_asks_for_is_not_what_an_issue_is_about() -> None:
    kept = digest(BUG)
    assert "torch" not in kept.words
    assert {"evict_adapter", "lora_cache.py"} <= set(kept.names)
    assert len(digest(issue(1, "x", "word " * 100_000 + " ".join(f"w{i}ord" for i in range(9_000)))).words) <= 300


def inferred(**more: Any) -> tuple[Link, ...]:
    sketches = {FIX.commit.sha: sketch(FIX)}
    return inferred_links(
        REPO, [FIX.commit], Threads(coverage=Coverage.READ, **more.pop("threads", {})), sketches, **more
    )


def test_an_issue_of_an_earlier_day_is_found_by_what_is_remembered_of_it() -> None:
    now = inferred(threads={"issues": (BUG, *OTHERS)})
    later = inferred(known=[digest(one) for one in (BUG, *OTHERS)])
    assert now == later
    assert [(one.issue, one.grade) for one in later] == [(BUG.id, Grade.C)]


def test_a_likely_fix_is_told_with_what_both_sides_share_and_only_with_that() -> None:
    (found,) = inferred(known=[digest(one) for one in (BUG, *OTHERS)])
    reasons = reasons_of(found.evidence)
    assert "error: valueerror adapter pool is exhausted for this" in reasons
    assert "name: evict_adapter" in reasons
    assert "file: lora_cache.py" in reasons
    params = {"issue": found.issue, "because": "\n".join(reasons)}
    text = {lang: sentence("likely fixes", params, lang) or "" for lang in LANGUAGES}
    assert text["en"].startswith("Likely fixes [@2] because both have the error text `valueerror adapter pool")
    assert text["zh"].startswith("可能修复 [@2]，因为两者都有报错文字 `valueerror adapter pool")


def test_hostile_names_stay_code() -> None:
    assert because(["name: a`](http://evil)<b>", "score 0.9"], "en") == "both name ``a`](http://evil)<b>``"


def test_figures_that_differ_make_titles_contradict_one_another() -> None:
    wanted = issue(12, "Upgrade the attention kernels to flashlight 0.6.2", labels=())
    bump = commit("Upgrade the attention kernels to flashlight 0.6.3")
    assert inferred_links(REPO, [bump], Threads(coverage=Coverage.READ, issues=(wanted, *OTHERS)), {}) == ()
    right = commit("Upgrade the attention kernels to flashlight 0.6.2")
    assert len(inferred_links(REPO, [right], Threads(coverage=Coverage.READ, issues=(wanted, *OTHERS)), {})) == 1


def test_tests_and_logs_mend_nothing() -> None:
    known = Threads(coverage=Coverage.READ, issues=(BUG, *OTHERS))
    for title in ("Skip the LoRA adapter cache test that evicts the newest adapter", "Add logs to LoRA adapter cache"):
        one = commit(title)
        assert inferred_links(REPO, [one], known, {one.sha: sketch(Change(commit=one, files=(FILE,)))}) == ()
    beside = Change(commit=FIX.commit, files=(FILE.model_copy(update={"path": "tests/test_lora_cache.py"}),))
    assert inferred_links(REPO, [FIX.commit], known, {FIX.commit.sha: sketch(beside)}) == ()


def undoing(sha: str, kind: FactKind, old: str) -> CommitEvidence:
    fact = Fact(kind=kind, severity=Severity.BEHAVIOUR, name="x", old=old)
    change = Change(commit=commit("Go back to the slow way", sha), files=())
    return CommitEvidence(change=change, sheet=FactSheet(facts=(fact,), route="hunks"), landed=True)


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


def test_what_never_fixed_anything_takes_nothing_back() -> None:
    assert (
        carried_links([], [link(grade=Grade.D, relation=Relation.MENTIONS)], partners([undoing(B, FactKind.REVERT, A)]))
        == ()
    )
