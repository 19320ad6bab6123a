"""`gitzette serve` against clients that send half a request, nonsense, or nothing at all, over real sockets."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from gitzette.http_limits import ConnectionLimits
from gitzette.http_server import bound_socket
from tests.gitzette.conftest import Engine
from tests.gitzette.live.conftest import ROOT, running

HALF_A_REQUEST = b"GET /en/ask.html HTTP/1.1\r\nHost: 127.0.0.1\r\nX-More: "
HALF_A_BODY = (
    b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b'Content-Length: 60\r\n\r\n{"question":'
)
Address = tuple[str, int]


@pytest.fixture(scope="module")
def served(_engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """Start the command in a process of its own, as a person does."""
    folder = tmp_path_factory.mktemp("served")
    repo = Engine(_engine).repo
    command = [sys.executable, "-m", "gitzette", "serve", "--port", "0", *repo]
    environ = os.environ | {"PYTHONPATH": str(ROOT), "GITZETTE_HOME": str(folder / "home")}
    with subprocess.Popen(
        command, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        announced = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/", announced)
        assert match is not None, announced
        try:
            yield "127.0.0.1", int(match[1])
        finally:
            process.send_signal(signal.SIGINT)
            complaints = process.stderr.read()
    assert "Traceback" not in complaints


@contextmanager
def half_sent(address: Address, count: int, sent: bytes) -> Iterator[Sequence[socket.socket]]:
    """Open connections that each send a part of a request and then wait."""
    with ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = stack.enter_context(socket.create_connection(address, timeout=20))
            client.sendall(sent)
            clients.append(client)
        yield clients


def status(address: Address, path: str = "/en/ask.html", **headers: str) -> int:
    """Send a request as it is written here, and return the status of the answer."""
    lines = [f"GET {path} HTTP/1.1", "Connection: close"]
    for name, value in ({"Host": "127.0.0.1"} | headers).items():
        lines.append(f"{name}: {value}")
    with socket.create_connection(address, timeout=20) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(client.recv(64).split()[1])


def answer(client: socket.socket) -> bytes:
    """Read what a server sends before it closes the connection."""
    received = b""
    try:
        while piece := client.recv(4096):
            received += piece
    except ConnectionResetError:
        pass
    return received


def send_slowly(client: socket.socket) -> None:
    """Send a byte now and then, for much longer than any deadline."""
    for _ in range(300):
        client.sendall(b"x")
        time.sleep(0.05)


def test_seventy_half_sent_requests_do_not_shut_the_page_for_others(served: Address) -> None:
    for sent in (HALF_A_REQUEST, HALF_A_BODY, b""):
        with half_sent(served, 70, sent):
            assert [status(served) for _ in range(5)] == [200] * 5


def test_what_is_no_host_no_origin_or_no_path_is_the_clients_error(served: Address) -> None:
    for host in ("[::1", "[", "::1]", "[x]", "127.0.0.1:port", "a" * 5_000):
        assert status(served, Host=host) in (400, 421), host
    for origin in ("http://[", "http://[::1", "//", "[", "http://127.0.0.1:99999999"):
        assert status(served, Origin=origin) in (400, 403), origin
    for path in ("/" + "a" * 300, "/" + "a/" * 3_000, "/" + "a" * 12_000, "/en/" + "%41" * 2_000):
        assert status(served, path) in (404, 414), path[:20]
    # The file system is not asked for what no page can be called.
    assert status(served, "/" + "a" * 12_000) == 414
    assert status(served) == 200


async def read_whole_body(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers once the body is there."""
    if scope["type"] != "http":
        return
    try:
        body = await Request(scope, receive).body()
    except ClientDisconnect:
        return
    await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)


@contextmanager
def limited(**limits: Any) -> Iterator[Address]:
    """Serve an application in a thread, with limits that a test can wait for."""
    listener = bound_socket("127.0.0.1", 0)
    with running(read_whole_body, listener, ConnectionLimits(**limits)):
        yield listener.getsockname()


def test_a_request_that_does_not_arrive_is_given_up_after_its_deadline() -> None:
    with limited(header_seconds=0.5, request_seconds=1.0) as address:
        for sent in (HALF_A_REQUEST, HALF_A_BODY):
            with half_sent(address, 1, sent) as (client,):
                assert answer(client).startswith(b"HTTP/1.1 408 ")
        with half_sent(address, 1, b"") as (client,):
            assert answer(client) == b""


def test_a_client_that_sends_one_byte_after_the_other_has_the_same_deadline() -> None:
    with limited(header_seconds=0.5, request_seconds=1.0) as address:
        for sent in (HALF_A_REQUEST, HALF_A_BODY):
            with (
                half_sent(address, 1, sent) as (client,),
                pytest.raises(OSError, match=r"reset|Broken pipe"),
            ):
                send_slowly(client)


def test_a_slow_second_request_on_a_connection_has_a_deadline_too() -> None:
    full_request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with limited(header_seconds=0.5) as address, half_sent(address, 1, full_request) as (client,):
        assert b"0 bytes" in client.recv(4096)
        client.sendall(HALF_A_REQUEST)
        assert answer(client).startswith(b"HTTP/1.1 408 ")


def test_one_client_cannot_take_the_connections_of_others() -> None:
    with (
        limited(connections=8, per_client=4, header_seconds=60, request_seconds=60) as address,
        half_sent(address, 4, HALF_A_REQUEST) as begun,
    ):
        # The newest connection takes the place of the one that has waited longest.
        assert status(address) == 200
        assert answer(begun[0]) == b""
        for client in begun[1:]:
            client.sendall(b"x\r\nConnection: close\r\n\r\n")
            assert answer(client).endswith(b"0 bytes")


async def never_end(scope: Scope, receive: Receive, send: Send) -> None:
    """An application whose answer goes on until the client leaves."""
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"first", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass


def test_more_requests_at_once_than_a_client_may_have_are_refused_with_a_reason() -> None:
    listener = bound_socket("127.0.0.1", 0)
    full_request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with running(never_end, listener, ConnectionLimits(per_client=3)):
        address = listener.getsockname()
        with half_sent(address, 3, full_request) as clients:
            for client in clients:
                assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
            refused = httpx.get(f"http://127.0.0.1:{address[1]}/")
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "5"
