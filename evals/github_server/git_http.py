"""Git itself over HTTP: `git clone` and `git fetch` from the same server, through `git http-backend`."""

import gzip
import re
import subprocess
import zlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.github_server.git_store import git_environment
from evals.github_server.repositories import Hub
from evals.github_server.responses import not_found

_SERVICES = ("info/refs", "git-upload-pack")
_FETCH = re.compile(rb"[0-9a-f]{4}command=fetch")


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
        repository = self._hub.named(full_name) or self._hub.renamed(full_name)
        if repository is None:
            return not_found().response()
        body = await request.body()
        self.fetches += _FETCH.match(_plain(request, body)) is not None
        service = "/".join(request.url.path.split("/")[3:])
        return _ask_git(request, body, repository.git.git_dir, service)


def _plain(request: Request, body: bytes) -> bytes:
    if request.headers.get("content-encoding") != "gzip":
        return body
    try:
        return gzip.decompress(body)
    except (OSError, EOFError, zlib.error):
        return b""


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
