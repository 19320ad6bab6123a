"""Every literal of a sentence of analysis stands in the cited evidence, however engineers write it."""

from decimal import Decimal

import pytest

from agent.domain.base import Language
from agent.domain.claims import Judgement, Kind, Number
from tests.agent.gate.conftest import analysis, make_commit, make_issue
from tests.patience import within

PATCH = """@@ -10,5 +10,6 @@ def route(request):
     limit = request.limit
-    if topK > 22:
+    # Larger values overflow the shared buffer on SM100 with fp8_gemm.
+    if topK > 8:
@@ -40,2 +41,2 @@ class Router:
-    TIMEOUT = 30
+    TIMEOUT = 45
+    delay_ms: int = 5
+    use_graph: bool = True  # --use-graph, ROUTER_USE_GRAPH
+    size = 65536  # sm_90 and FlashInfer"""
MESSAGE = (
    "Lower the limit of topK (#41)\n\nThe buffer holds 8 entries; p50 drops from 12 ms to 7.4 ms, 2x faster,\n"
    "with 1,024 bytes of GLM5.2 on Hopper. Needs torch.compile of v0.6.3, see 3f2a9bc1d.\n12% less since 2026-01-30."
)


COMMIT = make_commit(sha="a1b2c3d" + "a" * 33, message=MESSAGE, patch=PATCH, pull=41)


def wrong(text: str, lang: Language = "en") -> list[str]:
    """Give the literals of a sentence that are refused."""
    return [
        claim.literal for claim in analysis(COMMIT, text=text, lang=lang) if claim.check != "anchor"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The limit of `topK` falls from 22 to 8.",
        "FP8 on SM100, SM90 and flashinfer; the `fp8_gemm` kernels (GPUs, APIs) see it.",
        "`use_graph=True` is the default; `--use-graph` and ROUTER_USE_GRAPH set it.",
        "`Router.delay_ms` and Router.use_graph are 5 ms, e.g. 5ms, and `delay_ms`'s type is `int`.",
        "Mira König lowers it in src/router/limits.py, `router/limits.py` and `src/router/`.",
        "GLM5.2 holds 1024 bytes, and/or 64K of I/O, with CUDA-graph re-land per-token on Hopper.",
        "v0.6 of `torch.compile` is needed, 0.6.3 at least; 12% less, 2x faster, from 12 ms.",
        "a1b2c3d came with #41 and octo/router#41 on 2026-02-04, after 3f2a9bc1d of January 30.",
        "In 1 file it adds 4 lines and deletes 3, for octo/router on GitHub, in Python.",
        "The K=8 case stands: “The buffer holds 8 entries”.",
        "`class Router` and `if topK > 8` are there.",
        "Two of three read/write paths need no I/O.",
    ],
)
def test_true_literals_pass_as_engineers_write_them(text: str) -> None:
    assert wrong(text) == []


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("The limit falls to 19.", "19"),
        ("It is about `topQ`.", "topQ"),
        ("It is about use_graphs.", "use_graphs"),
        ("It sets `use_graph=False`.", "use_graph=False"),
        ("It refuses `topK >= 8`.", "topK >= 8"),
        ("It adds --use-graf.", "--use-graf"),
        ("It reads ROUTER_USE_GRAF.", "ROUTER_USE_GRAF"),
        ("It is in src/router/limit.py.", "src/router/limit.py"),
        ("It is in `src/route/`.", "src/route/"),
        ("It came as a1b2c3e.", "a1b2c3e"),
        ("It came with #42.", "#42"),
        ("It needs v0.7.", "v0.7"),
        ("It needs 0.6.4.", "0.6.4"),
        ("It takes 6 ms.", "6ms"),
        ("It takes 5 s.", "5s"),
        ("It takes 13% less.", "13%"),
        ("It landed on 2026-02-05.", "2026-02-05"),
        ("It landed on February 5.", "February 5"),
        ("It calls `Router.missing`.", "Router.missing"),
        ("It calls Router.missing.", "Router.missing"),
        ("It is about `FP4`.", "FP4"),
        ("It is about `FlashInfra`.", "FlashInfra"),
        ("It raises `ValueErrors`.", "ValueErrors"),
        ("It was approved by `ada-l`.", "ada-l"),
        ("It came with v9.", "v9"),
        ("It belongs to octo/rooter.", "octo/rooter"),
        ("It says “The buffer holds eight entries”.", "The buffer holds eight entries"),
    ],
)
def test_a_literal_that_stands_nowhere_is_refused_by_name(text: str, literal: str) -> None:
    assert literal in wrong(text)


