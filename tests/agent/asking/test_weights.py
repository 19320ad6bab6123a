"""What a word says about the topic of a question depends on how rare it is, and on what kind of word it is."""

import math

import pytest

from agent.asking.ordinary import is_english, is_ordinary
from agent.asking.topics import terms_of
from agent.asking.weights import weights


def _weighed(question: str, **rare: float) -> dict[str, float]:
    return weights(terms_of(question), lambda forms: rare.get(forms[0], math.inf))


def test_rare_words_say_more_than_common_ones() -> None:
    weighed = _weighed("router cache", router=1.0, cache=3.0)
    assert weighed["cache"] > weighed["router"]


def test_everyday_words_that_nobody_wrote_say_nothing() -> None:
    assert _weighed("remember the router", router=2.0)["remember"] == 0.0


def test_a_name_that_nobody_wrote_says_the_most() -> None:
    weighed = _weighed("router for TensorRT", router=2.0)
    assert weighed["TensorRT"] > weighed["router"]


def test_what_was_done_in_words_that_nobody_wrote_says_less_than_to_what() -> None:
    weighed = _weighed("router refurbished gateway", router=2.0)
    assert weighed["refurbished"] < weighed["gateway"]


@pytest.mark.parametrize("word", ["talking", "reached", "altered", "remember", "brought"])
def test_everyday_words_are_known_in_their_forms(word: str) -> None:
    assert is_ordinary(word)


@pytest.mark.parametrize("word", ["router", "cache", "attention", "latency", "scheduler", "outlines"])
def test_words_of_the_trade_are_not_everyday_words(word: str) -> None:
    assert not is_ordinary(word)


@pytest.mark.parametrize(("word", "other"), [("flaky", "unstable"), ("docs", "documentation"), ("heartbeat", "心跳")])
def test_a_word_is_found_by_those_that_stand_for_it(word: str, other: str) -> None:
    (term,) = terms_of(word)
    assert other in term.forms


@pytest.mark.parametrize("word", ["readiness", "compatible", "validation", "launcher", "tensor"])
def test_words_are_known_from_names(word: str) -> None:
    assert is_english(word)


@pytest.mark.parametrize("word", ["gemini", "mistral", "flashinfer", "modelscope", "int4", "CUDA"])
def test_names_are_known_from_words(word: str) -> None:
    assert not is_english(word)


def test_a_name_without_capitals_that_nobody_wrote_says_the_most_too() -> None:
    weighed = _weighed("gemini compatible endpoint", compatible=3.0, endpoint=3.0)
    assert weighed["gemini"] > weighed["compatible"] + weighed["endpoint"]


def test_words_are_found_by_what_they_are_called_in_short() -> None:
    forms = {term.said: term.forms for term in terms_of("the illegal memory access under tensor parallel")}
    assert "ima" in forms["access"]
    assert "tp" in forms["tensor"]
