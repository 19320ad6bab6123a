"""The server: real HTTP on loopback, answers whole or piece by piece, by a script, and wrong in a mood."""

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Scope

from evals.loopback import Loopback, reset_connection
from evals.model_server.talk import ModelRequest, Saying, Script, ToolCall

_PIECE, _SMALL_PIECE = 48, 8  # Characters of a piece of a stream
_MAX_PIECES = 8  # Of a long answer: a client needs half a millisecond for each piece
_GARBAGE = b'data: {"choices": [{"delta": {"conte\n\ndata: \xff\xfe not json\n\n'
_PROSE = re.compile(r'("(?:en|zh|text)": ")(?:[^"\\]|\\.)*')
_OTHER_LANGUAGE = "Это изменение улучшает производительность системы. "
_WRONG_TYPES = '{"sha": [1], "page": "many", "number": {}}'
_OTHER_SHAPE = {"sentences": "one", "statements": "one", "read": 7, "rulings": {"s1": "stated"}}


def _cut_off(said: Saying) -> Saying:
    calls = tuple(
        replace(call, arguments=call.arguments[: len(call.arguments) // 2]) for call in said.calls
    )
    return replace(said, text=said.text[: len(said.text) * 2 // 3], calls=calls, finish="length")


def _wrapped(said: Saying, before: str, after: str) -> Saying:
    return replace(said, text=f"{before}{said.text}{after}") if said.text else said


_WIRE = (
    "slow",
    "silent",
    "reset",
    "broken_off",
    "half_stream",
    "garbage",
    "html",
)  # What goes wrong on the way
_STATUS = {
    "limited": 429,
    "down": 503,
    "failing": 500,
    "gateway": 502,
    "busy": 408,
    "bad_request": 400,
    "locked": 401,
}
"""What a server refuses."""
_WORDS: dict[str, Callable[[Saying], Saying]] = {
    "empty": lambda said: replace(said, text="", calls=()),
    "no_choices": lambda said: said,
    "cut_off": _cut_off,
    "refusal": lambda _: Saying(refusal="I cannot help with that."),
    "filtered": lambda _: Saying(finish="content_filter"),
    "wrong_language": lambda said: replace(
        said, text=_PROSE.sub(rf"\1{_OTHER_LANGUAGE}", said.text)
    ),
    "repetition": lambda _: Saying(
        text='{"sentences": [{"en": "' + "and it is faster, " * 4_000, finish="length"
    ),
    "prose": lambda _: Saying(
        text="Sure! Here is a summary of the changes that you asked for. All got better."
    ),
    "fenced": lambda said: _wrapped(said, "Here it is:\n```json\n", "\n```\nAnything else?"),
    "other_shape": lambda _: Saying(text=json.dumps(_OTHER_SHAPE)),
    "thinking_aloud": lambda said: _wrapped(said, "<think>\nLet me see { hm }.\n</think>\n", ""),
}
"""What a model says instead of an answer."""
_CALLS: dict[str, Callable[[Saying, list[str]], tuple[ToolCall, ...]]] = {
    "storm": lambda _, tools: tuple(
        ToolCall(tools[0], json.dumps({"page": page})) for page in range(1, 400)
    ),
    "unknown_tool": lambda said, _: (ToolCall("delete_repository", '{"name": "all"}'), *said.calls),
    "wrong_types": lambda _, tools: tuple(ToolCall(name, _WRONG_TYPES) for name in tools[:4]),
    "broken_arguments": lambda _, tools: (ToolCall(tools[0], '{"sha": "c1'),),
    "same_again": lambda _, tools: (ToolCall(tools[0], "{}"),) * 3,
}
"""What a model does with tools."""
KINDS = (*_WIRE, *_STATUS, *_WORDS, *_CALLS)


@dataclass(frozen=True)
class Mood:
    """One way to misbehave; `seconds` is for those that take time."""

    kind: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Pace:
    """How many tokens of four characters a small machine reads and writes in a second."""

    reads: float
    writes: float


class ModelServer:
    """Serves one scripted model until the block ends, each answer after so many seconds; what was asked is kept.

    `without` names what the server lacks: `schema`, `tools`, `stream`, `usage`. `longest` is how many
    characters of messages it takes; longer questions are refused as too long for its context.
    `slots` is how many questions it works on at once; others wait in its queue. With a `pace` it
    reads a question before it begins to stream the answer, piece by piece.
    """

    def __init__(
        self,
        script: Script,
        mood: Callable[[ModelRequest], Mood | None] = lambda _: None,
        *,
        context: int | None = None,
        without: tuple[str, ...] = (),
        name: str = "scripted",
        latency: float = 0.0,
        longest: int | None = None,
        slots: int | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.model, self.asked = name, list[ModelRequest]()
        self._script, self._mood, self._without, self._latency = script, mood, without, latency
        self._model = {"id": name, "object": "model"} | (
            {} if context is None else {"max_model_len": context}
        )
        self._longest = longest
        self._pace = pace
        self._slots = asyncio.Semaphore(slots) if slots else nullcontext()
        self.waiting = 0  # Questions under way, those in the queue included
        self.most_waiting = 0
        self._loopback = Loopback()
        self.url = f"{self._loopback.url}/v1"

    def __enter__(self) -> Self:
        answers = {"GET": self._models, "POST": self._complete}
        self._loopback.start(
            Starlette(routes=[Route("/{_:path}", to, methods=[how]) for how, to in answers.items()])
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._loopback.stop()

    async def _models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [self._model]})

    async def _complete(self, request: Request) -> Response:
        asked = ModelRequest(len(self.asked), await request.json())
        self.asked.append(asked)
        self.waiting += 1
        self.most_waiting = max(self.waiting, self.most_waiting)
        try:
            async with self._slots:
                ready = time.monotonic() + self._latency
                mood = self._mood(asked) or Mood("")
                response = await self._response(asked, mood, request.scope)
                # What the script takes to think is a part of the time of an answer, not more of it.
                await asyncio.sleep(max(0.0, ready - time.monotonic()))
                return response
        finally:
            self.waiting -= 1

    async def _response(self, asked: ModelRequest, mood: Mood, scope: Scope) -> Response:
        refusal = self._refusal(asked, mood)
        if refusal is not None:
            return refusal
        if mood.kind in ("silent", "reset"):
            await asyncio.sleep(mood.seconds if mood.kind == "silent" else 0.0)
            reset_connection(scope)
            return Response()
        if mood.kind == "html":
            return HTMLResponse("<html><body><h1>502 Bad Gateway</h1></body></html>")
        said = self._script(asked)
        if mood.kind in _WIRE:
            broken = _broken(mood, said, asked, scope)
            return StreamingResponse(broken, media_type="text/event-stream")
        said = _in_mood(said, asked, mood)
        if mood.kind == "no_choices":
            return JSONResponse(_whole(said, asked) | {"choices": []})
        if asked.body.get("stream") and "stream" not in self._without:
            return self._stream(said, asked)
        return JSONResponse(_whole(said, asked))

    def _refusal(self, asked: ModelRequest, mood: Mood) -> Response | None:
        """Return the refusal of a request that this server, or its mood, does not answer."""
        lacking = (asked.schema and "schema") or (asked.tools and "tools") or ""
        if lacking in self._without:
            return _refusal(400, f"{lacking} is not supported by this server")
        length = sum(map(len, asked.messages))
        if self._longest is not None and length > self._longest:
            return _too_long(self._longest, length)
        if mood.kind in _STATUS:
            headers = {"Retry-After": "0"} if mood.kind in ("limited", "down") else {}
            return _refusal(_STATUS[mood.kind], mood.kind, headers)
        return None

    def _stream(self, said: Saying, asked: ModelRequest) -> Response:
        if self._pace is not None:
            paced = _paced(self._pace, said, asked)
            return StreamingResponse(paced, media_type="text/event-stream")
        pieces = _pieces(said, asked, usage="usage" not in self._without)
        return Response(b"".join(pieces), media_type="text/event-stream")


def _in_mood(said: Saying, asked: ModelRequest, mood: Mood) -> Saying:
    """Return what a model in this mood says instead."""
    if mood.kind in _CALLS and asked.tools:
        said = replace(said, text="", calls=_CALLS[mood.kind](said, asked.tools))
    if mood.kind in _WORDS:
        said = _WORDS[mood.kind](said)
    if said.calls and said.finish == "stop":
        said = replace(said, finish="tool_calls")
    return said


async def _broken(
    mood: Mood, said: Saying, asked: ModelRequest, scope: Scope
) -> AsyncIterator[bytes]:
    """Send nonsense, or a part of a stream: slowly, up to the middle, or until the line is cut."""
    pieces = list(_pieces(said, asked, usage=True))
    half = [_GARBAGE] if mood.kind == "garbage" else pieces[: max(1, len(pieces) // 2)]
    for piece in half:
        yield piece
        await asyncio.sleep(mood.seconds / len(half) if mood.kind == "slow" else 0.0)
    if mood.kind == "broken_off":
        reset_connection(scope)


async def _paced(pace: Pace, said: Saying, asked: ModelRequest) -> AsyncIterator[bytes]:
    """Read the question, then write the answer as slowly as a small machine."""
    await asyncio.sleep(sum(map(len, asked.messages)) / 4 / pace.reads)
    for piece in _pieces(said, asked, usage=True, size=_SMALL_PIECE):
        yield piece
        await asyncio.sleep(_SMALL_PIECE / 4 / pace.writes)


def _refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(
        {"error": {"message": message, "type": "server", "code": status}}, status, headers
    )


def _too_long(longest: int, length: int) -> Response:
    """Refuse a question as OpenAI and vLLM do."""
    message = (
        f"This model's maximum context length is {longest} tokens. However, your messages resulted"
        f" in {length} tokens. Please reduce the length of the messages."
    )
    error = {"message": message, "type": "invalid_request_error", "code": "context_length_exceeded"}
    return JSONResponse({"error": error}, 400)


def _whole(said: Saying, asked: ModelRequest) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": said.finish, "message": _message(said)}
    return _envelope(asked, "chat.completion") | {"choices": [choice], "usage": _usage(said, asked)}


def _pieces(
    said: Saying, asked: ModelRequest, *, usage: bool, size: int | None = None
) -> Iterator[bytes]:
    if size is None:
        size = max(_PIECE, math.ceil(len(said.text) / _MAX_PIECES))
    message = _message(said) | {"content": ""}
    deltas: list[dict[str, Any]] = [
        {"tool_calls": [call]} for call in message.pop("tool_calls", [])
    ]
    deltas += [
        {"content": said.text[start : start + size]} for start in range(0, len(said.text), size)
    ]
    ends = [*((delta, None) for delta in (message, *deltas)), ({}, said.finish)]
    choices = [{"index": 0, "delta": delta, "finish_reason": finish} for delta, finish in ends]
    last: list[Any] = [{"choices": [], "usage": _usage(said, asked)}] if usage else []
    for body in (*({"choices": [choice]} for choice in choices), *last):
        yield (
            b"data: "
            + json.dumps(_envelope(asked, "chat.completion.chunk") | body).encode()
            + b"\n\n"
        )
    yield b"data: [DONE]\n\n"


def _message(said: Saying) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.refusal:
        message["refusal"] = said.refusal
    if said.calls:
        calls = ({"type": "function", "function": asdict(call)} for call in said.calls)
        message["tool_calls"] = [
            {"index": place, "id": f"call_{place}", **call} for place, call in enumerate(calls)
        ]
    return message


def _usage(said: Saying, asked: ModelRequest) -> dict[str, int]:
    sent = sum(len(text) for text in asked.messages) // 4
    received = (len(said.text) + sum(len(call.arguments) for call in said.calls)) // 4
    told = dict(said.usage) or {"prompt_tokens": sent, "completion_tokens": received}
    return told | {"total_tokens": sum(told.values())}


def _envelope(asked: ModelRequest, kind: str) -> dict[str, Any]:
    return {
        "id": f"chat-{asked.number}",
        "object": kind,
        "created": 1,
        "model": asked.body.get("model", "scripted"),
    }
