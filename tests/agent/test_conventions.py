"""First lines as real projects write them."""

import pytest

from agent.conventions import Purpose, read_heading

FIX, FEATURE, TESTS, CI, DOCS = Purpose.FIX, Purpose.FEATURE, Purpose.TESTS, Purpose.CI, Purpose.DOCS


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("[Bugfix] Fix ubatch wrapper num_tokens calculate (#33694)", FIX),
        ("fix(mask)!: align the causal mask", FIX),
        ("[Bug Fix] Wrong device", FIX),
        ("KV Cache Events with Attention DP bug fix (#16030)", FIX),
        ("hdim 192 smem fix (#2235)", FIX),
        ("修复小显存下的卡死", FIX),
        ('Revert "[Perf] fuse q, k norm" (#17332)', Purpose.REVERT),
        ("[Frontend][Core] Revert some timeout", Purpose.REVERT),
        ("Undo the fix of the tuner", Purpose.REVERT),
        ("feat: Support Fused MoE", FEATURE),
        ("[New Model] HyperCLOVAX", FEATURE),
        ("use ORJSONResponse to improve the efficiency of requests", Purpose.PERFORMANCE),
        ("v4.4.1 update (#3079)", Purpose.RELEASE),
        ("Bump version to 0.6.3", Purpose.RELEASE),
        ("Upgrade h11 for CVE-2025-43859", Purpose.DEPENDENCY),
        ("[Deprecation] Remove `_get_data_parser`", Purpose.DEPRECATION),
        ("[CI/Build][Bugfix] Pin the runner", CI),
        ("[CI Failure] fix the eval job", CI),
        ("fix typo (#3012)", DOCS),
        ("Migrate performance, accuracy, and quantization tests to CI registry", None),
        ("[Kernel] Split the loop", None),
    ],
)
def test_a_line_says_first_what_it_is_for(line: str, first: Purpose | None) -> None:
    assert next(iter(read_heading(line).purposes), None) is first


@pytest.mark.parametrize(
    ("line", "not_meant"),
    [
        ("Support rollback of speculative tokens", Purpose.REVERT),
        ("feat: Support Fused MoE non gated Relu2", Purpose.PERFORMANCE),
        ("refactor: reduce compilation time and fix docstring.", FIX),
        ("[Misc] fix typo: homogenous -> homogeneous", FIX),
        ("[Bugfix] Fix audio-in-video support", FEATURE),
        ('Revert "[Perf] Add a faster path"', FEATURE),
        ('Revert "[Perf] Add a faster path"', Purpose.PERFORMANCE),
    ],
)
def test_a_word_in_passing_is_no_purpose(line: str, not_meant: Purpose) -> None:
    assert not_meant not in read_heading(line).purposes


@pytest.mark.parametrize("line", ["Upgrade h11 for CVE-2025-43859", "[Core] Fix GHSA-3f5c-9xqm-2v8p in the loader"])
def test_a_hole_is_told_wherever_it_stands_in_the_line(line: str) -> None:
    assert Purpose.SECURITY in read_heading(line).purposes


@pytest.mark.parametrize(
    ("line", "breaking"),
    [
        ("feat!: drop the old router", True),
        ("[Breaking] Rename the flag", True),
        ("[不兼容] 删除旧参数", True),
        ("non-breaking: rename a local", False),
        ("Fix line breaking in logs", False),
        ("Fix a thing", False),
    ],
)
def test_the_author_may_mark_what_breaks(line: str, breaking: bool) -> None:
    assert read_heading(line).breaking is breaking


def test_tags_parts_and_words_are_taken_apart() -> None:
    heading = read_heading("[XPU][2/N] add unquantized moe for xpu (#33659)")
    assert heading.tags == ("XPU",)
    assert heading.part == (2, None)
    assert heading.words == "add unquantized moe for xpu"
    assert heading.declared == ()
    assert heading.purposes == (FEATURE,)


def test_what_is_declared_is_told_from_what_is_mentioned() -> None:
    heading = read_heading("chore/feat: benchmark; add routed counterpart")
    assert heading.declared == (Purpose.CHORE, FEATURE)
    assert read_heading("Add a test").declared == ()


@pytest.mark.parametrize(
    "line", ["", "   ", "[]", "[[[[", "(((", "!:", "🚀🚀", "a" * 5000, "[x" * 3000, "fix" + " a" * 4000]
)
def test_any_line_can_be_read(line: str) -> None:
    read_heading(line)
