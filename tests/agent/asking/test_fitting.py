"""The commit that clearly fits a question best is known from those that share a word with it."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.asking.fitting import all_words, fit, foremost, may_fit, side_by_side, speaks_of_another
from agent.asking.understanding import Setting, understand
from agent.card import Card
from agent.ids import RepoId

REPO = RepoId("acme/engine")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SETTING = Setting(repos=(REPO,), now=NOW, tz="UTC")
SYMPTOM = "our metrics jsonl is garbled when two writers meet at midnight, mended?"
FIX = "Fix corrupted jsonl metrics file due to concurrent writers"


def _fits(question: str, *titles: str, old: timedelta = timedelta(days=1), rare: float = 1.0) -> list[str]:
    """Give the titles of the commits that fit a question best."""
    terms = all_words(understand(question, SETTING))
    weights = {term.said: rare for term in terms}
    cards = [
        Card(repo=REPO, sha=f"{place:040x}", at=NOW - old * place, author="Ada", title=title, message=title)
        for place, title in enumerate(titles, start=1)
    ]
    return [one.card.title for one in foremost([fit(card, terms, weights, NOW) for card in cards])]


def test_the_commit_that_is_clearly_ahead_is_found() -> None:
    assert _fits(SYMPTOM, "Add a metrics page", FIX, "Rename a test") == [FIX]


def test_where_many_fit_as_well_none_is_the_best() -> None:
    others = [f"{act} corrupted jsonl metrics writers" for act in ("Log", "Test", "Count", "Document")]
    assert _fits(SYMPTOM, *others) == []


def test_of_two_readings_of_a_question_both_are_given() -> None:
    readings = ["Fix garbled jsonl metrics of two writers", "Mend garbled jsonl metrics when two writers meet"]
    assert set(_fits(SYMPTOM, *readings)) == set(readings)


def test_one_word_is_not_enough() -> None:
    assert _fits("who broke the metrics?", "Add a metrics page") == []


def test_a_commit_that_has_little_of_the_question_does_not_fit() -> None:
    asked = "the tokenizer of qwen drops spaces behind chinese commas in streamed replies since monday"
    assert _fits(asked, "Cache the tokenizer of qwen") == []


def test_who_tells_of_troubles_at_length_asks_no_more_than_others() -> None:
    told = "We moved our cluster over the weekend and since then the operators see alerts all night, pagers ring. "
    assert _fits(f"{told}{SYMPTOM}", "Add a metrics page", FIX, rare=4.0) == [FIX]


def test_a_name_is_known_by_its_parts() -> None:
    asked = "does generation_config.json with max_tokens still cap a request?"
    title = "Treat max tokens of the generation config as default, not as cap"
    assert _fits(asked, "Cap the log", title) == [title]


def test_what_was_done_counts_in_both_languages() -> None:
    titles = ["Remove the jsonl metrics writer", "Document the jsonl metrics writer"]
    assert _fits("jsonl metrics writer 为什么被删除了？", *titles)[:1] == titles[:1]


def test_what_undid_a_commit_is_no_rival_of_it() -> None:
    asked = "the jit kernel for 8bit group quant got pulled, is it in now?"
    titles = ["Support 8bit group quant jit kernel (#12)", 'Revert "Support 8bit group quant jit kernel (#12)" (#13)']
    assert set(_fits(asked, *titles)) == set(titles)


def test_of_two_that_fit_alike_the_old_one_falls_behind() -> None:
    alike = "Fix half lines of the jsonl metrics export"
    others = (alike, "Fix half lines of the jsonl metrics page")
    assert _fits("jsonl metrics export writes half lines", *others, old=timedelta(days=400)) == [alike]


@pytest.mark.parametrize(
    "question", ["what does #12 do?", "how many commits touch the jsonl metrics?", "what changed?"]
)
def test_a_question_that_one_commit_cannot_answer_is_not_answered_by_one(question: str) -> None:
    assert not may_fit(understand(question, SETTING))


def test_words_side_by_side_are_taken_for_a_name_and_common_ones_are_not() -> None:
    pairs = side_by_side("What does the performance mode knob change, and why?")
    assert [pair.said for pair in pairs] == ["performance mode", "mode knob"]
    assert pairs[0].forms == ("performance-mode",)


def test_a_model_is_known_by_the_number_of_its_version() -> None:
    asked = "DeepSeek V3.2 with context-parallel prefill: which default changed?"
    title = "[V3.2] Change default CP token split of the prefill"
    assert _fits(asked, "Log the prefill of GLM", title) == [title]


@pytest.mark.parametrize(
    ("question", "title", "another"),
    [
        ("which PR adds a gemini compatible endpoint?", "Add Anthropic compatible API endpoint", True),
        ("which PR adds an Anthropic compatible endpoint?", "Add Anthropic compatible API endpoint", False),
        ("the NCCL port sits above the HTTP port. What changed?", "Use ephemeral nccl port via get_free_port()", False),
    ],
)
def test_another_name_in_the_place_of_one_is_another_thing(question: str, title: str, another: bool) -> None:
    assert speaks_of_another(title, understand(question, SETTING)) is another
