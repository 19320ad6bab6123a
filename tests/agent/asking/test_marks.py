"""What a question names outright is taken from it whole."""

import pytest

from agent.asking.marks import marks_of
from agent.ids import RepoId

KNOWN = (RepoId("lumen-ai/tensorforge"), RepoId("lumen-ai/swiftserve"))


@pytest.mark.parametrize(
    "text", ["tensorforge#69 是谁修的", "is tensorforge #69 fixed?", "tensorforge's PR #69", "tensorforge 的 issue #69"]
)
def test_a_number_belongs_to_the_repository_before_it(text: str) -> None:
    marks = marks_of(text, KNOWN)
    assert marks.homes == ((69, "lumen-ai/tensorforge"),)
    assert marks.numbers == (69,)


def test_a_number_by_itself_belongs_to_nobody() -> None:
    assert marks_of("is #69 fixed in swiftserve?", KNOWN).homes == ()


@pytest.mark.parametrize(
    "name", ["kTileKv", "max_num_seqs", "PrefixCache", "[Bugfix]", "DeepSeek V3.2", "--enable-lora"]
)
def test_names_are_taken_as_they_stand(name: str) -> None:
    assert name in marks_of(f"who changed {name} last week", KNOWN).names


@pytest.mark.parametrize("word", ["LoRA", "MoE", "vLLM"])
def test_words_with_capitals_inside_are_no_names_of_code(word: str) -> None:
    assert marks_of(f"what changed in {word}?", KNOWN).names == ()


@pytest.mark.parametrize(
    "text", ["what does tensorforge 251 do?", "tensorforge 251 - what is it", "讲讲 tensorforge 251 干了啥"]
)
def test_a_plain_number_behind_a_repository_is_one_of_its_threads(text: str) -> None:
    assert marks_of(text, KNOWN).homes == ((251, "lumen-ai/tensorforge"),)


@pytest.mark.parametrize("text", ["did tensorforge 12 days ago", "tensorforge 合了 12 个提交", "tensorforge 0.5.0"])
def test_an_amount_behind_a_repository_is_no_thread(text: str) -> None:
    assert marks_of(text, KNOWN).numbers == ()


def test_numbers_go_on_behind_an_and() -> None:
    assert marks_of("PR 263 claims to close 251 and 252.", KNOWN).numbers == (263, 251, 252)


@pytest.mark.parametrize(
    ("text", "version"), [("on torch 5.x", "5"), ("flashinfer 0.7.x", "0.7"), ("moved to CUDA 14", "14")]
)
def test_versions_may_be_told_in_part(text: str, version: str) -> None:
    assert marks_of(text, KNOWN).versions == (version,)


def test_the_number_of_any_part_of_a_series_is_no_name() -> None:
    assert marks_of("list the [XPU][n/N] series (x/N)", KNOWN).names == ("[XPU]",)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what became of SWIFT_QUEUE_*?", "SWIFT_QUEUE_"),
        ("SWIFT_FP8_ 开头的环境变量", "SWIFT_FP8_"),
        ("以 SWIFT_ 开头的环境变量", "SWIFT_"),
        ("which flags starting with --moe were added?", "--moe-"),
        ("flags that begin with --moe-", "--moe-"),
        ("is `SWIFT_FP8_*` gone?", "SWIFT_FP8_"),
    ],
)
def test_names_may_be_told_by_what_they_begin_with(text: str, name: str) -> None:
    assert marks_of(text, KNOWN).names == (name,)
