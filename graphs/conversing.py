"""Conversations: questions one after the other, each in the light of those before, kept beyond the process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from agent.asking.reply import Reply
from agent.domain.base import InputError
from agent.ports import Step
from graphs.ask import VERSION, build
from graphs.ask_context import AskContext
from graphs.checkpoints import open_checkpoints

Event = dict[str, Any] | Reply
"""What a question gives as it goes: `evidence` that was found, each judged `claim`, and the reply at the end."""


@dataclass(frozen=True)
class Standing:
    """Where a conversation stands after its last answer."""

    turns: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """What the last answer cites."""


async def stream(
    graph: Any, question: str, context: AskContext, config: RunnableConfig | None = None
) -> AsyncIterator[Event]:
    """Run a question, and give what is found, each sentence once it is judged, then the reply."""
    # One checkpoint for each answer: a question that was not answered leaves nothing to go on with.
    options: dict[str, Any] = {"durability": "exit"} if config else {}
    asked, given, reply = {"question": question, "version": VERSION}, 0, None
    async for mode, told in graph.astream(asked, config, context=context, stream_mode=["custom", "values"], **options):
        if isinstance(told, Step):
            context.reader.progress.step(told.repo, told.what, told.done, told.total)
        elif mode == "custom":
            yield told
        elif "sentences" in told:
            published, reply = told["sentences"].published, told.get("reply")
            for claim in published[given:]:
                yield {"claim": claim, "lang": told["query"].lang, "abstains": told["nearest"] is not None}
            given = len(published)
    if reply is not None:
        yield reply


async def answered(question: str, context: AskContext) -> Reply:
    """Answer one question outside any thread."""
    reply = [event async for event in stream(build(), question, context)][-1]
    assert isinstance(reply, Reply)
    return reply


class Conversations:
    """All threads of a home folder or a database."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        self._saver = saver
        self._graph = build(saver)

    async def standing(self, thread: str) -> Standing:
        """Find where a thread stands; a new one is empty, and one of another version is refused and left as it is."""
        kept = await self._saver.aget_tuple(_config(thread))
        if kept is None:
            return Standing()
        values = kept.checkpoint["channel_values"]
        if values.get("version") != VERSION:
            raise InputError(
                f"thread {thread} was written by another version of gitzette; go on with that version, "
                "or begin another thread under a new name"
            )
        return Standing(turns=tuple(values.get("turns", ())), sources=tuple(values.get("cites", ())))

    async def ask(self, thread: str, question: str, context: AskContext) -> AsyncIterator[Event]:
        """Answer the next question of a thread as it goes; cut short, the thread stays with its last answer."""
        await self.standing(thread)
        async for event in stream(self._graph, question, context, _config(thread)):
            yield event


@asynccontextmanager
async def open_conversations(home: Path, database: str | None = None) -> AsyncIterator[Conversations]:
    """Open the conversations below a home folder, in a private file of their own, or those of a database."""
    async with open_checkpoints(database or home / "threads.db", precious=True) as saver:
        yield Conversations(saver)


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
