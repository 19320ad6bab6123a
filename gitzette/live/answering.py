"""A question on its way to the page: what is being read, the answer piece by piece, and what it cites."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from agent.asking.reply import Reply
from agent.domain.base import AppError, RepoId
from agent.settings.values import RepoSpec, Settings
from agent.text.web import Web
from gitzette.asking import asking_context
from gitzette.cited_evidence import CitedEvidence
from gitzette.live.blocks import blocks_of
from gitzette.replies import ReplyPage
from gitzette.wiring import home_of
from graphs.conversing import open_conversations

_STILL_HERE_SECONDS = 5.0
_AT_ONCE, _LOOK_SECONDS = 3, 0.5
_SHOWN = 400
_AROUND = 40
_SHORTEST_WORD = 3
_CODE = re.compile(r"`([^`\n]+)`")
Event = tuple[str, dict[str, Any]]


class Answering:
    """Answers the questions of a page; few at once, because each of them reads."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], specs: tuple[RepoSpec, ...], most: int) -> None:
        self._settings = settings
        self._environ = environ
        self._specs = specs
        self._most = most
        self._busy = 0
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._waiting: list[object] = []
        """Whoever waits for a place, in the order of coming."""
        self._leaving: set[asyncio.Task[None]] = set()
        """Answers that were stopped and are putting things away."""

    @property
    def full(self) -> bool:
        """Tell whether too many are waiting already."""
        return self._busy >= self._most

    async def stream(self, thread: str, question: str) -> AsyncIterator[str]:
        """Give the events of one answer; whoever stops listening stops the reading."""
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._busy += 1
        task = asyncio.create_task(self._answer(thread, question, events))
        try:
            while True:
                try:
                    event = await asyncio.wait_for(events.get(), _STILL_HERE_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                if event is None:
                    break
                yield f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False)}\n\n"
            await task
        finally:
            self._busy -= 1
            task.cancel()
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
            # A server tells a listener who has gone to stop again and again; an answer that closes its files is told
            # once, or they would stay open, and the process with them.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})

    async def _answer(self, thread: str, question: str, events: "asyncio.Queue[Event | None]") -> None:
        try:
            async with self._place(events):
                await self._ask(thread, question, events)
        except AppError as error:
            events.put_nowait(("failed", {"message": " ".join(str(error).split())}))
        finally:
            events.put_nowait(None)

    async def _ask(self, thread: str, question: str, events: "asyncio.Queue[Event | None]") -> None:
        settings, environ = self._settings, self._environ
        shown = _Shown(events)
        async with (
            asking_context(settings, environ, self._specs, datetime.now(UTC), shown) as context,
            open_conversations(home_of(settings, environ), settings.database_address) as conversations,
        ):
            cited = CitedEvidence(context, self._specs, Web(settings.web), settings.tz)
            replies = ReplyPage(Web(settings.web), settings.tz)
            said, found = "", ""
            async for event in conversations.ask(thread, question, context):
                if isinstance(event, Reply):
                    told = enumerate(event.cites)
                    numbers = {url: number for number, cite in told for url in cited.addresses(cite)}
                    blocks = blocks_of(replies.written(event).answer, numbers)
                    events.put_nowait(("blocks", {"from": 0, "blocks": blocks}))
                    events.put_nowait(("done", _ended(event, cited)))
                    continue
                said += replies.sentence(event["claim"], event["lang"]) if "claim" in event else ""
                found = replies.found(event["evidence"], event["lang"]) if "evidence" in event else found
                events.put_nowait(("blocks", {"from": 0, "blocks": blocks_of(said + found, {})}))

    @asynccontextmanager
    async def _place(self, events: "asyncio.Queue[Event | None]") -> AsyncIterator[None]:
        """Wait for a place, and tell how many are before."""
        me = object()
        self._waiting.append(me)
        try:
            while self._places.locked() or self._waiting[0] is not me:
                events.put_nowait(("waiting", {"place": self._waiting.index(me) + 1}))
                await asyncio.sleep(_LOOK_SECONDS)
            await self._places.acquire()
        finally:
            self._waiting.remove(me)
        try:
            yield
        finally:
            self._places.release()

    async def evidence(self, cite: str, marks: frozenset[str], words: tuple[str, ...]) -> dict[str, Any]:
        """Give the text of what is cited, or the part around the first line that shows what the answer says."""
        settings = self._settings
        async with asking_context(settings, self._environ, self._specs, datetime.now(UTC), _Shown(None)) as context:
            lines = await CitedEvidence(context, self._specs, Web(settings.web), settings.tz).lines(cite)
        marked = [place for place, line in enumerate(lines) if line.strip() in marks or _shows(line, words)]
        start = max(0, marked[0] - _AROUND) if marked and len(lines) > _SHOWN else 0
        shown = lines[start : start + _SHOWN]
        within = [place - start for place in marked if 0 <= place - start < _SHOWN]
        return {"lines": shown, "marked": within, "cut": start + _SHOWN < len(lines)}


class _Shown:
    """Tells the page what is being read."""

    def __init__(self, events: "asyncio.Queue[Event | None] | None") -> None:
        self._events = events

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        if self._events is not None:
            self._events.put_nowait(("reading", {"repo": repo, "what": what, "done": done, "total": total}))


def _ended(reply: Reply, cited: CitedEvidence) -> dict[str, Any]:
    """Say what is cited, which lines of it the answer quotes, and what it names."""
    quotes: dict[str, list[str]] = {}
    words: dict[str, list[str]] = {}
    for claim in reply.claims:
        shown = [(one.cite, one.text) for one in claim.quotes] + [(one.cite, one.text) for one in claim.anchors]
        for cite, text in shown:
            quotes.setdefault(cite, []).extend(text.splitlines())
        named = [word for text in claim.text.values() for word in _CODE.findall(text) if len(word) >= _SHORTEST_WORD]
        for cite in claim.sources:
            words.setdefault(cite, []).extend(named)
    cites = [dict(zip(("title", "url"), cited.entry(cite), strict=True)) | {"id": cite} for cite in reply.cites]
    return {"abstained": reply.abstained, "cites": cites, "quotes": quotes, "words": words}


def _shows(line: str, words: tuple[str, ...]) -> bool:
    """Tell whether a changed line has what the answer names; the heads of files do not count."""
    changed = line.startswith(("+", "-")) and not line.startswith(("+++ ", "--- "))
    return changed and any(word in line for word in words)
