"""A command on a pseudo-terminal, typed into and watched as a person would."""

import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[1]
_PATIENCE = 90.0  # Seconds for something to be shown, on a busy machine
_ROWS = 40
_COLUMNS = 200
# Tests in the background inherit that interrupts are ignored; a command from a shell does not.
_START = (
    "import fcntl, signal, sys, termios; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from gitzette.cli import main; sys.exit(main(sys.argv[1:]))"
)
INTERRUPT = "\x03"
END = "\x04"


class Terminal:
    """A gitzette command in a terminal of its own: `with Terminal(["chat"]) as chat: …`."""

    def __init__(self, arguments: Sequence[str], **environ: str) -> None:
        self._arguments = arguments
        self._environ = os.environ | {"TERM": "dumb", "PYTHONPATH": str(ROOT)} | environ
        self.shown = ""

    def __enter__(self) -> Self:
        self._screen, keyboard = os.openpty()
        fcntl.ioctl(keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *self._arguments],
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            env=self._environ,
            start_new_session=True,
        )
        os.close(keyboard)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._screen)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._screen, text.encode())

    def until(self, text: str) -> str:
        """Wait until a text is shown; return everything shown since the last wait."""
        deadline = time.monotonic() + _PATIENCE
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} never came; shown: {self.shown!r}"
            ready, _, _ = select.select([self._screen], [], [], 1)
            if ready:
                self.shown += os.read(self._screen, 65_536).decode("utf-8", errors="replace")
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def end(self) -> int:
        """Wait for the end of the command; return its status."""
        # The system says that the other side is gone by an error.
        with suppress(OSError):
            while piece := os.read(self._screen, 65_536):
                self.shown += piece.decode("utf-8", errors="replace")
        return self._process.wait(_PATIENCE)
