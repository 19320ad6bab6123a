"""A scripted server on a real socket, a clock that only moves when somebody sleeps, and clients of both."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tools.github.client import GitHubClient
from tools.github.http_cache import AnswerCache
from tools.github.http_requests import RequestPolicy

TOKEN = "ghp_secretsecretsecret"


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What is sent back; `fault` is `reset`, `half`, `late`, `dribble` or `silent`."""

    status: int = 200
    json: Any = None
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    fault: str = ""

    def content(self) -> bytes:
        return self.body if self.body is not None else json.dumps(self.json).encode()


Answer = Reply | Callable[[Seen], Reply]


class Hub:
    """Answers each path from its script; the last answer of a script stays."""

    def __init__(self) -> None:
        self.base = ""
        self.seen: list[Seen] = []
        self.talks: set[asyncio.Task[None]] = set()
        self.most_at_once = 0
        self._now = 0
        self._scripts: dict[str, list[Answer]] = {}

    def on(self, path: str, *answers: Answer) -> None:
        self._scripts[path] = list(answers)

    @property
    def paths(self) -> list[str]:
        return [seen.path for seen in self.seen]

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.talks.add(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (seen := await self._read(reader)) is not None:
                self.seen.append(seen)
                self._now += 1
                self.most_at_once = max(self.most_at_once, self._now)
                going_on = await self._write(writer, seen, self._answer(seen))
                self._now -= 1
                if not going_on:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answer(self, seen: Seen) -> Reply:
        script = self._scripts.get(seen.path)
        if not script:
            return Reply(404, {"message": "Not Found"})
        answer = script.pop(0) if len(script) > 1 else script[0]
        return answer if isinstance(answer, Reply) else answer(seen)

    async def _read(self, reader: asyncio.StreamReader) -> Seen | None:
        request_head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = request_head.decode().split("\r\n")
        method, target, _ = first.split(" ")
        headers: dict[str, str] = {}
        for line in filter(None, lines):
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        url = urlsplit(target)
        return Seen(method, url.path, dict(parse_qsl(url.query)), headers, body)

    async def _write(self, writer: asyncio.StreamWriter, seen: Seen, reply: Reply) -> bool:
        if reply.fault == "reset":
            writer.transport.abort()
            return False
        if reply.fault == "late":
            await asyncio.sleep(0.05)
        if reply.fault == "silent":
            await asyncio.sleep(30)
            return False
        content = reply.content()
        status = reply.status
        etag = f'W/"{hashlib.sha256(content).hexdigest()}"'
        if status == 200 and seen.method == "GET" and seen.headers.get("if-none-match") == etag:
            status = 304
            content = b""
        headers = {
            "Content-Type": "application/json",
            "ETag": etag,
            "Content-Length": str(len(content)),
        } | reply.headers
        lines = "".join(
            f"{name}: {value.replace('BASE', self.base)}\r\n" for name, value in headers.items()
        )
        writer.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode())
        if reply.fault == "half":
            writer.write(content[: len(content) // 2])
            await writer.drain()
            return False
        if reply.fault == "dribble":
            for byte in content:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.write(content)
        await writer.drain()
        return True


@dataclass
class Time:
    """A clock that moves only when somebody sleeps."""

    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def commit(sha: str, parents: list[str], when: str, **more: Any) -> dict[str, Any]:
    """Write a commit as GitHub does."""
    who = {"name": "Ann", "email": "ann@example.com", "date": when}
    text = {"author": who, "committer": who, "message": more.pop("message", f"Change {sha[:4]}\n")}
    return {
        "sha": sha,
        "commit": text,
        "parents": [{"sha": p} for p in parents],
        "author": None,
    } | more


def issue(number: int, updated: str, **more: Any) -> dict[str, Any]:
    """Write an issue as GitHub does, with the nulls that really happen."""
    return {
        "number": number,
        "title": f"Issue {number}",
        "body": None,
        "state": "open",
        "user": None,
        "labels": ["plain", {"name": "bug"}, {"name": None}],
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": updated,
        "closed_at": None,
        "comments": 0,
        "field_of_next_year": {},
    } | more


class Kit:
    """Everything a test needs to talk to scripted servers."""

    Reply = Reply
    token = TOKEN
    commit = staticmethod(commit)
    issue = staticmethod(issue)

    def __init__(self) -> None:
        self.time = Time()
        self.hub = Hub()
        self._servers: list[asyncio.Server] = []
        self._hubs: list[Hub] = []
        self._clients: list[GitHubClient] = []

    async def start(self, hub: Hub) -> Hub:
        server = await asyncio.start_server(hub.accept, "127.0.0.1", 0)
        self._servers.append(server)
        self._hubs.append(hub)
        hub.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return hub

    async def another_hub(self) -> Hub:
        return await self.start(Hub())

    def client(
        self,
        *,
        token: str | None = TOKEN,
        cache: AnswerCache | None = None,
        base: str | None = None,
        policy: RequestPolicy | None = None,
    ) -> GitHubClient:
        client = GitHubClient(
            base_url=base or self.hub.base,
            token=token,
            cache=cache,
            policy=policy,
            clock=self.time.clock,
            sleep=self.time.sleep,
            jitter=lambda: 0.5,
        )
        self._clients.append(client)
        return client

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()
        for server in self._servers:
            server.close()
        talks = [talk for hub in self._hubs for talk in hub.talks]
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    kit = Kit()
    await kit.start(kit.hub)
    yield kit
    await kit.close()
