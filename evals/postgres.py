"""A PostgreSQL server of one's own: on loopback, in a temporary folder, gone at the end."""

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

from agent.domain.base import MissingPackages, StorageError

_FOLDERS = Path("/usr/lib/postgresql")
_USER = "postgres"
_PATIENCE = 60.0


def missing_postgres() -> str | None:
    """Say what workers need and this machine has not; nothing where all is there."""
    if importlib.util.find_spec("procrastinate") is None:
        return str(MissingPackages("this"))
    return None if _programs() else "PostgreSQL is not installed: apt install postgresql"


def _programs() -> Path | None:
    """Find the folder of the newest server, as Debian has it, or on the path."""
    found = sorted(_FOLDERS.glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    other = shutil.which("initdb")
    return found[-1].parent if found else Path(other).parent if other else None


class PostgresServer:
    """A server that can be stopped and started again; `durable` waits for the disk, as a real one does."""

    def __init__(self, *, durable: bool = False) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="gitzette-postgres-"))
        self._durable = durable
        # It refuses to run as root.
        self._user = _USER if os.geteuid() == 0 else None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where a client finds its first database."""
        return self.address_of(_USER)

    def address_of(self, name: str) -> str:
        """Where a client finds a database."""
        return f"postgresql://{_USER}@127.0.0.1:{self._port}/{name}"

    def create(self, name: str) -> None:
        """Make one more database."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self._port), "-U", _USER, name)

    def __enter__(self) -> Self:
        if self._user:
            shutil.chown(self._folder, self._user)
        self._run(
            "initdb",
            "--username",
            _USER,
            "--auth",
            "trust",
            "--encoding",
            "UTF8",
            "--no-sync",
            "-D",
            "data",
        )
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        fast = [] if self._durable else ["-c", "fsync=off", "-c", "full_page_writes=off"]
        settings = [
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "max_connections=200",
        ]
        programs = _programs()
        assert programs is not None
        command = [
            str(programs / "postgres"),
            "-D",
            "data",
            "-p",
            str(self._port),
            *settings,
            *fast,
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self._folder, user=self._user, stdout=log, stderr=log
            )
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            if self._run("pg_isready", "-h", "127.0.0.1", "-p", str(self._port), check=False) == 0:
                return
            time.sleep(0.1)
        raise StorageError(f"PostgreSQL does not start; see {self._folder / 'log'}")

    def stop(self) -> None:
        """Stop the server at once; whoever is connected is cut off."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_PATIENCE)

    def _run(self, program: str, *arguments: str, check: bool = True) -> int:
        programs = _programs()
        assert programs is not None
        command = [str(programs / program), *arguments]
        done = subprocess.run(
            command, cwd=self._folder, user=self._user, capture_output=True, check=check
        )
        return done.returncode
