"""Conversations: questions one after the other, each in the light of those before, kept beyond the process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph
from pydantic import ValidationError

from agent.asking.focus import Focus
from agent.errors import InputError
from graphs.ask import VERSION, AskDeps, Asking, build
from graphs.checkpoints import open_checkpoints


@dataclass(frozen=True)
class Standing:
    """Where a conversation stands after its last answer."""

    turns: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """What the last answer cites."""


class Conversations:
    """All threads of a home folder."""

    def __init__(self, saver: AsyncSqliteSaver) -> None:
        self._saver = saver
        self._graph: CompiledStateGraph[Asking, AskDeps, Any, Any] = build(saver)

    async def standing(self, thread: str) -> Standing:
        """Find where a thread stands; a new one is empty, and one of another version is refused and left as it is."""
        kept = await self._saver.aget_tuple(_config(thread))
        if kept is None:
            return Standing()
        values = kept.checkpoint["channel_values"]
        if values.get("version") != VERSION or not _readable(values):
            raise InputError(
                f"thread {thread} was written by another version of gitzette; go on with that version, "
                "or begin another thread under a new name"
            )
        return Standing(turns=tuple(values.get("turns", ())), sources=tuple(values.get("sources", ())))

    async def ask(self, thread: str, question: str, deps: AskDeps) -> AsyncIterator[str]:
        """Answer the next question of a thread, piece by piece; cut short, the thread stays with its last answer."""
        await self.standing(thread)
        given: Asking = {"question": question, "version": VERSION}
        # One checkpoint for each answer: a question that was not answered leaves nothing to go on with.
        stream = self._graph.astream(given, _config(thread), context=deps, stream_mode="custom", durability="exit")
        async for piece in stream:
            yield str(piece)

    async def forget_time(self, thread: str) -> None:
        """Let the next question not look at the time of the last one."""
        await self.standing(thread)
        state = await self._graph.aget_state(_config(thread))
        if focus := state.values.get("focus"):
            update = {"focus": focus | {"window": None, "said_when": ""}}
            await self._graph.aupdate_state(_config(thread), update, as_node="verify")


@asynccontextmanager
async def open_conversations(home: Path) -> AsyncIterator[Conversations]:
    """Open the conversations below a home folder, in a private file of their own."""
    async with open_checkpoints(home / "threads.db", precious=True) as saver:
        yield Conversations(saver)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def _readable(values: dict[str, Any]) -> bool:
    try:
        Focus.model_validate(values.get("focus") or {})
    except ValidationError:
        return False
    return all(isinstance(one, str) for name in ("turns", "sources") for one in values.get(name, ()))
