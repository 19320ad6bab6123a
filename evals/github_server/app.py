"""The server on its socket: REST, GraphQL and git on loopback until the block ends, and what it was asked."""

import asyncio
import socket
import subprocess
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
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from agent.domain.base import InputError
from evals.github_server.api import ENTERPRISE, Api, Hit
from evals.github_server.faults import Faults
from evals.github_server.git_store import git_environment
from evals.github_server.repositories import Hub
from evals.github_server.responses import Allowance, Limits, Refusal, not_found
from evals.worlds.model import Repo

HOST = "127.0.0.1"
_KEEP_ALIVE_SECONDS = 3600
_SERVICES = ("info/refs", "git-upload-pack")
_LISTS_REFS = b"command=ls-refs"


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
        self._api = Api(self._hub, limits, self.faults, self.url, tokens)
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


class GitHttp:
    """Serves the repositories of a hub to git clients, and counts how often they ask for objects."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.fetches = 0

    def routes(self) -> list[Route]:
        """Give the addresses that git clients ask."""
        return [Route(f"/{{owner}}/{{name}}/{service}", self._serve, methods=["GET", "POST"]) for service in _SERVICES]

    async def _serve(self, request: Request) -> Response:
        full_name = f"{request.path_params['owner']}/{request.path_params['name'].removesuffix('.git')}"
        repository = self._hub.named(full_name)
        if repository is None:
            return not_found().response()
        body = await request.body()
        # A client posts twice: first it lists refs, then it fetches objects, perhaps compressed.
        self.fetches += request.method == "POST" and _LISTS_REFS not in body[:40]
        service = "/".join(request.url.path.split("/")[3:])
        return _ask_git(request, body, repository.git.git_dir, service)


def _ask_git(request: Request, body: bytes, git_dir: Path, service: str) -> Response:
    """Let git answer, as a CGI program."""
    environment = git_environment(
        GIT_PROJECT_ROOT=str(git_dir.parent),
        PATH_INFO=f"/{git_dir.name}/{service}",
        GIT_HTTP_EXPORT_ALL="1",
        REMOTE_ADDR="127.0.0.1",
        REQUEST_METHOD=request.method,
        QUERY_STRING=request.url.query,
        CONTENT_TYPE=request.headers.get("content-type", ""),
        CONTENT_LENGTH=str(len(body)),
        HTTP_CONTENT_ENCODING=request.headers.get("content-encoding", ""),
        GIT_PROTOCOL=request.headers.get("git-protocol", ""),
    )
    done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=False)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200" if head else "500").split()[0])
    return Response(content, status, headers)


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
