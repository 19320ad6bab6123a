"""Pairs of sentences about one change: the right one passes, and the wrong one beside it does not."""

from collections.abc import Callable

import pytest

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.gate.judge import judge
from agent.settings import Language

Judge = Callable[[str], Judgement]

MESSAGE = """Fix swapped reader and writer in the pool (#7)

This caused the reader to lock a slot twice. The check `% 16` was relaxed to `% 8`.
Skip `slow_probe` on HIP. The writer's `drain_limit` defaults to 0. Keep empty slots as they are.
Errors are raised by the scheduler and gains lie at +20-25%."""
PATCH = """@@ -1,22 +1,26 @@ class Pool:
-    if value:
+    if value is not None:
-    limit = 5e-3
+    limit = 6e-3  # it was 5e-3 for years
-    width % 16 == 0
+    width % 8 == 0
+    if batch.contains("tools") and not batch.tools.empty():
+        batch.erase("content")
-    sandbox = "allow-scripts allow-origin"
+    sandbox = "allow-scripts"
+    writer.drain_limit = 32
+    skipped = ["slow_probe"]
+    hint = "known to hang on SM90"
+    DEPRECATED(old_entry)
+    first_step(value)
     second_step(value)
     hint = "not built for SM120"
-    legacy_walk(value)

 class Stranger:
     pass"""


@pytest.fixture
def told(
    make_commit: Callable[..., CommitEvidence],
    make_dossier: Callable[..., Dossier],
    make_claim: Callable[..., Claim],
) -> Judge:
    """Judge a sentence in its language about one commit."""
    commit = make_commit(message=MESSAGE, patch=PATCH)

    def say(text: str) -> Judgement:
        lang: Language = "zh" if any("一" <= sign <= "鿿" for sign in text) else "en"
        return judge(make_claim(commit, text={lang: text}, about=(commit.id,)), make_dossier(commit), lang)

    return say


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("A plain test of `value` gave way to `is not None`.", "The `is not None` test gave way to a plain one."),
        ("`limit` is raised from 5e-3 to 6e-3.", "`limit` is lowered from 5e-3 to 6e-3."),
        ("The check was relaxed from 16 to 8.", "The check was relaxed from 8 to 16."),
        (
            "`content` is erased only if the batch has `tools`.",
            "`content` is erased only if the batch does not have a non-empty `tools`.",
        ),
        ("The sandbox loses `allow-origin` and keeps only `allow-scripts`.", "The sandbox gains `allow-origin`."),
        ("`drain_limit` is changed from 0 to 32.", "`drain_limit` is changed from 32 to 0."),
        ("`slow_probe` is skipped on HIP.", "HIP 上不再跳过 `slow_probe`。"),
        ("It is known to hang on SM90.", "It is known to hang on SM120."),
        ("`old_entry` is deprecated.", "`first_step` is deprecated."),
        ("`first_step` runs before `second_step`.", "`first_step` runs after `second_step`."),
        ("对 `legacy_walk` 的调用随之删除。", "对 `legacy_walk` 的调用随之新增。"),
        ("The pool keeps empty slots as they are.", "The pool no longer keeps empty slots as they are."),
    ],
)
def test_the_right_sentence_passes_and_the_wrong_one_does_not(told: Judge, right: str, wrong: str) -> None:
    assert told(right).verdict is Verdict.SUPPORTED, told(right)
    assert told(wrong).verdict is not Verdict.SUPPORTED, told(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "The reader now locks a slot twice in the pool.",
        "`Stranger` erases `content`.",
        "The check was tightened, so that the pool runs twice as fast.",
        "Relaxed slots no longer lock twice, for the clamped reader.",
    ],
)
def test_what_the_change_does_not_show_is_not_let_pass(told: Judge, text: str) -> None:
    assert told(text).verdict is not Verdict.SUPPORTED, told(text)


@pytest.mark.parametrize(
    "text",
    [
        "Errors are raised by the scheduler.",
        "Slots are created by `first_step`.",
        "错误由调度器报告。",
        "Gains lie at +20-25%.",
        'The "pool" was moved to the writer.',
        "The `RouterPoolLimits` class is touched.",
    ],
)
def test_a_manner_of_speaking_is_not_called_wrong(told: Judge, text: str) -> None:
    assert told(text).verdict in (Verdict.SUPPORTED, Verdict.UNDECIDED), told(text)


def test_somebody_else_is_still_not_the_author(told: Judge) -> None:
    assert told("Written by Nobody Else.").verdict is Verdict.METADATA


def test_a_circumstance_passes_in_its_authors_words_though_the_title_does_the_opposite(
    make_commit: Callable[..., CommitEvidence],
    make_dossier: Callable[..., Dossier],
    make_claim: Callable[..., Claim],
) -> None:
    said = "After adding Thor to our internal CI, we've been seeing hangs in this suite."
    commit = make_commit(
        message=f"Skip the slow suite on Thor (#7)\n\n{said}\n", patch='@@ -1 +1,2 @@\n+skip("Thor")\n'
    )

    def verdict(text: str) -> Verdict:
        return judge(make_claim(commit, text={"en": text}, about=(commit.id,)), make_dossier(commit), "en").verdict

    assert verdict(said) is Verdict.SUPPORTED
    assert verdict("After dropping Thor from our internal CI, we've been seeing hangs in this suite.") is not (
        Verdict.SUPPORTED
    )
