"""Live pages over a small clone with two reported days: on real sockets, in threads of the test or a process."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from agent.settings.values import RepoSpec, Settings
from gitzette.cli import main
from gitzette.http_server import address_of, bound_socket
from gitzette.live.app import app

ROOT = Path(__file__).parents[3]
Serving = Callable[..., str]


@contextmanager
def listening(settings: Settings, token: str | None) -> Iterator[str]:
    listener = bound_socket("127.0.0.1", 0)
    listener.listen()
    page = app(settings, dict(os.environ), settings.out / "site", token)
    server = uvicorn.Server(
        uvicorn.Config(page, log_level="error", ws="none", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield address_of(listener)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def serving(engine: Any, corner: Path) -> Iterator[Serving]:
    """Start live pages; gives the address of each."""
    # In a thread of its own: a browser keeps an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        for day in ("2026-02-03", "2026-02-04"):
            assert pool.submit(main, ["run", "--date", day, *engine.repo]).result() == 0
    settings = Settings(
        repos=(RepoSpec.model_validate(engine.repo[1]),), out=Path.cwd() / "gazette", home=corner
    )
    with ExitStack() as stack:
        yield lambda token=None: stack.enter_context(listening(settings, token))
