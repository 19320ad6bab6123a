"""What is read ahead comes in its order, and an error comes where it arose."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing

import pytest

from agent.domain.errors import AppError, InputError
from tools.reading_ahead import read_ahead


async def streamed(numbers: Iterable[int], error: AppError | None = None) -> AsyncIterator[int]:
    for number in numbers:
        yield number
    if error is not None:
        raise error


async def test_several_are_read_at_once_and_yielded_in_order() -> None:
    under_way = 0
    most = 0

    async def read(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(10 - number):  # The later ones end first
            await asyncio.sleep(0)
        under_way -= 1
        return number * number

    readings = read_ahead(streamed(range(10)), read, 3)
    assert [pair async for pair in readings] == [(n, n * n) for n in range(10)]
    assert most == 3


async def test_what_came_before_an_error_is_yielded_first() -> None:
    async def read(number: int) -> int:
        await asyncio.sleep(0)
        return number

    yielded: list[int] = []

    async def listen() -> None:
        async for number, _ in read_ahead(streamed(range(5), InputError("gone")), read, 3):
            yielded.append(number)

    with pytest.raises(InputError):
        await listen()
    assert yielded == [0, 1, 2, 3, 4]


async def test_nothing_is_read_after_somebody_stops_listening() -> None:
    finished: list[int] = []

    async def read(number: int) -> int:
        await asyncio.sleep(0.001 * number)
        finished.append(number)
        return number

    async with aclosing(read_ahead(streamed([0, 600_000, 600_000]), read, 3)) as readings:
        async for _ in readings:
            break
    assert finished == [0]
