"""What is asked of several repositories is answered of each by itself."""

from collections.abc import Awaitable, Callable

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


@pytest.mark.parametrize(
    "question",
    [
        "Whisper models: what did each of the two projects gain for them? I need to pick one for a call-centre job.",
        "whisper 这块两个项目分别加了什么？",
        "code 和 tools 各自给 whisper 加了什么？",
    ],
)
async def test_the_best_of_one_does_not_hide_that_of_the_other(ask_two: Ask, question: str) -> None:
    reply = await ask_two(question)
    assert not reply.abstained
    assert {cite.partition("@")[0] for cite in reply.cites} == {"lumen-ai/code", "lumen-ai/tools"}


async def test_a_repository_that_has_nothing_on_it_is_named(ask_two: Ask) -> None:
    reply = await ask_two("what did each of the two projects do about gRPC tracing?")
    assert {cite.partition("@")[0] for cite in reply.cites} == {"lumen-ai/code"}
    assert "Of lumen-ai/tools, nothing that was read answers this." in reply.answer
