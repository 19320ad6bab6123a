"""A web application on loopback, in a thread that stops at once whatever its connections are doing."""

import asyncio
import socket
import struct
import threading

import uvicorn
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

HOST = "127.0.0.1"
_KEEP_ALIVE_SECONDS = 3600
_LINGER = struct.pack("ii", 1, 0)  # Closing the socket sends a reset


class Loopback:
    """A socket whose address is known before it listens; it can be restarted at the same address."""

    def __init__(self) -> None:
        self._listener = _listener(0)
        self.url = f"http://{HOST}:{self._listener.getsockname()[1]}"

    def start(self, app: ASGIApp) -> None:
        """Start to serve an application."""
        if self._listener.fileno() < 0:
            self._listener = _listener(int(self.url.rpartition(":")[2]))
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(app)))
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Break all connections, and refuse new ones."""
        if self._listener.fileno() >= 0 and hasattr(self, "_thread"):
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
        self._listener.close()

    async def _serve(self, app: ASGIApp) -> None:
        config = uvicorn.Config(
            app, lifespan="off", ws="none", log_config=None, log_level="critical"
        )
        config.timeout_keep_alive = _KEEP_ALIVE_SECONDS
        state = ServerState()
        self._loop = asyncio.get_running_loop()
        server = await self._loop.create_server(
            lambda: _Connection(config, state, {}), sock=self._listener
        )
        self._ready.set()
        await self._stop.wait()
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()


def _listener(port: int) -> socket.socket:
    listener = socket.create_server((HOST, port), backlog=128)
    # Otherwise a body waits 40 ms for the acknowledgement of its headers.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class _Connection(H11Protocol):
    """A connection that an application can reach, to break it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.app_state = {"transport": transport}
        super().connection_made(transport)


def reset_connection(scope: Scope) -> None:
    """Break the connection of a request with a reset."""
    transport = scope["state"]["transport"]
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
    transport.abort()
