"""A real git server on loopback to fetch from."""

import gzip
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tests.made_repos import CLEAN, Work


class GitServer:
    """Serves the bare repositories below a folder with git's own `http-backend`, and fails on command."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.requests: list[
            tuple[str, str, str | None]
        ] = []  # Method, path and Authorization headers of each request
        self.faults: list[str] = []
        """What the next requests get instead of an answer: `502`, `404`, `401`, `reset`, `truncate`."""
        self.moved: dict[str, str] = {}  # Where requests below a path are sent instead
        self.hold = threading.Event()  # While set, requests are taken and not answered
        self.closed = threading.Event()
        self.asked = threading.Event()  # Set by the next request
        handler = type("Handler", (_Handler,), {"server_object": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        """Stop answering."""
        self.closed.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def publish(self, work: Work, repo: str = "acme/engine") -> Path:
        """Put a checkout's state on the server, also when that rewrites history."""
        bare = self.root / f"{repo}.git"
        if not bare.exists():
            bare.mkdir(parents=True)
            for arguments in (
                ["init", "--quiet", "--bare", "--initial-branch=main"],
                ["config", "uploadpack.allowFilter", "true"],
            ):
                subprocess.run(["git", *arguments], cwd=bare, env=CLEAN, check=True)
        work.git("push", "--quiet", "--force", "--mirror", str(bare))
        return bare

    @property
    def sessions(self) -> int:
        """How many times a git client connected."""
        return sum("/info/refs" in path for _, path, _ in self.requests)


class _Handler(BaseHTTPRequestHandler):
    server_object: ClassVar[GitServer]

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b"".join(iter(self._chunk, b""))
        self._answer(
            gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        )

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline(), 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def _answer(self, body: bytes) -> None:
        server = self.server_object
        server.asked.set()
        authorizations = self.headers.get_all("Authorization") or []
        server.requests.append((self.command, self.path, ", ".join(authorizations) or None))
        while server.hold.wait(0) and not server.closed.wait(0.01):
            pass
        fault = server.faults.pop(0) if server.faults else ""
        for old, new in server.moved.items():
            if self.path.startswith(old):
                self.send_response(301)
                self.send_header("Location", new + self.path.removeprefix(old))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        if fault.isdigit():
            self.send_error(int(fault))
        elif fault != "reset":
            self._serve(body, truncate=fault == "truncate")

    def _serve(self, body: bytes, *, truncate: bool) -> None:
        path, _, query = self.path.partition("?")
        environment = CLEAN | {
            "GIT_PROJECT_ROOT": str(self.server_object.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=environment, input=body, capture_output=True, check=False
        )
        headers, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [
            line.split(": ", 1) for line in headers.decode("latin-1").split("\r\n") if ": " in line
        ]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.send_response(status)
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if truncate else content)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    """A git server on loopback."""
    serving = GitServer(tmp_path / "served")
    yield serving
    serving.close()
