"""A question on its way to the page: what is being read, the answer piece by piece, and what it cites."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from markdown_it import MarkdownIt

from agent.domain.base import AppError, RepoId
from agent.questions import Reply
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.asking import asking_context
from gitzette.cited_evidence import CitedEvidence
from gitzette.replies import ReplyPage
from gitzette.wiring import home_of
from graphs.ask import open_conversations

_STILL_HERE_SECONDS = 5.0
_AT_ONCE, _MOST = 3, 12
_CODE = re.compile(r"`([^`\n]{3,})`")
Events = asyncio.Queue[tuple[str, dict[str, Any]] | None]


class Answering:
    """Answers the questions of a page; few at once, because each of them reads."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], specs: tuple[RepoSpec, ...]) -> None:
        self._settings, self._environ, self._specs = settings, environ, specs
        self._busy, self._places = 0, asyncio.Semaphore(_AT_ONCE)

    @property
    def full(self) -> bool:
        """Tell whether too many are waiting already."""
        return self._busy >= _MOST

    async def stream(self, thread: str, question: str) -> AsyncIterator[str]:
        """Give the events of one answer; whoever stops listening stops the reading."""
        events: Events = asyncio.Queue()
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
            # A server tells a listener who has gone to stop again and again; an answer that closes its files is told
            # once, or they would stay open, and the process with them.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})

    async def _answer(self, thread: str, question: str, events: Events) -> None:
        try:
            async with self._places:
                await self._ask(thread, question, events)
        except AppError as error:
            events.put_nowait(("failed", {"message": " ".join(str(error).split())}))
        finally:
            events.put_nowait(None)

    async def _ask(self, thread: str, question: str, events: Events) -> None:
        settings, environ = self._settings, self._environ
        async with (
            asking_context(settings, environ, self._specs, datetime.now(UTC), _Shown(events)) as context,
            open_conversations(home_of(settings, environ), settings.database_address) as conversations,
        ):
            cited = CitedEvidence(context, self._specs, Web(settings.web), settings.tz)
            replies = ReplyPage(Web(settings.web), settings.tz)
            said, found = "", ""
            async for event in conversations.ask(thread, question, context):
                if isinstance(event, Reply):
                    numbers = {url: at for at, cite in enumerate(event.cites) for url in cited.addresses(cite)}
                    events.put_nowait(("blocks", {"blocks": list(_blocks(replies.written(event).answer, numbers))}))
                    events.put_nowait(("done", _ended(event, cited)))
                    continue
                said += replies.sentence(event["claim"], event["lang"]) if "claim" in event else ""
                found = replies.found(event["evidence"], event["lang"]) if "evidence" in event else found
                events.put_nowait(("blocks", {"blocks": list(_blocks(said + found, {}))}))

    async def evidence(self, cite: str) -> list[str]:
        """Give the text of what is cited; the page marks in it what the answer says."""
        settings = self._settings
        async with asking_context(settings, self._environ, self._specs, datetime.now(UTC), _Shown(None)) as context:
            return await CitedEvidence(context, self._specs, Web(settings.web), settings.tz).lines(cite)


@dataclass(frozen=True)
class _Shown:
    """Tells the page what is being read."""

    events: Events | None

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        if self.events is not None:
            self.events.put_nowait(("reading", {"repo": repo, "what": what, "done": done, "total": total}))


def _blocks(markdown: str, cites: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Give a reply as data for the page: paragraphs and items of words, code and links, and nothing else.

    `cites` numbers the addresses of what it cites.
    """
    depth, url = 0, ""
    for token in MarkdownIt("commonmark", {"html": False}).parse(markdown):
        depth += token.nesting if token.type.startswith("bullet_list") else 0
        pieces = []
        for one in token.children or ():
            if one.type in ("link_open", "link_close"):
                url = str(one.attrGet("href") or "")
            elif one.type in ("text", "code_inline", "softbreak", "hardbreak"):
                code = one.type == "code_inline"
                pieces.append({"text": one.content or " ", "code": code, "url": url or None, "cite": cites.get(url)})
        if pieces:
            yield {"kind": "item" if depth else "text", "level": depth, "pieces": pieces}


def _ended(reply: Reply, cited: CitedEvidence) -> dict[str, Any]:
    """Say what is cited, which lines of it the answer quotes, and what it names."""
    quotes: dict[str, list[str]] = {}
    words: dict[str, list[str]] = {}
    for claim in reply.claims:
        shown = [(one.cite, one.text) for one in claim.quotes] + [(one.cite, one.text) for one in claim.anchors]
        for cite, text in shown:
            quotes.setdefault(cite, []).extend(text.splitlines())
        for cite in claim.sources:
            words.setdefault(cite, []).extend(word for text in claim.text.values() for word in _CODE.findall(text))
    cites = [dict(zip(("title", "url"), cited.entry(cite), strict=True)) | {"id": cite} for cite in reply.cites]
    return {"abstained": reply.abstained, "cites": cites, "quotes": quotes, "words": words}
