"""How many questions may be under way at once, by how a server answers."""

import asyncio

import pytest

from agent.prompting import ModelError
from tools.chat.endpoint import Concurrency


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def ask(
    limit: Concurrency, clock: Clock, seconds: float, error: ModelError | None = None
) -> None:
    async with limit.enter():
        clock.now += seconds
        if error is not None:
            raise error


async def test_a_server_that_slows_down_or_fails_is_asked_less_at_once() -> None:
    clock = Clock()
    limit = Concurrency(first=8, clock=clock)
    await ask(limit, clock, 1.0)
    await ask(limit, clock, 10.0)
    assert limit.open == 9
    with pytest.raises(ModelError):
        await ask(limit, clock, 1.0, ModelError("limited", retryable=True))
    assert limit.open == 4
    with pytest.raises(ModelError):
        await ask(limit, clock, 1.0, ModelError("nonsense"))
    assert limit.open == 4


async def test_questions_wait_for_a_turn_in_their_order_and_may_give_up() -> None:
    limit, done, release = Concurrency(first=1, most=1), list[str](), asyncio.Event()

    async def question(name: str) -> None:
        async with limit.enter():
            await release.wait()
            done.append(name)

    tasks = [asyncio.create_task(question(name)) for name in "abc"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    release.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert done == ["a", "c"]
    await ask(limit, Clock(), 1.0)
