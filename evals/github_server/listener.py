"""HTTP/1.1 on a socket: reading requests, writing answers, and breaking connections where a fault asks for it."""

import socket
import struct
import sys
import threading
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import unquote

from evals.github_server import githttp
from evals.github_server.faults import Fault, Faults
from evals.github_server.gateway import Delivery, Gateway
from evals.github_server.githttp import GitLog
from evals.github_server.hub import Hosted, Hub
from evals.github_server.wire import Answer, Request

MAX_BODY = 256 << 20
SLICES = 8
# The longest a "slow" answer may take, whatever the script says: a test must end.
MAX_SECONDS = 30.0
_RESET = struct.pack("ii", 1, 0)


class Listener(ThreadingHTTPServer):
    """The listening socket with a thread for each connection; it can end them all."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 128
    gateway: Gateway

    def __init__(self, address: tuple[str, int], hub: Hub, faults: Faults, git_log: GitLog) -> None:
        super().__init__(address, _Handler)
        self.hub, self.faults, self.git_log = hub, faults, git_log
        self.stopping = threading.Event()
        self.crashes: list[BaseException] = []
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def server_bind(self) -> None:
        """Take the port, without asking a name server who we are, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, so that it can be ended."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection; one that is to be reset must not say goodbye first."""
        with self._lock:
            self._open.discard(request)
        if request.fileno() >= 0 and request.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == _RESET:
            request.close()
        else:
            super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what crashed; a client that went away is none of it."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError | TimeoutError):
            self.crashes.append(error)

    def server_close(self) -> None:
        """End every connection, then the socket."""
        self.stopping.set()
        with self._lock:
            waiting = list(self._open)
        for connection in waiting:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # It was over already.
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def _any(self) -> None:
        request = self._request()
        if request is None:
            return
        hosted, service = self._git_target(request)
        if hosted is not None:
            self._git(request, hosted, service)
        else:
            self._send(request, self.server.gateway.deliver(request))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = _any  # noqa: N815 - the library's

    # ------------------------------------------------------------ reading

    def _request(self) -> Request | None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        try:
            body = self._body(headers)
        except ValueError:
            self.close_connection = True
            self.send_error(HTTPStatus.BAD_REQUEST)
            return None
        return Request(self.command, path, query, headers, body)

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return b"".join(self._chunks())
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= MAX_BODY:
            raise ValueError(length)
        return self.rfile.read(length)

    def _chunks(self) -> Iterator[bytes]:
        left = MAX_BODY
        while size := int(self.rfile.readline(100).split(b";")[0].strip() or b"0", 16):
            left -= size
            if size < 0 or left < 0:
                raise ValueError(size)
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            continue  # Trailers say nothing we need.

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing; what was asked is kept in `requests`."""

    # ------------------------------------------------------------ writing

    def _head(self, status: int, headers: dict[str, str]) -> bytes:
        reason = HTTPStatus(status).phrase
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def _send(self, request: Request, delivery: Delivery) -> None:
        answer, fault = delivery.answer, delivery.fault
        headers = dict(answer.headers)
        if answer.status != HTTPStatus.NOT_MODIFIED:
            headers |= {"Content-Type": answer.media, "Content-Length": str(len(answer.body))}
        head = self._head(answer.status, headers)
        body = b"" if request.method == "HEAD" else answer.body
        if fault is None:
            self.wfile.write(head + body)
        else:
            self._break(fault, head, body)

    def _break(self, fault: Fault, head: bytes, body: bytes) -> None:
        if fault.kind == "slow":
            self._dribble(head + body, min(fault.seconds, MAX_SECONDS))
            return
        self.close_connection = True
        if fault.kind == "half_body":
            # An empty body cannot be halved; then the head is.
            self.wfile.write(head + body[: len(body) // 2] if body else head[: len(head) // 2])
        else:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

    def _dribble(self, data: bytes, seconds: float) -> None:
        size = max(1, -(-len(data) // SLICES))
        for start in range(0, len(data), size):
            self.server.stopping.wait(seconds / SLICES)
            self.wfile.write(data[start : start + size])

    # ------------------------------------------------------------ git

    def _git_target(self, request: Request) -> tuple[Hosted | None, str]:
        found = githttp.wanted(unquote(request.path))
        if found is None:
            return None, ""
        hub = self.server.hub
        return hub.named(found[0]) or hub.renamed(found[0]), found[1]

    def _git(self, request: Request, hosted: Hosted, service: str) -> None:
        self.server.git_log.add(githttp.record(request, hosted.full_name, service))
        fault = self.server.faults.take(request, git=True)
        if fault is not None and fault.kind in ("reset", "half_body"):
            self._break(fault, b"", b"")
            return
        if fault is not None and fault.kind == "bad_gateway":
            self._send(request, Delivery(Answer.json({"message": "Server Error"}, status=502)))
            return
        if fault is not None and fault.kind == "slow":
            self.server.stopping.wait(min(fault.seconds, MAX_SECONDS))
        with githttp.respond(request, hosted.git.view.git_dir, service) as (status, headers, body):
            self.wfile.write(self._head(status, headers | {"Transfer-Encoding": "chunked"}))
            for chunk in body:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
