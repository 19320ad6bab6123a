"""Questions about values get the commit that set them, and the truth where they are mistaken."""

from collections.abc import Awaitable, Callable

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


@pytest.mark.parametrize("question", ["who set MAX_QUEUE to 256?", "谁把 MAX_QUEUE 改成 256 的"])
async def test_the_value_picks_the_commit(ask: Ask, history: dict[str, str], question: str) -> None:
    reply = await ask(question)
    assert reply.cites == (f"lumen-ai/code@{history['raise']}",)


@pytest.mark.parametrize("question", ["how often did MAX_QUEUE change?", "MAX_QUEUE 改过几次"])
async def test_how_often_counts_the_times(ask: Ask, history: dict[str, str], question: str) -> None:
    reply = await ask(question)
    assert set(reply.cites) == {f"lumen-ai/code@{history[name]}" for name in ("raise", "lower")}
    assert "2" in reply.answer.splitlines()[0]


@pytest.mark.parametrize("question", ["who raised MAX_QUEUE from 256 to 64?", "谁把 MAX_QUEUE 从 256 降到 64 的"])
async def test_a_change_the_wrong_way_round_is_corrected(ask: Ask, question: str) -> None:
    reply = await ask(question)
    assert reply.abstained
    assert "256" in reply.answer


@pytest.mark.parametrize("question", ["which version of torch does it pin?", "torch 升到哪个版本了"])
async def test_the_version_of_a_dependency_is_no_release_of_the_repository(
    ask: Ask, history: dict[str, str], question: str
) -> None:
    reply = await ask(question)
    assert reply.cites == (f"lumen-ai/code@{history['torch']}",)
    assert "2.10.0" in reply.answer
    assert "v1.0.0" not in reply.answer


@pytest.mark.parametrize("question", ["which commit bumped torch to 2.12?", "哪个提交把 torch 升到 2.12 的"])
async def test_a_version_that_nothing_was_moved_to_is_corrected(ask: Ask, question: str) -> None:
    reply = await ask(question)
    assert reply.abstained
    assert "2.10.0" in reply.answer


@pytest.mark.parametrize(
    "question",
    [
        "which commit took us to torch 2.11?",
        "when was torch 2.10.0 bumped a second time?",
        "why did Cem raise MAX_QUEUE?",
        "who removed fast caching?",
        "when was MAX_QUEUE renamed?",
        "which reviewer approved #3?",
    ],
)
async def test_what_did_not_happen_is_not_answered(ask: Ask, question: str) -> None:
    assert (await ask(question)).abstained


async def test_a_default_is_not_told_by_a_commit_that_changes_none(ask: Ask) -> None:
    assert (await ask("what default of the prefix log should I look out for?")).abstained


@pytest.mark.parametrize("question", ["prefix caching for long prompts was fixed: which CVE is that?"])
async def test_the_number_of_a_vulnerability_that_nobody_names_is_no_answer(ask: Ask, question: str) -> None:
    assert (await ask(question)).abstained
