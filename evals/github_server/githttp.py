"""Git itself over HTTP: `git clone` and `git fetch` from the same server, through `git http-backend`."""

import gzip
import re
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evals.github_server.view import git_environment
from evals.github_server.wire import Request

_PATH = re.compile(r"/([^/]+/[^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack|HEAD|objects/.*)")
_CHUNK = 1 << 16


@dataclass(frozen=True)
class GitRequest:
    """One request of a git client."""

    method: str
    repo: str
    service: str
    """`info/refs` starts every session with the server; `git-upload-pack` follows."""
    command: str
    """What the client wants of upload-pack: `ls-refs` or `fetch`; empty where the protocol does not say."""


def wanted(path: str) -> tuple[str, str] | None:
    """Tell the repository and the service a git client asks for; None if the path is not git's."""
    match = _PATH.fullmatch(path)
    return (match[1], match[2]) if match else None


def record(request: Request, repo: str, service: str) -> GitRequest:
    """Write down what a git client asked."""
    body = request.body
    if request.headers.get("content-encoding") == "gzip":
        try:
            body = gzip.decompress(body)
        except (OSError, EOFError, zlib.error):
            body = b""
    command = re.match(rb"[0-9a-f]{4}command=([a-z-]+)", body)
    return GitRequest(request.method, repo, service, command[1].decode() if command else "")


@contextmanager
def respond(request: Request, git_dir: Path, service: str) -> Iterator[tuple[int, dict[str, str], Iterator[bytes]]]:
    """Let git answer: the status, the headers and the body as it comes."""
    headers = {
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.raw_query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
    }
    environment = git_environment(
        GIT_PROJECT_ROOT=str(git_dir.parent),
        PATH_INFO=f"/{git_dir.name}/{service}",
        GIT_HTTP_EXPORT_ALL="1",
        REMOTE_ADDR="127.0.0.1",
        **headers,
    )
    with tempfile.TemporaryFile() as body:
        # A file, not a pipe: git may answer before it has read everything, and nobody must wait for the other.
        body.write(request.body)
        body.seek(0)
        pipe = subprocess.PIPE
        command = ["git", "http-backend"]
        with subprocess.Popen(command, env=environment, stdin=body, stdout=pipe, stderr=subprocess.DEVNULL) as process:
            try:
                status, answer_headers = _head(process)
                yield status, answer_headers, _body(process)
            finally:
                process.kill()


def _head(process: subprocess.Popen[bytes]) -> tuple[int, dict[str, str]]:
    assert process.stdout is not None
    status = 200
    headers: dict[str, str] = {}
    for line in iter(process.stdout.readline, b""):
        name, _, value = line.decode("latin-1").strip().partition(": ")
        if not name:
            return status, headers
        if name == "Status":
            status = int(value.split()[0])
        else:
            headers[name] = value
    return 500, {}


def _body(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None
    while chunk := process.stdout.read1(_CHUNK):  # type: ignore[attr-defined]
        yield chunk


class GitLog:
    """What git clients asked so far."""

    def __init__(self) -> None:
        self.requests: list[GitRequest] = []
        self._lock = threading.Lock()

    def add(self, request: GitRequest) -> None:
        """Write a request down."""
        with self._lock:
            self.requests.append(request)

    @property
    def sessions(self) -> int:
        """How many times a client connected: a clone is one, each fetch is one."""
        return sum(request.service == "info/refs" for request in self.requests)

    @property
    def packs(self) -> int:
        """How many times a client asked upload-pack for anything."""
        return sum(request.service == "git-upload-pack" for request in self.requests)
