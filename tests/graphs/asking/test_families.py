"""What several names begin with stands for all of them."""

from collections.abc import Awaitable, Callable

import pytest

from agent.asking.reply import Reply

Ask = Callable[[str], Awaitable[Reply]]


@pytest.mark.parametrize(
    "question",
    [
        "who removed the LUMEN_POOL_* variables?",
        "who removed the variables starting with LUMEN_POOL_?",
        "LUMEN_POOL_ 开头的环境变量怎么没了？谁改的？",
        "谁删掉了以 LUMEN_POOL_ 开头的环境变量？",
    ],
)
async def test_every_name_that_begins_so_is_meant(ask: Ask, history: dict[str, str], question: str) -> None:
    reply = await ask(question)
    assert not reply.abstained
    assert reply.cites == (f"lumen-ai/code@{history['no variables']}",)
    assert "LUMEN_POOL_BIG" in reply.answer
    assert "LUMEN_POOL_SMALL" in reply.answer
    assert "Cem" in reply.answer


async def test_a_family_that_nothing_happened_to_is_not_answered_with_another(ask: Ask) -> None:
    assert (await ask("who removed the LUMEN_CACHE_* variables?")).abstained


async def test_names_that_nothing_here_begins_like_are_an_example(ask: Ask, history: dict[str, str]) -> None:
    reply = await ask("my ACME_ variables: who cleaned up the pool?")
    assert reply.cites == (f"lumen-ai/code@{history['no variables']}",)
