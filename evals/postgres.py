"""A PostgreSQL server on loopback, in a temporary folder that is removed at the end."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from agent.domain.errors import MissingPackages, StorageError

_DEBIAN_FOLDER = Path("/usr/lib/postgresql")
_HOST = "127.0.0.1"
_USER = "postgres"
_MAX_WAIT_SECONDS = 60.0
_SETTINGS = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200")
_FAST_SETTINGS = ("fsync=off", "full_page_writes=off")


def missing_postgres() -> str | None:
    """Return what workers need and this machine lacks; None where everything is there."""
    if importlib.util.find_spec("procrastinate") is None:
        return str(MissingPackages("this"))
    if _programs() is None:
        return "PostgreSQL is not installed: apt install postgresql"
    return None


def _programs() -> Path | None:
    """Return the folder of the newest server, where Debian installs it or on the path."""
    versions = sorted(_DEBIAN_FOLDER.glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if versions:
        return versions[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def _program(name: str) -> str:
    programs = _programs()
    assert programs is not None
    return str(programs / name)


class PostgresServer:
    """A server that can be restarted; `durable` makes it wait for the disk, as a real one does."""

    def __init__(self, *, durable: bool = False) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="gitzette-postgres-"))
        self._durable = durable
        # PostgreSQL refuses to run as root.
        self._user = _USER if os.geteuid() == 0 else None
        with socket.socket() as unused:
            unused.bind((_HOST, 0))
            self._port = unused.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """The address of its first database."""
        return self.address_of(_USER)

    def address_of(self, name: str) -> str:
        """Return the address of a database."""
        return f"postgresql://{_USER}@{_HOST}:{self._port}/{name}"

    def create(self, name: str) -> None:
        """Create another database."""
        self._run("createdb", *self._location, "-U", _USER, name)

    @property
    def _location(self) -> tuple[str, ...]:
        return ("-h", _HOST, "-p", str(self._port))

    def __enter__(self) -> Self:
        if self._user:
            shutil.chown(self._folder, self._user)
        options = ["--username", _USER, "--auth", "trust", "--encoding", "UTF8", "--no-sync"]
        self._run("initdb", *options, "-D", "data")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        command = [_program("postgres"), "-D", "data", "-p", str(self._port)]
        for setting in _SETTINGS if self._durable else (*_SETTINGS, *_FAST_SETTINGS):
            command += ["-c", setting]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self._folder, user=self._user, stdout=log, stderr=log
            )
        deadline = time.monotonic() + _MAX_WAIT_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if self._run("pg_isready", *self._location, check=False) == 0:
                return
            time.sleep(0.1)
        raise StorageError(f"PostgreSQL does not start; see {self._folder / 'log'}")

    def stop(self) -> None:
        """Stop the server at once, which closes all connections."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_MAX_WAIT_SECONDS)

    def _run(self, program: str, *arguments: str, check: bool = True) -> int:
        process = subprocess.run(
            [_program(program), *arguments],
            cwd=self._folder,
            user=self._user,
            capture_output=True,
            check=check,
        )
        return process.returncode
