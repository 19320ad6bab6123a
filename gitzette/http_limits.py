"""An HTTP protocol with deadlines for requests and limits on connections.

uvicorn waits forever for the rest of a request, and counts such a connection against
`limit_concurrency`, which refuses everybody once it is reached.
"""

import asyncio
import ipaddress
from dataclasses import dataclass
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_IPV6_CLIENT_BITS = 64  # A client with IPv6 can choose any address of its network
_RETRY_SECONDS = 5
_TIMEOUT_RESPONSE = (
    b"HTTP/1.1 408 Request Timeout\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: 35\r\n"
    b"Connection: close\r\n\r\n"
    b"the request did not arrive in time\n"
)


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """Limits of a server: the connections it keeps, and the time it waits for a client."""

    connections: int = 256
    per_client: int = 64
    header_seconds: float = 10.0
    """For the headers, from the moment the server can take the request."""
    request_seconds: float = 30.0
    """For the body, from the moment the headers are complete."""
    unread_seconds: float = 60.0
    """For a client to read on, once it leaves so much of an answer unread that buffers are full."""


class ConnectionRegistry:
    """The open connections of a server, and which of them must make way for a new one."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        # In the order in which they began to wait for a request.
        self._open: dict[LimitedProtocol, None] = {}

    def add(self, connection: "LimitedProtocol") -> None:
        """Register a connection; over a limit, close another one that waits for its request.

        Connections that are being answered are never closed. If there is no other, the new one
        stays, and its request is refused unless some answer has ended by then.
        """
        self._open[connection] = None
        same_client = self._of_client(connection.client_key)
        if len(same_client) > self.limits.per_client:
            _close_longest_waiting(same_client, connection)
        elif len(self._open) > self.limits.connections:
            _close_longest_waiting(self._of_busiest_client(), connection)

    def answered(self, connection: "LimitedProtocol") -> None:
        """Note that a connection waits for its next request from now on."""
        if connection in self._open:
            del self._open[connection]
            self._open[connection] = None

    def remove(self, connection: "LimitedProtocol") -> None:
        """Forget a connection that is closed."""
        self._open.pop(connection, None)

    def refusal(self, connection: "LimitedProtocol") -> PlainTextResponse | None:
        """Return the answer for a request that is one too many, or None if it may be served."""
        answering = [other for other in self._open if other.is_answering and other != connection]
        same_client = [other for other in answering if other.client_key == connection.client_key]
        headers = {"Retry-After": str(_RETRY_SECONDS), "Connection": "close"}
        if len(same_client) >= self.limits.per_client:
            return PlainTextResponse("too many requests at once from you", 429, headers)
        if len(answering) >= self.limits.connections:
            return PlainTextResponse("too many requests at once", 503, headers)
        return None

    def _of_client(self, client_key: str) -> list["LimitedProtocol"]:
        return [connection for connection in self._open if connection.client_key == client_key]

    def _of_busiest_client(self) -> list["LimitedProtocol"]:
        """Return the waiting connections of the client that has most of them."""
        waiting: dict[str, list[LimitedProtocol]] = {}
        for connection in self._open:
            if not connection.is_answering:
                waiting.setdefault(connection.client_key, []).append(connection)
        return max(waiting.values(), key=len, default=[])


def _close_longest_waiting(
    candidates: list["LimitedProtocol"], newcomer: "LimitedProtocol"
) -> None:
    for connection in candidates:
        if connection is not newcomer and not connection.is_answering:
            connection.close()
            return


class LimitedProtocol(H11Protocol):
    """A connection on which requests must arrive in time.

    A deadline runs at all times, except while a complete request is being answered.
    """

    def __init__(self, *args: Any, registry: ConnectionRegistry, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.client_key = ""
        self._registry = registry
        self._limits = registry.limits
        self._served_app = self.app
        self.app = self._serve_or_refuse
        self._deadline: asyncio.TimerHandle | None = None
        self._waits_for_body = False
        self._unread_deadline: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Return True while a complete request is being answered."""
        return self._has_request and not self.cycle.more_body

    @property
    def _has_request(self) -> bool:
        """Return True from the end of a request's headers to the end of its answer."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(  # type: ignore[override]  # as in the base class
        self, transport: asyncio.Transport
    ) -> None:
        """Take a new connection, and wait for its first request."""
        super().connection_made(transport)
        self.client_key = _client_key(self.client[0] if self.client else "")
        self._registry.add(self)
        self._update_deadline()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._update_deadline()

    def on_response_complete(self) -> None:
        """Go on to the next request of the connection."""
        super().on_response_complete()
        self._registry.answered(self)
        self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._registry.remove(self)
        self._cancel_deadline()
        self._cancel_unread_deadline()

    def pause_writing(self) -> None:
        """Wait, but not forever, for a client that does not read its answer."""
        super().pause_writing()
        self._cancel_unread_deadline()
        self._unread_deadline = self.loop.call_later(self._limits.unread_seconds, self.close)

    def resume_writing(self) -> None:
        """Go on with an answer that the client reads again."""
        super().resume_writing()
        self._cancel_unread_deadline()

    def close(self) -> None:
        """Close the connection at once, whatever is still to be sent."""
        self.transport.abort()

    def _update_deadline(self) -> None:
        if self.is_answering or self.transport.is_closing():
            self._cancel_deadline()
            return
        if self._deadline is not None and self._waits_for_body == self._has_request:
            return
        self._cancel_deadline()
        self._waits_for_body = self._has_request
        limits = self._limits
        seconds = limits.request_seconds if self._waits_for_body else limits.header_seconds
        self._deadline = self.loop.call_later(seconds, self._give_up)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cancel_unread_deadline(self) -> None:
        if self._unread_deadline is not None:
            self._unread_deadline.cancel()
            self._unread_deadline = None

    def _give_up(self) -> None:
        """Close a connection whose request did not arrive in time; say so if it had begun."""
        self._deadline = None
        if self.transport.is_closing():
            return
        unprocessed, _ = self.conn.trailing_data
        has_begun = self._waits_for_body or unprocessed
        is_unanswered = not self._waits_for_body or not self.cycle.response_started
        if has_begun and is_unanswered:
            self.transport.write(_TIMEOUT_RESPONSE)
        self.transport.close()

    async def _serve_or_refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._registry.refusal(self)
        application = refusal or self._served_app
        await application(scope, receive, send)


def _client_key(host: str) -> str:
    """Return what the addresses of one client have in common."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_CLIENT_BITS), strict=False))
