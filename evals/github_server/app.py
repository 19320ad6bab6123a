"""The server on its socket: started and stopped as a context manager, asked about what it saw, told what to break."""

import asyncio
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from agent.domain.base import InputError
from evals.github_server.api import ENTERPRISE, Api, Hit
from evals.github_server.faults import Faults
from evals.github_server.git_http import GitHttp
from evals.github_server.limits import Allowance, Limits
from evals.github_server.repositories import Hub
from evals.github_server.responses import Refusal
from evals.worlds.model import Repo

HOST = "127.0.0.1"
_KEEP_ALIVE_SECONDS = 3600


class GitHubServer:
    """A GitHub for some repositories, on loopback: `with GitHubServer(repos) as server: … server.url`.

    `now` is the present of what is served: later pushes have not happened, later threads do not exist. `clock` is what
    rate limits are measured with. A token other than the known ones is refused; none at all is a guest.
    """

    def __init__(
        self,
        repos: Iterable[Repo],
        *,
        tokens: tuple[str, ...] = ("t0ken",),
        now: datetime | None = None,
        allowance: Allowance | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.faults = Faults()
        self._crashes: list[Exception] = []
        with ExitStack() as undo:
            folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="github-server-"))
            self._hub = undo.enter_context(closing(Hub(repos, Path(folder), now)))
            listener = undo.enter_context(socket.create_server((HOST, 0), backlog=128))
            self._undo = undo.pop_all()
        self._port = int(listener.getsockname()[1])
        self.url = self.git_url = f"http://{HOST}:{self._port}"
        """The API's address, and what precedes `owner/name.git` for git; they are the same."""
        self._git = GitHttp(self._hub)
        limits = Limits(allowance or Allowance(), clock)
        self._api = Api(self._hub, limits, self.faults, origin=self.url, tokens=tokens, set_push=self.set_push)
        self._app = Starlette(
            routes=[*self._git.routes(), *self._api.routes()], exception_handlers={Exception: self._crashed}
        )
        self._listening = _Listening(self._app, listener)

    def __enter__(self) -> Self:
        """Start to listen."""
        self._listening.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and tell what crashed, if nothing worse is on its way."""
        self.close()
        if error is None and self._crashes:
            raise self._crashes[0]

    def close(self) -> None:
        """Stop listening and remove every trace."""
        self._listening.stop()
        self._undo.close()

    def cut(self) -> None:
        """Be gone from the network: connections break, new ones are refused."""
        self._listening.stop()

    def mend(self) -> None:
        """Be there again, at the same address."""
        self._listening = _Listening(self._app, socket.create_server((HOST, self._port), backlog=128))
        self._listening.start()

    async def _crashed(self, request: Request, error: Exception) -> Response:
        self._crashes.append(error)
        return Refusal(500, "Server Error").response()

    @property
    def ghe_url(self) -> str:
        """The API's address in the style of GitHub Enterprise (GraphQL is then at `/api/graphql`)."""
        return f"{self.url}{ENTERPRISE}"

    @property
    def requests(self) -> list[Hit]:
        """Every request to the API so far."""
        return list(self._api.hits)

    @property
    def git_fetches(self) -> int:
        """How many times a git client asked for objects."""
        return self._git.fetches

    def forget(self) -> None:
        """Start counting requests anew."""
        self._api.hits.clear()
        self._git.fetches = 0

    def set_push(self, full_name: str, index: int | None) -> None:
        """Let the default branch of a repository stand where a push left it."""
        if (repository := self._hub.named(full_name)) is None:
            raise InputError(f"{full_name} is not served")
        repository.show(index)


class _Connection(H11Protocol):
    """A connection that faults can reach, to break it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.app_state = {"transport": transport}
        super().connection_made(transport)


class _Listening:
    """Uvicorn's connections on a socket in a thread of their own, which ends at once whatever they are doing."""

    def __init__(self, app: Starlette, listener: socket.socket) -> None:
        config: dict[str, Any] = {"lifespan": "off", "ws": "none", "log_config": None, "log_level": "critical"}
        self._config = uvicorn.Config(app, timeout_keep_alive=_KEEP_ALIVE_SECONDS, **config)
        self._listener = listener
        self._ready, self._stop = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        state = ServerState()
        server = await self._loop.create_server(lambda: _Connection(self._config, state, {}), sock=self._listener)
        self._ready.set()
        await self._stop.wait()
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()
