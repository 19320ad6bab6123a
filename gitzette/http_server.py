"""HTTP servers of Gitzette, each run on an address that is bound before it is announced."""

import ipaddress
import socket
import sys
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from agent.domain.errors import UsageError
from gitzette.http_limits import ConnectionLimits, ConnectionRegistry, LimitedProtocol

_SHUTDOWN_SECONDS = 3
_ACCEPT_QUEUE = 128


def bound_socket(host: str, port: int) -> socket.socket:
    """Bind an address, so that a port in use is reported in one line; port 0 takes any."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = addresses[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{host!r} is no address of this machine; use 127.0.0.1") from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another --port"
        ) from error
    return listener


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def address_of(listener: socket.socket) -> str:
    """Return the address of a socket as a browser takes it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server_of(app: ASGIApp, limits: ConnectionLimits) -> uvicorn.Server:
    """Return a server for an application that no single client can occupy."""
    protocol: Any = partial(LimitedProtocol, registry=ConnectionRegistry(limits))
    config = uvicorn.Config(
        app,
        http=protocol,
        log_level="error",  # Requests that are not HTTP would each be a line of the log
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)


def listen(app: ASGIApp, listener: socket.socket, announcement: str) -> None:
    """Serve until interrupted; the announcement goes to stderr once requests are taken."""
    listener.listen(_ACCEPT_QUEUE)
    sys.stderr.write(f"gitzette: {announcement}\n")
    sys.stderr.flush()
    try:
        server_of(app, ConnectionLimits()).run(sockets=[listener])
    finally:
        listener.close()
