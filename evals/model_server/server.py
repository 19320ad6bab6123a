"""The server: real HTTP on loopback, answers whole or piece by piece, by a script and in a mood."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from evals.model_server.moods import STATUS, WIRE, Mood, spoiled
from evals.model_server.talk import Asked, Saying, Script

_RESET = struct.pack("ii", 1, 0)
_PIECE = 48
_MOST_SECONDS = 60.0
_MAX_BODY = 8_000_000
_HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"


class ModelServer(ThreadingHTTPServer):
    """Serves one scripted model until the block ends; what was asked is kept."""

    daemon_threads = True
    # A queue of five, the default, makes a client that asks much at once wait for a second.
    request_queue_size = 128

    def __init__(
        self,
        script: Script,
        mood: Callable[[Asked], Mood | None] = lambda _: None,
        *,
        context: int | None = None,
        without: tuple[str, ...] = (),
        name: str = "scripted",
        latency: float = 0.0,
    ) -> None:
        """Answer by `script`, each question after so many seconds.

        `without` names what the server lacks: `schema`, `tools`, `stream`, `usage`.
        """
        self.script = script
        self.mood = mood
        self.context = context
        self.without = without
        self.model = name
        self.latency = latency
        self.asked: list[Asked] = []
        self.stopping = threading.Event()
        self._counting = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Where a client finds it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def note(self, body: dict[str, Any], headers: dict[str, str]) -> Asked:
        """Keep a question."""
        with self._counting:
            asked = Asked(len(self.asked), body, headers)
            self.asked.append(asked)
        return asked

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that goes away in the middle is what many tests are about."""

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_GET(self) -> None:
        model: dict[str, Any] = {"id": self.server.model, "object": "model"}
        if self.server.context is not None:
            model["max_model_len"] = self.server.context
        self._send(200, json.dumps({"object": "list", "data": [model]}).encode())

    def do_POST(self) -> None:
        ready = time.monotonic() + self.server.latency
        length = min(int(self.headers.get("content-length", "0")), _MAX_BODY)
        body = json.loads(self.rfile.read(length))
        asked = self.server.note(body, {name.lower(): value for name, value in self.headers.items()})
        reply = self._reply(asked)
        # What the script takes to think is a part of the time that an answer takes, not more of it.
        self.server.stopping.wait(max(0.0, ready - time.monotonic()))
        reply()

    def _reply(self, asked: Asked) -> Callable[[], None]:
        """Decide what will be sent."""
        lacking = (asked.schema and "schema") or (asked.tools and "tools") or ""
        if lacking and lacking in self.server.without:
            return partial(self._refuse, 400, f"{lacking} is not supported by this server")
        mood = self.server.mood(asked)
        kind = mood.kind if mood else ""
        if kind in STATUS:
            return partial(
                self._refuse, STATUS[kind], kind, {"Retry-After": "0"} if kind in ("limited", "down") else {}
            )
        if kind in WIRE and mood is not None:
            return partial(self._break, mood, asked)
        return partial(self._answer, asked, self.server.script(asked), kind)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing; what was asked is kept."""

    def _answer(self, asked: Asked, saying: Saying, kind: str) -> None:
        saying = spoiled(saying, asked, kind)
        if kind == "no_choices":
            self._send(200, json.dumps(_whole(saying, asked) | {"choices": []}).encode())
        elif asked.streams and "stream" not in self.server.without:
            self._begin_stream()
            for piece in _pieces(saying, asked, usage="usage" not in self.server.without):
                self.wfile.write(piece)
        else:
            self._send(200, json.dumps(_whole(saying, asked)).encode())

    def _begin_stream(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None, kind: str = "json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"application/{kind}" if kind == "json" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            # Unsaid, a client asks its next question on a line that is just being cut.
            self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self._send(
            status, json.dumps({"error": {"message": message, "type": "server", "code": status}}).encode(), headers
        )

    def _break(self, mood: Mood, asked: Asked) -> None:
        self.close_connection = True
        if mood.kind == "silent":
            self.server.stopping.wait(min(mood.seconds, _MOST_SECONDS))
        elif mood.kind == "html":
            self._send(200, _HTML, kind="html")
        elif mood.kind == "garbage":
            self._begin_stream()
            self.wfile.write(b'data: {"choices": [{"delta": {"conte\n\ndata: \xff\xfe not json\n\n')
        elif mood.kind == "reset":
            self._reset()
        else:
            self._dribble(mood, list(_pieces(self.server.script(asked), asked, usage=True)))

    def _dribble(self, mood: Mood, pieces: list[bytes]) -> None:
        """Send a part of a stream: slowly and without end, up to the middle, or until the line is cut."""
        self._begin_stream()
        half = pieces[: max(1, len(pieces) // 2)]
        pause = mood.seconds / len(half) if mood.kind == "slow" else 0.0
        for piece in half:
            self.wfile.write(piece)
            self.wfile.flush()
            self.server.stopping.wait(min(pause, _MOST_SECONDS))
        if mood.kind == "broken_off":
            self._reset()

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.connection.close()


def _message(saying: Saying) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": saying.text or None}
    if saying.refusal:
        message["refusal"] = saying.refusal
    if saying.calls:
        message["tool_calls"] = [
            {"id": f"call_{place}", "type": "function", "function": asdict(call)}
            for place, call in enumerate(saying.calls)
        ]
    return message


def _usage(saying: Saying, asked: Asked) -> dict[str, int]:
    sent = sum(len(text) for text in asked.messages) // 4
    received = (len(saying.text) + sum(len(call.arguments) for call in saying.calls)) // 4
    told = dict(saying.usage) or {"prompt_tokens": sent, "completion_tokens": received}
    return told | {"total_tokens": sum(told.values())}


def _whole(saying: Saying, asked: Asked) -> dict[str, Any]:
    finish = "tool_calls" if saying.calls and saying.finish == "stop" else saying.finish
    choice = {"index": 0, "finish_reason": finish, "message": _message(saying)}
    return _envelope(asked, "chat.completion") | {"choices": [choice], "usage": _usage(saying, asked)}


def _pieces(saying: Saying, asked: Asked, *, usage: bool) -> Iterator[bytes]:
    yield _event(asked, {"role": "assistant", "content": ""})
    if saying.refusal:
        yield _event(asked, {"refusal": saying.refusal})
    for start in range(0, len(saying.text), _PIECE):
        yield _event(asked, {"content": saying.text[start : start + _PIECE]})
    for place, call in enumerate(saying.calls):
        head = {"index": place, "id": f"call_{place}", "type": "function"}
        yield _event(asked, {"tool_calls": [head | {"function": {"name": call.name, "arguments": ""}}]})
        for start in range(0, len(call.arguments), _PIECE):
            part = {"arguments": call.arguments[start : start + _PIECE]}
            yield _event(asked, {"tool_calls": [{"index": place, "function": part}]})
    yield _event(asked, {}, "tool_calls" if saying.calls and saying.finish == "stop" else saying.finish)
    if usage:
        last = _envelope(asked, "chat.completion.chunk") | {"choices": [], "usage": _usage(saying, asked)}
        yield b"data: " + json.dumps(last).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"


def _event(asked: Asked, delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps(_envelope(asked, "chat.completion.chunk") | {"choices": [choice]}).encode() + b"\n\n"


def _envelope(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": f"chat-{asked.number}", "object": kind, "created": 1, "model": asked.body.get("model", "scripted")}
