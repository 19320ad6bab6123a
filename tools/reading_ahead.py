"""Reading of what follows in a stream while somebody still works on what came before."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import TypeVar

from agent.domain.errors import AppError

S = TypeVar("S")
T = TypeVar("T")


async def read_ahead(
    stream: AsyncIterator[S], read: Callable[[S], Awaitable[T]], limit: int
) -> AsyncGenerator[tuple[S, T], None]:
    """Yield each item of a stream with what is read of it, in order; `limit` are read at once.

    If the stream ends with an error, what came before is yielded first.
    """
    under_way: deque[tuple[S, asyncio.Future[T]]] = deque()
    error: AppError | None = None
    is_open = True
    try:
        while is_open or under_way:
            if is_open and len(under_way) < limit:
                try:
                    item = await anext(stream)
                except StopAsyncIteration:
                    is_open = False
                except AppError as raised:
                    is_open = False
                    error = raised
                else:
                    under_way.append((item, asyncio.ensure_future(read(item))))
                continue
            item, reading = under_way.popleft()
            yield item, await reading
        if error is not None:
            raise error
    finally:
        readings = [reading for _, reading in under_way]
        for reading in readings:
            reading.cancel()
        await asyncio.gather(*readings, return_exceptions=True)


async def read_all(items: Iterable[S], read: Callable[[S], Awaitable[T]], limit: int) -> list[T]:
    """Return what is read of each item, in order; `limit` are read at once."""

    async def stream() -> AsyncIterator[S]:
        for item in items:
            yield item

    async with aclosing(read_ahead(stream(), read, limit)) as readings:
        return [reading async for _, reading in readings]
