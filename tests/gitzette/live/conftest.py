"""Live pages over a small clone with two reported days: on real sockets, in threads of the test or a process."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

from agent.settings.values import RepoSpec, Settings
from gitzette.cli import main
from gitzette.http_limits import ConnectionLimits
from gitzette.http_server import address_of, bound_socket, server_of
from gitzette.live.app import app

ROOT = Path(__file__).parents[3]
Serving = Callable[..., str]


@contextmanager
def running(
    application: ASGIApp, listener: socket.socket, limits: ConnectionLimits | None = None
) -> Iterator[None]:
    """Serve an application in a thread, as the command does."""
    listener.listen()
    server = server_of(application, limits or ConnectionLimits())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def listening(settings: Settings, token: str | None) -> Iterator[str]:
    listener = bound_socket("127.0.0.1", 0)
    page = app(settings, dict(os.environ), settings.out / "site", token)
    with running(page, listener):
        yield address_of(listener)


@pytest.fixture
def reported(engine: Any, corner: Path) -> Settings:
    """Report on two days; gives the settings of live pages about them."""
    # In a thread of its own: a browser keeps an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        for day in ("2026-02-03", "2026-02-04"):
            assert pool.submit(main, ["run", "--date", day, *engine.repo]).result() == 0
    return Settings(
        repos=(RepoSpec.model_validate(engine.repo[1]),), out=Path.cwd() / "gazette", home=corner
    )


@pytest.fixture
def serving(reported: Settings) -> Iterator[Serving]:
    """Start live pages; gives the address of each."""
    with ExitStack() as stack:
        yield lambda token=None: stack.enter_context(listening(reported, token))
