"""The server's app: REST, GraphQL and git over HTTP on loopback, with a log of its requests."""

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from agent.domain.errors import InputError
from evals.github_server.api_gateway import Api, SeenRequest
from evals.github_server.faults import Faults
from evals.github_server.git_store import GIT, GIT_ENVIRONMENT
from evals.github_server.http_responses import ClientMeters, Refusal, RequestAllowance, not_found
from evals.github_server.repositories import Hub
from evals.loopback import Loopback
from evals.worlds.data_model import Repo

_GIT_PATHS = ("/{owner}/{name}/info/refs", "/{owner}/{name}/git-upload-pack")
_LISTS_REFS = b"command=ls-refs"
_CLIENT_CLOSED_REQUEST = 499  # As nginx calls it; nobody is there to read it


class GitHubServer:
    """A GitHub for some repositories, on loopback: `with GitHubServer(repos) as server: … server.url`.

    `now` is the present of what is served: later pushes have not happened, later threads do not
    exist. `clock` measures rate limits. A token that is neither in `tokens` nor in `reading_tokens`,
    which may change nothing, is refused; a client without one is a guest.
    """

    def __init__(
        self,
        repos: Iterable[Repo],
        *,
        tokens: tuple[str, ...] = ("t0ken",),
        reading_tokens: tuple[str, ...] = ("reading-t0ken",),
        now: datetime | None = None,
        allowance: RequestAllowance | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.faults = Faults()
        self.git_fetches = 0  # How often a git client requested objects
        self._crashes: list[Exception] = []
        with ExitStack() as undo:
            folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="github-server-"))
            self._hub = undo.enter_context(closing(Hub(repos, Path(folder), now)))
            self._loopback = Loopback()
            undo.callback(self._loopback.stop)
            self._undo = undo.pop_all()
        self.url = self.git_url = self._loopback.url
        """The API's address, and what precedes `owner/name.git` for git; they are the same."""
        meters = ClientMeters(allowance or RequestAllowance(), clock)
        self._api = Api(self._hub, meters, self.faults, self.url, tokens, reading_tokens)
        git = [Route(path, self._serve_git, methods=["GET", "POST"]) for path in _GIT_PATHS]
        routes = [*git, *self._api.routes()]
        handlers = {ClientDisconnect: self._abandoned, Exception: self._crashed}
        self._app = Starlette(routes=routes, exception_handlers=handlers)

    def __enter__(self) -> Self:
        """Start to listen."""
        self._loopback.start(self._app)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop and clean up, and raise the first crash of a handler unless the block itself failed."""
        self._undo.close()
        if error is None and self._crashes:
            raise self._crashes[0]

    def cut(self) -> None:
        """Go offline: connections break, new ones are refused."""
        self._loopback.stop()

    def mend(self) -> None:
        """Come back online at the same address."""
        self._loopback.start(self._app)

    async def _abandoned(self, request: Request, error: Exception) -> Response:
        """Answer a client that left before its request was complete, as a killed run does."""
        return Response(status_code=_CLIENT_CLOSED_REQUEST)

    async def _crashed(self, request: Request, error: Exception) -> Response:
        """Record a crash; a client that leaves in the middle of a request is none."""
        if not isinstance(error, ClientDisconnect):
            self._crashes.append(error)
        return Refusal(500, "Server Error").response()

    @property
    def requests(self) -> list[SeenRequest]:
        """Every request to the API so far."""
        return list(self._api.hits)

    def forget(self) -> None:
        """Start counting requests anew."""
        self._api.hits.clear()
        self.git_fetches = 0

    def move_to(self, now: datetime | None) -> None:
        """Make another moment the present of everything that is served."""
        for repository in self._hub:
            repository.move_to(now)

    def set_push(self, full_name: str, index: int | None) -> None:
        """Move the default branch of a repository to where a push left it."""
        repository = self._hub.named(full_name)
        if repository is None:
            raise InputError(f"{full_name} is not served")
        repository.show(index)

    async def _serve_git(self, request: Request) -> Response:
        full_name = "{owner}/{name}".format(**request.path_params)
        repository = self._hub.named(full_name.removesuffix(".git"))
        if repository is None:
            return not_found().response()
        body = await request.body()
        # A client posts twice: first it lists refs, then it fetches objects, perhaps compressed.
        if request.method == "POST" and _LISTS_REFS not in body[:40]:
            self.git_fetches += 1
        service = "/".join(request.url.path.split("/")[3:])
        return _git_response(request, body, repository.git.git_dir, service)


def _git_response(request: Request, body: bytes, git_dir: Path, service: str) -> Response:
    """Run `git http-backend` as a CGI program."""
    environment = GIT_ENVIRONMENT | {
        "GIT_PROJECT_ROOT": str(git_dir.parent),
        "PATH_INFO": f"/{git_dir.name}/{service}",
        "GIT_HTTP_EXPORT_ALL": "1",
        "REMOTE_ADDR": "127.0.0.1",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.url.query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
    }
    command = [*GIT, "http-backend"]
    process = subprocess.run(command, env=environment, input=body, capture_output=True, check=False)
    header_lines, _, content = process.stdout.partition(b"\r\n\r\n")
    headers: dict[str, str] = {}
    for line in header_lines.decode("latin-1").split("\r\n"):
        name, separator, value = line.partition(": ")
        if separator:
            headers[name] = value
    status = headers.pop("Status", "200" if header_lines else "500")
    return Response(content, int(status.split()[0]), headers)
