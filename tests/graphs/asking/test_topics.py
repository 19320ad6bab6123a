"""Questions about a topic get what is about it, and nothing that merely shares a word."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


@pytest.mark.parametrize("question", ["what changed in prefix caching?", "prefix caching 有什么改动"])
async def test_words_side_by_side_are_one_thing(ask: Ask, history: dict[str, str], question: str) -> None:
    reply = await ask(question)
    assert reply.cites == (f"lumen-ai/code@{history['caching']}",)


@pytest.mark.parametrize("question", ["who changed evict?", "谁改过 evict()"])
async def test_a_function_is_found_by_the_hunks_that_lie_in_it(
    ask: Ask, history: dict[str, str], question: str
) -> None:
    reply = await ask(question)
    assert f"lumen-ai/code@{history['caching']}" in reply.cites
    assert "Bo Chen" in reply.answer


async def test_a_reason_is_given_in_the_words_of_the_commit(ask: Ask) -> None:
    reply = await ask("why was prefix caching fixed?")
    assert "Eviction kept the newest block" in reply.answer
    assert not reply.abstained


async def test_each_commit_is_linked_once(ask: Ask, history: dict[str, str]) -> None:
    reply = await ask("when did MAX_QUEUE change?")
    assert reply.answer.count(f"/commit/{history['raise']}") == 1


@pytest.mark.parametrize("question", ["what changed in vllm's scheduler?", "vllm 的调度器改了什么"])
async def test_a_repository_that_is_not_at_hand_is_named_as_such(ask: Ask, question: str) -> None:
    reply = await ask(question)
    assert reply.abstained
    assert "`vllm`" in reply.answer


@pytest.mark.parametrize("question", ["which commit has drop_oldest?", "drop_oldest 是哪个提交用上的"])
async def test_a_name_is_found_on_changed_lines(ask: Ask, history: dict[str, str], question: str) -> None:
    reply = await ask(question)
    assert f"lumen-ai/code@{history['caching']}" in reply.cites


async def test_changed_lines_are_shown_where_no_fact_tells_what_was_done(ask: Ask) -> None:
    reply = await ask("prefix caching for long prompts: what exactly was replaced by what?")
    assert "self.drop_oldest()" in reply.answer


async def test_everyday_words_do_not_hide_the_topic(ask: Ask, history: dict[str, str]) -> None:
    reply = await ask("I vaguely remember somebody talking about prefix caching, whose work was that?")
    assert reply.cites == (f"lumen-ai/code@{history['caching']}",)
    assert "Bo Chen" in reply.answer


@pytest.mark.parametrize(
    "question",
    ["how many commits did Dora Weiss land since 2026-02-16?", "Dora Weiss 自 2026-02-16 以来合入了几个提交？"],
)
async def test_what_is_counted_of_a_person_is_shown_however_much_landed_since(
    ask_long: Ask, long_history: tuple[Path, str], question: str
) -> None:
    reply = await ask_long(question)
    assert reply.answer.startswith("1 ")
    assert long_history[1][:7] in reply.answer
