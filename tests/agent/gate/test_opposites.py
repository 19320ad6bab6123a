"""A sentence that says the opposite of its evidence does not pass; the same sentence the right way round does."""

from collections.abc import Callable

import pytest

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence
from agent.gate.judge import judge

Judge = Callable[[str], Judgement]

MESSAGE = """Check the layer's backend, not the model config (#7)

The pool clears stale slots before they are
handed out; fp32 scores are still accepted. The cap holds for users without write
access. Two launchers were touched."""
PATCH = """@@ -1,9 +1,10 @@ def check(layer):
-    assert not config.uses_pool
+    assert not layer.backend.is_pooled()
-    flags = ["--fast-math"]
+    # Don't fail if the token is missing. The key does not protect every endpoint.
+    layer.slots[index] = 0
+    if layer.depth > 4:
+        raise ValueError("too deep")
+    switches.set("POOL_EAGER", False)
+    # Must be None when the depth is not given.
     return layer"""


@pytest.fixture
def told(
    make_commit: Callable[..., CommitEvidence],
    make_dossier: Callable[..., Dossier],
    make_claim: Callable[..., Claim],
) -> Judge:
    def say(text: str) -> Judgement:
        commit = make_commit(message=MESSAGE, patch=PATCH)
        claim = make_claim(commit, text=text, about=(commit.id,))
        return judge(claim, make_dossier(commit), "en")

    return say


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "The assertion asks the layer's backend rather than the model config.",
            "The assertion asks the model config rather than the layer's backend.",
        ),
        ("Stale slots are cleared before they are handed out.", "Stale slots are cleared after they are handed out."),
        ("The cap holds for users without write access.", "The cap holds for users with write access."),
        ("`--fast-math` is no longer among the flags.", "`--fast-math` is now among the flags."),
        ("`POOL_EAGER` is turned off.", "`POOL_EAGER` is turned on."),
        ("An error comes once `depth` exceeds 4.", "An error comes once `depth` exceeds 0."),
        ("Two launchers were touched.", "Six launchers were touched."),
    ],
)
def test_what_is_turned_round_does_not_pass(told: Judge, right: str, wrong: str) -> None:
    assert told(right).verdict is Verdict.SUPPORTED, told(right)
    assert told(wrong).verdict is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    "wrong",
    [
        "fp32 scores are no longer accepted.",
        "The key protects every endpoint.",
        "It fails if the token is missing.",
        "The depth is given.",
        "`slots` keeps what it had.",
        "`slots` is reset to 1.",
        "Even if the depth is given, stale slots are cleared.",
    ],
)
def test_what_the_evidence_denies_is_not_let_pass(told: Judge, wrong: str) -> None:
    assert told(wrong).verdict is not Verdict.SUPPORTED


def test_a_message_is_read_across_its_line_breaks(told: Judge) -> None:
    assert told("According to the message, the cap holds for users without write access.").passed
