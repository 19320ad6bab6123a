"""The commit that clearly fits a question best is known from those that share a word with it."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.asking.fitting import as_words, foremost, may_fit
from agent.asking.inquiry import Inquiry
from agent.asking.matching import Match, match
from agent.asking.understanding import Setting, understand
from agent.card import Card
from agent.ids import RepoId

REPO = RepoId("acme/engine")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SETTING = Setting(repos=(REPO,), now=NOW, tz="UTC")
SYMPTOM = "our metrics jsonl is garbled when two writers meet at midnight, mended?"
FIX = "Fix corrupted jsonl metrics file due to concurrent writers"


def _asked(question: str) -> Inquiry:
    return as_words(understand(question, SETTING))


def _matches(inquiry: Inquiry, *titles: str, old: timedelta = timedelta(days=1)) -> list[Match]:
    cards = [
        Card(repo=REPO, sha=f"{place:040x}", at=NOW - old * place, author="Ada", title=title, message=title)
        for place, title in enumerate(titles, start=1)
    ]
    return [match(card, inquiry, {}) for card in cards]


def _titles(matches: list[Match]) -> list[str]:
    return [one.card.title for one in matches]


def test_the_commit_that_is_clearly_ahead_is_found() -> None:
    asked = _asked(SYMPTOM)
    matches = _matches(asked, "Add a metrics page", FIX, "Rename a test")
    assert _titles(foremost(matches, asked, NOW)) == [FIX]


def test_where_others_fit_as_well_none_is_the_best() -> None:
    asked = _asked(SYMPTOM)
    matches = _matches(asked, FIX, "Count writers of the jsonl metrics file")
    assert foremost(matches, asked, NOW) == []


def test_one_word_is_not_enough() -> None:
    asked = _asked("who broke the metrics?")
    assert foremost(_matches(asked, "Add a metrics page"), asked, NOW) == []


def test_a_commit_that_has_little_of_the_question_does_not_fit() -> None:
    asked = _asked("the tokenizer of qwen drops spaces behind chinese commas in streamed replies since monday")
    assert foremost(_matches(asked, "Cache the tokenizer of qwen"), asked, NOW) == []


def test_what_undid_a_commit_is_no_rival_of_it() -> None:
    asked = _asked("the jit kernel for 8bit group quant got pulled, is it in now?")
    titles = ["Support 8bit group quant jit kernel (#12)", 'Revert "Support 8bit group quant jit kernel (#12)" (#13)']
    assert _titles(foremost(_matches(asked, *titles), asked, NOW)) == titles


def test_of_two_that_fit_alike_the_old_one_falls_behind() -> None:
    asked = _asked("jsonl metrics export writes half lines")
    alike = "Fix half lines of the jsonl metrics export"
    matches = _matches(asked, alike, "Fix half lines of the jsonl metrics page", old=timedelta(days=400))
    assert _titles(foremost(matches, asked, NOW)) == [alike]


@pytest.mark.parametrize(
    "question", ["what does #12 do?", "how many commits touch the jsonl metrics?", "what changed?"]
)
def test_a_question_that_one_commit_cannot_answer_is_not_answered_by_one(question: str) -> None:
    assert not may_fit(understand(question, SETTING))
