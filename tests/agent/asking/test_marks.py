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
