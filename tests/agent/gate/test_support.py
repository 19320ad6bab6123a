"""Free prose is held against a small commit: what it shows passes, what it does not show does not."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.claims import Claim, Judgement, Verdict
from agent.domain import FileChange
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, ThreadEvidence
from agent.facts import Fact, FactKind, Severity
from agent.gate.support import support
from agent.links import Grade, Link, Relation
from agent.settings import Language

MESSAGE = """[Router] Add a prefix cache to the scheduler and drop the legacy planner (#41)

The scheduler keeps hot prefixes in `PrefixCache`; lookups are cheaper because hashes are reused.
Renames `max_batch` to `max_batch_tokens`. The default of `--queue-depth` changes from 16 to 64.
Fixes a crash when the queue is empty. This does not affect the CPU backend.
All workers share one cache. The scheduler also keeps the lookup results."""
PATCH = """@@ -1,12 +1,14 @@ class Scheduler:
     def plan(self, requests):
-        planner = LegacyPlanner(self.max_batch)
-        return planner.plan(requests)
+        cache = PrefixCache(self.max_batch_tokens)
+        return cache.lookup(requests)
@@ -30,3 +32,3 @@ def add_arguments(parser):
-    parser.add_argument("--queue-depth", type=int, default=16)
+    parser.add_argument("--queue-depth", type=int, default=64)
     parser.add_argument("--port", type=int)"""
FACTS = (
    Fact(kind=FactKind.SYMBOL_ADDED, severity=Severity.ADDITIVE, name="PrefixCache", new="class PrefixCache"),
    Fact(kind=FactKind.SYMBOL_REMOVED, severity=Severity.BREAKING, name="LegacyPlanner", old="class LegacyPlanner"),
    Fact(
        kind=FactKind.FIELD_RENAMED,
        severity=Severity.BREAKING,
        name="Scheduler.max_batch_tokens",
        old="max_batch",
        new="max_batch_tokens",
    ),
    Fact(kind=FactKind.FLAG_DEFAULT, severity=Severity.BEHAVIOUR, name="--queue-depth", old="16", new="64"),
)
Judge = Callable[..., Judgement]


@pytest.fixture
def commit(make_commit: Callable[..., CommitEvidence]) -> CommitEvidence:
    """Give a commit that adds a cache, drops a planner, renames a field and raises a default."""
    file = FileChange(path="router/scheduler.py", status="modified", additions=4, deletions=4, patch=PATCH)
    return make_commit(message=MESSAGE, files=[file], facts=FACTS)


@pytest.fixture
def judged(
    commit: CommitEvidence, make_claim: Callable[..., Claim], make_dossier: Callable[..., Dossier]
) -> Callable[..., Judgement]:
    """Judge a text about the commit, and about more where given."""

    def run(text: str, *more: Evidence, **dossier: Any) -> Judgement:
        lang: Language = "en" if text.isascii() else "zh"
        evidence = (commit, *more)
        return support(make_claim(*evidence, text={lang: text}), make_dossier(*evidence, **dossier), lang)

    return run


@pytest.mark.parametrize(
    "text",
    [
        "The scheduler gains a prefix cache.",
        "`LegacyPlanner` is removed and `PrefixCache` takes its place.",
        "Removal of the legacy planner; the scheduler uses `PrefixCache` now.",
        "`max_batch` was renamed to `max_batch_tokens` in `router/scheduler.py`.",
        "The default of `--queue-depth` is raised from 16 to 64.",
        "`--queue-depth` now defaults to 64 instead of 16.",
        "Fixes a crash with an empty queue.",
        "The CPU backend is not affected.",
        "Lookups are cheaper because hashes are reused.",
        "All workers share one cache.",
        "The scheduler keeps the lookup results.",
        "This is a breaking change for users of `LegacyPlanner`.",
        "调度器新增前缀缓存。",
        "移除了 `LegacyPlanner`，改用 `PrefixCache`。",
        "将 `max_batch` 重命名为 `max_batch_tokens`。",
        "`--queue-depth` 的默认值从 16 提高到 64。",
        "修复队列为空时的崩溃。",
        "所有 worker 共享同一缓存。",
        "`LegacyPlanner` 被删除，属于不兼容变更。",
    ],
)
def test_what_the_evidence_shows_is_supported(judged: Judge, text: str) -> None:
    assert judged(text).verdict is Verdict.SUPPORTED, judged(text)


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("The scheduler gains a `SuffixCache`.", "identifier"),
        ("`--queue-length` has a new default.", "identifier"),
        ("Touches `router/planner.py`.", "path"),
        ("`PrefixCache` is removed.", "direction"),
        ("Adds the `LegacyPlanner` class.", "direction"),
        ("`max_batch_tokens` was renamed to `max_batch`.", "direction"),
        ("The default of `--queue-depth` is lowered from 64 to 16.", "direction"),
        ("`--queue-depth` now defaults to 16 instead of 64.", "direction"),
        ("The scheduler does not drop `LegacyPlanner`.", "negation"),
        ("Closes a security hole in the scheduler.", "security"),
        ("Uses the MLA (Multi-head Latent Attention) cache.", "expansion"),
        ("新增 `SuffixCache`。", "identifier"),
        ("`PrefixCache` 被移除。", "direction"),
        ("将 `max_batch_tokens` 重命名为 `max_batch`。", "direction"),
        ("`--queue-depth` 的默认值从 64 降低到 16。", "direction"),
        ("没有移除 `LegacyPlanner`。", "negation"),
        ("修复调度器的安全漏洞。", "security"),
    ],
)
def test_what_the_evidence_contradicts_or_never_says_is_not(judged: Judge, text: str, check: str) -> None:
    judgement = judged(text)
    assert (judgement.verdict, judgement.check) == (Verdict.UNSUPPORTED, check), judgement


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("The prefix cache works on all platforms.", "absolute"),
        ("The legacy planner is completely removed.", "absolute"),
        ("The prefix cache will replace the scheduler.", "forecast"),
        ("The prefix cache is significantly cheaper.", "forecast"),
        ("Reverts the prefix cache.", "direction"),
        ("前缀缓存适用于任何模型。", "absolute"),
        ("前缀缓存显著更好。", "forecast"),
    ],
)
def test_what_says_more_than_the_evidence_is_undecided(judged: Judge, text: str, check: str) -> None:
    judgement = judged(text)
    assert (judgement.verdict, judgement.check) == (Verdict.UNDECIDED, check), judgement


@pytest.mark.parametrize(
    "text",
    [
        "The scheduler gains a prefix cache because the planner leaked memory.",
        "The prefix cache does not reuse hashes.",
        "The prefix cache results in an empty queue.",
        "The scheduler talks to a remote tokenizer.",
        "调度器新增前缀缓存，导致崩溃。",
        "调度器不再使用哈希。",
        "前缀缓存兼容远程分词器。",
    ],
)
def test_what_no_rule_can_tell_is_never_supported(judged: Judge, text: str) -> None:
    assert judged(text).verdict in (Verdict.UNDECIDED, Verdict.UNSUPPORTED)


def test_the_worst_sentence_decides(judged: Judge) -> None:
    assert judged("The scheduler gains a prefix cache. It also adds `SuffixCache`.").check == "identifier"


def test_a_change_that_was_undone_is_not_told_as_live(judged: Judge, commit: CommitEvidence) -> None:
    undone = {commit.id: "octo/router@" + "b" * 40}
    assert judged("The scheduler gains a prefix cache.", reverted=undone).check == "reverted"
    assert judged("调度器新增前缀缓存。", reverted=undone).check == "reverted"


def test_a_revert_that_was_itself_undone_leaves_the_change_live(judged: Judge, commit: CommitEvidence) -> None:
    revert, reland = "octo/router@" + "b" * 40, "octo/router@" + "c" * 40
    undone = {commit.id: revert, revert: reland}
    assert judged("The scheduler gains a prefix cache.", reverted=undone).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("grade", [Grade.A, Grade.B])
def test_an_issue_is_told_as_fixed_with_a_link_that_says_so(
    judged: Judge, commit: CommitEvidence, make_issue: Callable[..., ThreadEvidence], grade: Grade
) -> None:
    issue = make_issue(title="Crash when the queue is empty")
    link = Link(issue=issue.thread.id, change=commit.change.commit.id, relation=Relation.FIXES, grade=grade)
    assert judged("Fixes the crash with an empty queue [@2].", issue, links=(link,)).verdict is Verdict.SUPPORTED


def test_an_issue_is_not_told_as_fixed_on_a_guess(
    judged: Judge, commit: CommitEvidence, make_issue: Callable[..., ThreadEvidence]
) -> None:
    issue = make_issue(title="Crash when the queue is empty")
    guess = Link(issue=issue.thread.id, change=commit.change.commit.id, relation=Relation.FIXES, grade=Grade.C)
    assert judged("Fixes the crash with an empty queue [@2].", issue, links=(guess,)).check == "fixed"
    assert judged("修复队列为空时的崩溃 [@2]。", issue).check == "fixed"


def test_a_commit_that_never_speaks_of_a_fix_fixes_nothing(
    make_commit: Callable[..., CommitEvidence], make_claim: Callable[..., Claim], make_dossier: Callable[..., Dossier]
) -> None:
    commit = make_commit(message="Tune the router")
    claim = make_claim(commit, text="Fixes the router.")
    assert support(claim, make_dossier(commit), "en").check == "fixed"


def test_a_name_of_another_repository_is_refused(judged: Judge) -> None:
    repos = frozenset({"octo/router", "octo/kernels"})
    assert judged("kernels gains a prefix cache.", repos=repos).check == "repository"


def test_half_a_name_that_was_translated_is_no_name(make_commit: Callable[..., CommitEvidence], judged: Judge) -> None:
    cited = make_commit(message="Fix the deepseek routing kernel\n\nIt no longer runs with few experts.")
    assert judged("修复 deepseek 路由内核 [1]。", cited).verdict is Verdict.SUPPORTED
    torn = judged("修复深seek路由内核 [1]。", cited)
    assert (torn.verdict, torn.check) == (Verdict.UNDECIDED, "identifier")


def test_what_something_is_done_for_is_not_what_it_is_done_to(
    make_commit: Callable[..., CommitEvidence], judged: Judge
) -> None:
    cited = make_commit(message="Disable the tests to unblock the nightly results")
    assert judged("禁用测试以解除 nightly 结果的阻塞。", cited).verdict is Verdict.SUPPORTED
    assert judged("禁用调度器以解除 nightly 结果的阻塞。", cited).verdict is not Verdict.SUPPORTED
    assert judged("启用测试以解除 nightly 结果的阻塞。", cited).verdict is not Verdict.SUPPORTED