@pytest.mark.parametrize(
    "text",
    [
        "NaN and Inf reach the softmax on Blackwell, where FP4 overflows.",
        "Callers get a TypeError, and C++ code no longer compiles.",
        "Callers get a `TypeError`, and `None` is never returned.",
        "The product no longer overflows a 32-bit integer; it is 64 bits wide.",
        "It handles 2D and 3D tensors, PyTorch, FlashInfra and GLM5.3.",
        "It is by Ada Lovelace.",
    ],
)
def test_plain_words_and_common_terms_are_for_the_judge(text: str) -> None:
    assert wrong(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The size is 64K, that is 65,536 or 0x10000.",
        "The delay is 0.005 s, or 5000 us.",
        "The buffer holds 1.0 KiB, and p50 is 0.0074 seconds.",
        "`TIMEOUT` is 45.0.",
    ],
)
def test_a_number_is_compared_by_its_value_with_unit_and_magnitude(text: str) -> None:
    assert wrong(text) == []


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("It is 6.", "6"),
        ("It is 450.", "450"),
        ("It is 655.", "655"),
        ("It is 7 of them.", "7"),
        ("It is 1,0 of them.", "0"),
        ("It is 64M.", "64m"),
        ("It takes 5 us.", "5us"),
        ("It takes 0.05 s.", "0.05s"),
        ("It is 12 of 100 percent.", "100percent"),
        ("It is 0x1000.", "0x1000"),
        ("It is 1e-6.", "1e-6"),
        ("It moves 250Gbps.", "250Gbps"),
        ("It is a 12-bit value.", "12bit"),
        ("It is 123456789012345678901234567890.", "123456789012345678901234567890"),
    ],
)
def test_a_number_that_only_begins_alike_is_refused(text: str, literal: str) -> None:
    assert wrong(text) == [literal]


def test_the_head_of_a_table_names_the_units_of_its_rows() -> None:
    table = (
        "| K | before (us) | after (us) |\n|---|---|---|\n| 22 | 34.808 | 16.380 |\n\n7 of 9 pass"
    )
    commit = make_commit(message=f"Speed up the sort\n\n{table}")
    texts = [
        "It took 34.808 us and takes 16.38 us now.",
        "It takes 16.380 ms.",
        "It takes 7 us.",
    ]
    refused = [[refusal.literal for refusal in analysis(commit, text=text)] for text in texts]
    assert refused == [[], ["16.380ms"], ["7us"]]


def test_a_refused_number_is_handed_on_with_its_kind_and_value() -> None:
    (refusal,) = analysis(COMMIT, text="It takes 1,300 ms.")
    assert refusal.literal_kind == "number"
    assert refusal.number == Number(value=Decimal(1300), unit="ms")
    assert Judgement.model_validate_json(refusal.model_dump_json()) == refusal
    (refusal,) = analysis(COMMIT, text="It calls `topQ`.")
    assert (refusal.literal_kind, refusal.number) == ("code", None)


def test_chinese_needs_no_spaces_around_names() -> None:
    assert wrong("在Hopper上把`topK`从22降到8，延迟5毫秒，2月4日合入。", "zh") == []
    assert wrong("Blackwell上延迟6毫秒，2月5日合入。", "zh") == ["2月5日", "6毫秒"]
    assert wrong("需要 0.6.3，FP8 才可用；v0.6，22 与 8。", "zh") == []
    assert wrong("需要 0.6.4，FP8 才可用。", "zh") == ["0.6.4"]


def test_a_refusal_shows_the_nearest_line_of_the_evidence() -> None:
    (objection,) = analysis(make_commit(patch=PATCH), text="It sets `use_graph=False`.")
    assert objection.nearest == "use_graph: bool = True # --use-graph, ROUTER_USE_GRAPH"
    assert "stands nowhere" in objection.reason


def test_literals_of_advice_stand_in_a_commit_and_not_only_in_a_thread() -> None:
    both = (make_commit(), make_issue(body="Run `rm_everything` first."))
    text = "Before you lower `topK`, run `rm_everything`, see #12."
    assert analysis(*both, text=text) == []
    assert [claim.literal for claim in analysis(*both, text=text, kind=Kind.ADVICE)] == [
        "rm_everything"
    ]


@pytest.mark.parametrize("length", [500_000, pytest.param(5_000_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("signs", ["`", "[@", "+", "1,", "a/", "_", "“ ", "a"])
def test_floods_of_signs_end_soon(signs: str, length: int) -> None:
    flood = make_commit(patch="@@ -0,0 +1 @@\n+" + signs * (length // len(signs)))
    # What grows with the square of the length takes minutes for either.
    with within(seconds=length / 1_000_000):
        analysis(flood, text=signs * (length // 5))
        assert len(analysis(flood, text="It sets `use_graph=1` to 77 on `SM100`.")) >= 3
