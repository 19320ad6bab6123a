"""Questions about what became of something follow it to its end."""

from collections.abc import Awaitable, Callable

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


@pytest.mark.parametrize("question", ["what happened to fast_path?", "fast_path 后来怎么样了"])
async def test_what_was_undone_is_told_with_what_undid_it(ask: Ask, history: dict[str, str], question: str) -> None:
    reply = await ask(question)
    assert {f"lumen-ai/code@{history[name]}" for name in ("fast", "undo")} <= set(reply.cites)


@pytest.mark.parametrize("question", ["why was #6 reverted?", "为什么撤销了 fast_path"])
async def test_the_reason_of_a_revert_is_what_it_says_itself(ask: Ask, question: str) -> None:
    reply = await ask(question)
    assert "hangs on two nodes" in reply.answer


@pytest.mark.parametrize(
    ("question", "inside"),
    [("is the prefix caching fix in v1.0.0?", True), ("v1.0.0 里有 MAX_QUEUE 降到 128 的改动吗", False)],
)
async def test_a_release_has_what_its_tag_contains(ask: Ask, question: str, inside: bool) -> None:
    reply = await ask(question)
    assert not reply.abstained
    assert ("Yes" in reply.answer) is inside
    assert ("没有" in reply.answer) is not inside


@pytest.mark.parametrize("question", ["which release contains #4?", "#4 进了哪个版本"])
async def test_the_release_comes_first_where_it_is_asked(ask: Ask, question: str) -> None:
    reply = await ask(question)
    assert "v1.0.0" in reply.answer.splitlines()[0]


async def test_a_quiet_time_shows_what_landed_before_it(ask: Ask, history: dict[str, str]) -> None:
    reply = await ask("what landed on 2026-03-15?")
    assert reply.abstained
    assert reply.cites == (f"lumen-ai/code@{history['lower']}",)


@pytest.mark.parametrize("question", ["who writes the best code?", "谁的代码质量最高"])
async def test_opinions_are_not_given(ask: Ask, question: str) -> None:
    assert (await ask(question)).abstained


@pytest.mark.parametrize("question", ["which commit brought the fast path back?", "fast path 是哪个提交重新合入的？"])
async def test_what_never_came_back_is_not_answered_with_what_landed_later(ask: Ask, question: str) -> None:
    assert (await ask(question)).abstained


async def test_what_only_shares_a_file_with_something_reverted_was_not_reverted(ask: Ask) -> None:
    assert (await ask("why was prefix caching reverted?")).abstained
