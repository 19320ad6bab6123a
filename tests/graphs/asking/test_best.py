"""Where no commit has everything that a question says, the one that clearly fits best answers, and that is said."""

from collections.abc import Awaitable, Callable

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


async def test_the_commit_that_fits_best_is_the_answer(ask: Ask, history: dict[str, str]) -> None:
    reply = await ask("long prompts with prefix caching and a slow client: no block is reused, who mended that?")
    assert not reply.abstained
    assert reply.cites == (f"lumen-ai/code@{history['caching']}",)
    assert "Bo Chen" in reply.answer
    assert "this is what fits it best" in reply.answer


async def test_one_shared_word_is_no_answer(ask: Ask) -> None:
    reply = await ask("who taught the gateway to log its certificates over gRPC?")
    assert reply.abstained


@pytest.mark.parametrize(
    ("question", "unsaid"),
    [
        ("what does #2 do, and why?", "Neither the commit nor its pull request gives a reason."),
        ("#2 是干嘛的？为什么要这么改", "都没有说明原因"),
    ],
)
async def test_what_a_change_does_is_told_though_nobody_says_why(ask: Ask, question: str, unsaid: str) -> None:
    reply = await ask(question)
    assert not reply.abstained
    assert unsaid in reply.answer
    assert "MAX_QUEUE" in reply.answer


async def test_a_reason_alone_that_nobody_gives_is_no_answer(ask: Ask) -> None:
    assert (await ask("why was #2 merged?")).abstained


@pytest.mark.parametrize(
    "question",
    ["what does #3 do? I always thought that MAX_QUEUE had been removed.", "#3 是干啥的？我以为 MAX_QUEUE 早就删了。"],
)
async def test_what_a_change_does_is_told_whatever_somebody_believes(
    ask: Ask, history: dict[str, str], question: str
) -> None:
    reply = await ask(question)
    assert not reply.abstained
    assert reply.cites == (f"lumen-ai/code@{history['raise']}",)


async def test_what_is_said_of_the_change_itself_is_still_held_against_it(ask: Ask) -> None:
    assert (await ask("why did #3 remove MAX_QUEUE?")).abstained
