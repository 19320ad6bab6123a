"""How the servers of Gitzette listen: the address is taken before it is announced, in one line on stderr."""

import ipaddress
import socket
import sys

import uvicorn
from starlette.types import ASGIApp

from agent.domain.base import UsageError

_GOODBYE_SECONDS = 3


def bound_socket(host: str, port: int) -> socket.socket:
    """Take the address now, so that a port in use is told in one line; port 0 takes any."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
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
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def address_of(listener: socket.socket) -> str:
    """Write where a socket listens, as a browser takes it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(app: ASGIApp, listener: socket.socket, announced: str) -> None:
    """Serve until interrupted; the line goes to stderr as soon as requests are taken."""
    listener.listen(128)
    sys.stderr.write(f"gitzette: {announced}\n")
    sys.stderr.flush()
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=_GOODBYE_SECONDS,
        limit_concurrency=64,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
