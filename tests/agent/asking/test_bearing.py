"""Whether one fact or one sentence of a commit bears out what a question takes for granted."""

from datetime import UTC, datetime

import pytest

from agent.asking.bearing import bears_out
from agent.asking.inquiry import Act
from agent.asking.matching import match
from agent.asking.understanding import Setting, understand
from agent.card import Card
from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId

REPO = RepoId("acme/engine")
SETTING = Setting(repos=(REPO,), now=datetime(2026, 3, 1, tzinfo=UTC), tz="UTC")


def _card(title: str, body: str = "", facts: tuple[Fact, ...] = ()) -> Card:
    at = datetime(2026, 2, 1, tzinfo=UTC)
    message = f"{title}\n\n{body}".strip()
    return Card(repo=REPO, sha="a" * 40, at=at, author="Ada", title=title, message=message, facts=facts)


def _bears(question: str, card: Card, act: Act) -> bool:
    inquiry = understand(question, SETTING)
    assert act in inquiry.acts
    return bears_out(match(card, inquiry, {}), act, inquiry)


def _fact(kind: FactKind, name: str, old: str | None = None, new: str | None = None) -> Fact:
    return Fact(kind=kind, severity=Severity.BEHAVIOUR, name=name, old=old, new=new)


@pytest.mark.parametrize(
    ("question", "title", "act", "borne"),
    [
        ("Who removed the --no-probe option?", "Remove the --no-probe option", Act.REMOVED, True),
        ("Who removed the --no-probe option?", "Add a --no-probe option to skip health probes", Act.REMOVED, False),
        ("When was the glm4 tool parser deleted?", "Avoid a crash in the glm4 tool parser", Act.REMOVED, False),
        ("When was the glm4 tool parser deleted?", "The glm4 tool parser is removed", Act.REMOVED, True),
        ("Why was the hip sampler enabled?", "Disable the hip sampler on ROCm", Act.ENABLED, False),
        ("为什么关掉 hip sampler？", "Disable the hip sampler on ROCm", Act.DISABLED, True),
    ],
)  # fmt: skip
def test_a_verb_bears_out_an_act_on_its_object_alone(question: str, title: str, act: Act, *, borne: bool) -> None:
    assert _bears(question, _card(title), act) is borne


def test_words_that_stand_in_different_sentences_bear_nothing_out() -> None:
    card = _card("Rework the cache", "Remove dead branches.\nThe glm4 tool parser gets a test.")
    assert not _bears("When was the glm4 tool parser deleted?", card, Act.REMOVED)


def test_a_member_that_went_is_not_the_thing_itself() -> None:
    card = _card("Clean up", facts=(_fact(FactKind.SYMBOL_REMOVED, "Glm4ToolParser.reset"),))
    assert not _bears("When was the glm4 tool parser deleted?", card, Act.REMOVED)


def test_a_number_that_rose_was_not_lowered() -> None:
    card = _card("Tune limits", facts=(_fact(FactKind.LIMIT_CHANGED, "MAX_ROUTES", "8", "22"),))
    assert _bears("Who raised MAX_ROUTES to 22?", card, Act.RAISED)
    assert not _bears("Who lowered MAX_ROUTES to 8?", card, Act.LOWERED)
    assert not _bears("Who raised MAX_ROUTES to 40?", card, Act.RAISED)


def test_who_signed_a_commit_says_nothing_of_its_topic() -> None:
    inquiry = understand("which commit added the anthropic endpoint?", SETTING)
    card = _card("Add --top-k to the benchmark", "Co-authored-by: Helper <noreply@anthropic.com>")
    assert match(card, inquiry, {}).covered == 0


def test_what_goes_in_a_renaming_was_renamed() -> None:
    gone = (_fact(FactKind.SYMBOL_REMOVED, "Envs.POOL_QUEUED_TIMEOUT_MS"),)
    question = "POOL_QUEUED_TIMEOUT_MS was renamed, what is the new name?"
    assert _bears(question, _card("Rename the timeout variables", facts=gone), Act.RENAMED)
    assert not _bears(question, _card("Clean up the timeout variables", facts=gone), Act.RENAMED)
    assert not _bears(question, _card("Rename the router", facts=gone), Act.RENAMED)
