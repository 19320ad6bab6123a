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
async def test_the_reason_of_a_revert_is_what_it_says_itself_and_comes_first(ask: Ask, question: str) -> None:
    reply = await ask(question)
    lines = [line for line in reply.answer.splitlines() if line.startswith("  - ")]
    assert "hangs on two nodes" in lines[0]


@pytest.mark.parametrize(
    "question", ["what does #6 do?", "Is #6 really in? I heard it got backed out.", "#6 是干什么的？"]
)
async def test_whoever_asks_for_a_change_hears_that_it_was_undone(
    ask: Ask, history: dict[str, str], question: str
) -> None:
    reply = await ask(question)
    assert {f"lumen-ai/code@{history[name]}" for name in ("fast", "undo")} <= set(reply.cites)


@pytest.mark.parametrize("question", ["LUMEN_FAST does nothing any more. What replaced it?", "LUMEN_FAST 换成什么了？"])
async def test_what_came_for_something_that_went_is_told_with_it(ask_flags: Ask, question: str) -> None:
    reply = await ask_flags(question)
    assert not reply.abstained
    assert "`--fast-backend`" in reply.answer


async def test_an_issue_that_nobody_could_read_is_known_by_the_commits_that_name_it(ask_flags: Ask) -> None:
    reply = await ask_flags("is issue #40 fixed?")
    assert not reply.abstained
    assert "#40 itself was not read." in reply.answer
    assert "slots leaked" in reply.answer
    assert (await ask_flags("is issue #4 fixed?")).abstained


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
