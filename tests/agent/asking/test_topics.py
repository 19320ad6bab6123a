"""The words of a topic, each with what is as good as it."""

import pytest

from agent.asking.saying import said_in
from agent.asking.topics import terms_of


def test_a_name_with_a_number_is_another_thing_with_another_number() -> None:
    terms = terms_of("which commit is for Gemma 4")

    assert said_in("Support gemma-4 models", terms) == {"Gemma 4"}
    assert said_in("Support Gemma4", terms) == {"Gemma 4"}
    assert not said_in("Support Gemma 3 with 4 heads", terms)
    assert not said_in("Support gemma-40", terms)
    assert said_in("Support Gemma4", terms_of("is gemma 4 in")) == {"gemma 4"}


@pytest.mark.parametrize(
    ("rest", "title"),
    [
        ("nemotron-h", "[NemotronH] Do not force the router"),
        ("dsv3.2", "[V3.2] Change the split method"),
        ("插帧", "implement frame interpolation using RIFE"),
        ("the illegal-memory-access", "Fix IMA in the fused kernel"),
        ("context-parallel", "Change how CP splits tokens"),
        ("64-bit strides", "Use int64 for the pitch"),
        ("重构", "Restruct and clean the kernels"),
    ],
)
def test_words_are_found_as_titles_write_them(rest: str, title: str) -> None:
    assert said_in(title, terms_of(rest))


def test_the_words_of_an_act_are_no_topic() -> None:
    assert [term.said for term in terms_of("who backed it out of the router")] == ["router"]


def test_the_initials_of_a_name_with_a_hyphen_are_no_name() -> None:
    assert not said_in("Plot the ITL of each request", terms_of("what landed in Tensorrt-LLM during March"))


def test_a_kind_of_hole_is_not_any_hole() -> None:
    assert said_in("Fix SSRF in the proxy", terms_of("vulnerability"))
    assert not said_in("Patch protobuf for a CVE", terms_of("SSRF"))
