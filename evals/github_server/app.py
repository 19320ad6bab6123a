"""The server on its socket: started and stopped as a context manager, asked about what it saw, told what to break."""

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from agent.errors import InputError
from evals.github_server.faults import Faults
from evals.github_server.gateway import Gateway, Hit
from evals.github_server.githttp import GitLog, GitRequest
from evals.github_server.graphql import GraphQL
from evals.github_server.hub import Hosted, Hub
from evals.github_server.limits import Allowance, Limits
from evals.github_server.listener import Listener
from evals.github_server.rest import Rest
from evals.worlds.model import Repo

HOST = "127.0.0.1"


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
        issues_depth: int = 1000,
        port: int = 0,
    ) -> None:
        self.faults = Faults()
        self.limits = Limits(allowance or Allowance(), clock)
        self._git = GitLog()
        with ExitStack() as undo:
            folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="github-server-"))
            self._hub = undo.enter_context(closing(Hub(repos, Path(folder), now)))
            self._listener = Listener((HOST, port), self._hub, self.faults, self._git)
            undo.callback(self._listener.server_close)
            self._undo = undo.pop_all()
        self.url = self.git_url = f"http://{HOST}:{self._listener.server_address[1]}"
        """The API's address, and what precedes `owner/name.git` for git; they are the same."""
        graphql = GraphQL(self._hub, self.limits, self.url)
        rest = Rest(self._hub, self.limits, self.url, issues_depth)
        self._gateway = Gateway(
            rest, graphql, origin=self.url, tokens=tokens, limits=self.limits, faults=self.faults, grow=self.set_push
        )
        self._listener.gateway = self._gateway
        self._thread = threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        """Start to listen."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and tell what crashed, if nothing worse is on its way."""
        self.close()
        if error is None and self._listener.crashes:
            raise self._listener.crashes[0]

    def close(self) -> None:
        """Stop listening and remove every trace."""
        if self._thread.is_alive():
            self._listener.shutdown()
            self._thread.join()
        self._undo.close()

    @property
    def ghe_url(self) -> str:
        """The API's address in the style of GitHub Enterprise (GraphQL is then at `/api/graphql`)."""
        return f"{self.url}/api/v3"

    @property
    def requests(self) -> list[Hit]:
        """Every request to the API so far."""
        return list(self._gateway.hits)

    @property
    def git_requests(self) -> list[GitRequest]:
        """Every request of git clients so far."""
        return list(self._git.requests)

    @property
    def git_sessions(self) -> int:
        """How many times a git client connected: a clone is one, each fetch is one."""
        return self._git.sessions

    @property
    def git_fetches(self) -> int:
        """How many times a git client asked for objects."""
        return sum(request.command == "fetch" for request in self._git.requests)

    def forget(self) -> None:
        """Start counting requests anew."""
        self._gateway.hits.clear()
        self._git.requests.clear()

    def set_push(self, full_name: str, index: int | None) -> None:
        """Let the default branch of a repository stand where a push left it."""
        hosted = self._hosted(full_name)
        with self._hub.lock:
            hosted.show(index)

    def reload(self, full_name: str) -> None:
        """Read the refs of a repository again, after somebody committed to it."""
        hosted = self._hosted(full_name)
        with self._hub.lock:
            hosted.show(hosted.push)

    def _hosted(self, full_name: str) -> Hosted:
        if (hosted := self._hub.named(full_name)) is None:
            raise InputError(f"{full_name} is not served")
        return hosted


def serve_forever(repos: Iterable[Repo], port: int, *, tokens: tuple[str, ...] = ("t0ken",)) -> None:
    """Serve until interrupted, and say where."""
    with GitHubServer(repos, tokens=tokens, port=port) as server:
        sys.stderr.write(f"GitHub on {server.url}, git on {server.git_url}/OWNER/NAME.git\n")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return
