"""The server: real HTTP on loopback, answers by a script, whole or streamed, and misbehaves in a mood."""

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
from evals.model_server.requests_and_answers import ModelRequest, Saying, Script, ToolCall

_MIN_CHUNK = 48  # Characters of a chunk of a stream
_MAX_CHUNKS = 3  # Of a long answer: a client needs half a millisecond for each
_SMALL_CHUNK = 8
_CHARACTERS_PER_TOKEN = 4
_GARBAGE = b'data: {"choices": [{"delta": {"conte\n\ndata: \xff\xfe not json\n\n'
_PROSE = re.compile(r'("(?:en|zh|text)": ")(?:[^"\\]|\\.)*')
_OTHER_LANGUAGE = "Это изменение улучшает производительность системы. "
_WRONG_TYPES = '{"sha": [1], "page": "many", "number": {}}'
_OTHER_SHAPE = {"sentences": "one", "statements": "one", "read": 7, "rulings": {"s1": "stated"}}
_EVENT_STREAM = "text/event-stream"


def _empty(saying: Saying) -> Saying:
    return replace(saying, text="", calls=())


def _cut_off(saying: Saying) -> Saying:
    calls = []
    for call in saying.calls:
        half = call.arguments[: len(call.arguments) // 2]
        calls.append(replace(call, arguments=half))
    text = saying.text[: len(saying.text) * 2 // 3]
    return replace(saying, text=text, calls=tuple(calls), finish="length")


def _in_another_language(saying: Saying) -> Saying:
    return replace(saying, text=_PROSE.sub(rf"\1{_OTHER_LANGUAGE}", saying.text))


def _repeating(_: Saying) -> Saying:
    text = '{"sentences": [{"en": "' + "and it is faster, " * 4_000
    return Saying(text=text, finish="length")


def _as_prose(_: Saying) -> Saying:
    return Saying(text="Sure! Here is a summary of the changes that you asked for. All got better.")


def _wrapped(saying: Saying, before: str, after: str) -> Saying:
    if not saying.text:
        return saying
    return replace(saying, text=f"{before}{saying.text}{after}")


def _many_calls(_: Saying, tools: list[str]) -> tuple[ToolCall, ...]:
    pages = range(1, 400)
    return tuple(ToolCall(tools[0], json.dumps({"page": page})) for page in pages)


def _unknown_call(saying: Saying, _: list[str]) -> tuple[ToolCall, ...]:
    return (ToolCall("delete_repository", '{"name": "all"}'), *saying.calls)


def _wrong_calls(_: Saying, tools: list[str]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(name, _WRONG_TYPES) for name in tools[:4])


_WIRE = ("slow", "silent", "reset", "broken_off", "half_stream", "garbage", "html")
"""Moods in which the answer does not arrive as it should."""
_STATUS = {
    "limited": 429,
    "down": 503,
    "failing": 500,
    "gateway": 502,
    "busy": 408,
    "bad_request": 400,
    "locked": 401,
}
"""Moods in which the server refuses, with the status of the response."""
_WORDS: dict[str, Callable[[Saying], Saying]] = {
    "empty": _empty,
    "no_choices": lambda saying: saying,
    "cut_off": _cut_off,
    "refusal": lambda _: Saying(refusal="I cannot help with that."),
    "filtered": lambda _: Saying(finish="content_filter"),
    "wrong_language": _in_another_language,
    "repetition": _repeating,
    "prose": _as_prose,
    "fenced": lambda saying: _wrapped(saying, "Here it is:\n```json\n", "\n```\nAnything else?"),
    "other_shape": lambda _: Saying(text=json.dumps(_OTHER_SHAPE)),
    "thinking_aloud": lambda saying: _wrapped(
        saying, "<think>\nLet me see { hm }.\n</think>\n", ""
    ),
}
"""Moods in which the model says something else."""
_CALLS: dict[str, Callable[[Saying, list[str]], tuple[ToolCall, ...]]] = {
    "storm": _many_calls,
    "unknown_tool": _unknown_call,
    "wrong_types": _wrong_calls,
    "broken_arguments": lambda _, tools: (ToolCall(tools[0], '{"sha": "c1'),),
    "same_again": lambda _, tools: (ToolCall(tools[0], "{}"),) * 3,
}
"""Moods in which the model calls other tools."""
KINDS = (*_WIRE, *_STATUS, *_WORDS, *_CALLS)


@dataclass(frozen=True)
class Mood:
    """One way to misbehave; `seconds` is for those that take time."""

    kind: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Pace:
    """The speed of a small machine: tokens of four characters read and written in a second."""

    reads: float
    writes: float


class ModelServer:
    """Serves one scripted model until the block ends, each answer after `latency` seconds.

    `asked` keeps all requests. `without` names what the server lacks: `schema`, `tools`, `stream`,
    `usage`. Requests with more than `longest` characters of messages are refused as too long for
    the context. It works on `slots` requests at once; others wait in its queue. With a `pace` it
    reads a request before it begins to stream the answer, chunk by chunk.
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
        self.model = name
        self.asked: list[ModelRequest] = []
        self._script = script
        self._mood = mood
        self._without = without
        self._latency = latency
        self._model: dict[str, Any] = {"id": name, "object": "model"}
        if context is not None:
            self._model["max_model_len"] = context
        self._longest = longest
        self._pace = pace
        self._slots = asyncio.Semaphore(slots) if slots else nullcontext()
        self.waiting = 0  # Requests under way, those in the queue included
        self.most_waiting = 0
        self._loopback = Loopback()
        self.url = f"{self._loopback.url}/v1"

    def __enter__(self) -> Self:
        routes = [
            Route("/{_:path}", self._models, methods=["GET"]),
            Route("/{_:path}", self._complete, methods=["POST"]),
        ]
        self._loopback.start(Starlette(routes=routes))
        return self

    def __exit__(self, *_: object) -> None:
        self._loopback.stop()

    async def _models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [self._model]})

    async def _complete(self, http_request: Request) -> Response:
        request = ModelRequest(len(self.asked), await http_request.json())
        self.asked.append(request)
        self.waiting += 1
        self.most_waiting = max(self.waiting, self.most_waiting)
        try:
            async with self._slots:
                ready = time.monotonic() + self._latency
                mood = self._mood(request) or Mood("")
                response = await self._response(request, mood, http_request.scope)
                # The time that the script takes is a part of the latency.
                await asyncio.sleep(max(0.0, ready - time.monotonic()))
                return response
        finally:
            self.waiting -= 1

    async def _response(self, request: ModelRequest, mood: Mood, scope: Scope) -> Response:
        refusal = self._refusal(request, mood)
        if refusal is not None:
            return refusal
        if mood.kind in ("silent", "reset"):
            await asyncio.sleep(mood.seconds if mood.kind == "silent" else 0.0)
            reset_connection(scope)
            return Response()
        if mood.kind == "html":
            return HTMLResponse("<html><body><h1>502 Bad Gateway</h1></body></html>")
        saying = self._script(request)
        if mood.kind in _WIRE:
            broken = _broken_stream(mood, saying, request, scope)
            return StreamingResponse(broken, media_type=_EVENT_STREAM)
        saying = _in_mood(saying, request, mood)
        if mood.kind == "no_choices":
            return JSONResponse(_completion(saying, request) | {"choices": []})
        if request.body.get("stream") and "stream" not in self._without:
            return self._stream(saying, request)
        return JSONResponse(_completion(saying, request))

    def _refusal(self, request: ModelRequest, mood: Mood) -> Response | None:
        """Return the refusal of a request that this server, or its mood, does not answer."""
        needed = (request.schema and "schema") or (request.tools and "tools") or ""
        if needed in self._without:
            return _error(400, f"{needed} is not supported by this server")
        length = sum(map(len, request.messages))
        if self._longest is not None and length > self._longest:
            return _too_long(self._longest, length)
        if mood.kind in _STATUS:
            headers = {"Retry-After": "0"} if mood.kind in ("limited", "down") else {}
            return _error(_STATUS[mood.kind], mood.kind, headers)
        return None

    def _stream(self, saying: Saying, request: ModelRequest) -> Response:
        if self._pace is not None:
            stream = _paced_stream(self._pace, saying, request)
            return StreamingResponse(stream, media_type=_EVENT_STREAM)
        chunks = _chunks(saying, request, usage="usage" not in self._without)
        return Response(b"".join(chunks), media_type=_EVENT_STREAM)


def _in_mood(saying: Saying, request: ModelRequest, mood: Mood) -> Saying:
    """Return what a model in this mood says instead."""
    if mood.kind in _CALLS and request.tools:
        saying = replace(saying, text="", calls=_CALLS[mood.kind](saying, request.tools))
    if mood.kind in _WORDS:
        saying = _WORDS[mood.kind](saying)
    if saying.calls and saying.finish == "stop":
        saying = replace(saying, finish="tool_calls")
    return saying


async def _broken_stream(
    mood: Mood, saying: Saying, request: ModelRequest, scope: Scope
) -> AsyncIterator[bytes]:
    """Send garbage, or the first half of a stream: slowly, or until the connection is reset."""
    chunks = list(_chunks(saying, request, usage=True))
    sent = chunks[: max(1, len(chunks) // 2)]
    if mood.kind == "garbage":
        sent = [_GARBAGE]
    pause = mood.seconds / len(sent) if mood.kind == "slow" else 0.0
    for chunk in sent:
        yield chunk
        await asyncio.sleep(pause)
    if mood.kind == "broken_off":
        reset_connection(scope)


async def _paced_stream(pace: Pace, saying: Saying, request: ModelRequest) -> AsyncIterator[bytes]:
    """Read the request, then write the answer as slowly as a small machine."""
    tokens = sum(map(len, request.messages)) / _CHARACTERS_PER_TOKEN
    await asyncio.sleep(tokens / pace.reads)
    for chunk in _chunks(saying, request, usage=True, size=_SMALL_CHUNK):
        yield chunk
        await asyncio.sleep(_SMALL_CHUNK / _CHARACTERS_PER_TOKEN / pace.writes)


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    error = {"message": message, "type": "server", "code": status}
    return JSONResponse({"error": error}, status, headers)


def _too_long(longest: int, length: int) -> Response:
    """Refuse a request that is too long as OpenAI and vLLM do."""
    message = (
        f"This model's maximum context length is {longest} tokens. However, your messages resulted"
        f" in {length} tokens. Please reduce the length of the messages."
    )
    error = {"message": message, "type": "invalid_request_error", "code": "context_length_exceeded"}
    return JSONResponse({"error": error}, 400)


def _completion(saying: Saying, request: ModelRequest) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": saying.finish, "message": _message(saying)}
    return _envelope(request, "chat.completion") | {
        "choices": [choice],
        "usage": _usage(saying, request),
    }


def _chunks(
    saying: Saying, request: ModelRequest, *, usage: bool, size: int | None = None
) -> Iterator[bytes]:
    """Yield the events of a stream: the message, its tool calls, its text, the end and the usage."""
    if size is None:
        size = max(_MIN_CHUNK, math.ceil(len(saying.text) / _MAX_CHUNKS))
    envelope = _envelope(request, "chat.completion.chunk")
    for delta in _deltas(saying, size):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        yield _event(envelope | {"choices": [choice]})
    end = {"index": 0, "delta": {}, "finish_reason": saying.finish}
    yield _event(envelope | {"choices": [end]})
    if usage:
        yield _event(envelope | {"choices": [], "usage": _usage(saying, request)})
    yield b"data: [DONE]\n\n"


def _deltas(saying: Saying, size: int) -> Iterator[dict[str, Any]]:
    message = _message(saying) | {"content": ""}
    calls = message.pop("tool_calls", [])
    yield message
    for call in calls:
        yield {"tool_calls": [call]}
    for start in range(0, len(saying.text), size):
        yield {"content": saying.text[start : start + size]}


def _event(body: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def _message(saying: Saying) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": saying.text or None}
    if saying.refusal:
        message["refusal"] = saying.refusal
    if saying.calls:
        calls = []
        for index, call in enumerate(saying.calls):
            function = {"type": "function", "function": asdict(call)}
            calls.append({"index": index, "id": f"call_{index}", **function})
        message["tool_calls"] = calls
    return message


def _usage(saying: Saying, request: ModelRequest) -> dict[str, int]:
    usage = dict(saying.usage)
    if not usage:
        sent = sum(map(len, request.messages))
        received = len(saying.text) + sum(len(call.arguments) for call in saying.calls)
        usage["prompt_tokens"] = sent // _CHARACTERS_PER_TOKEN
        usage["completion_tokens"] = received // _CHARACTERS_PER_TOKEN
    return usage | {"total_tokens": sum(usage.values())}


def _envelope(request: ModelRequest, kind: str) -> dict[str, Any]:
    return {
        "id": f"chat-{request.number}",
        "object": kind,
        "created": 1,
        "model": request.body.get("model", "scripted"),
    }
