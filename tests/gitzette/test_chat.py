"""`gitzette chat` as a user meets it: lines from a pipe, and a real terminal with interrupts, history and commands."""

import fcntl
import io
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from gitzette.cli import main
from tests.gitzette.conftest import Engine

FEBRUARY = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"
# Whoever runs the tests in the background hands on that interrupts are ignored; a terminal does not.
_START = (
    "import fcntl, signal, sys, termios; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from gitzette.cli import main; sys.exit(main(sys.argv[1:]))"
)


pytestmark = pytest.mark.usefixtures("corner")

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Pipe lines into a chat; gives its status, what it answered and what it told beside."""

    def piped(*lines: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main(["chat", "--thread", "talk", *engine.repo])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return piped


def test_a_pipe_gets_answers_sources_and_no_prompt(say: Say) -> None:
    status, out, err = say(
        FEBRUARY, "", "/sources", "/open 1", "/nonsense", "/open one", "what did Ada do to MAX_ROUTES?"
    )
    assert status == 0
    assert "gitzette>" not in out + err
    assert "\x1b" not in out + err
    assert re.search(r"  1\. acme/engine@[0-9a-f]{7} Lower the limit of routes", out)
    assert re.search(r"     https://github\.com/acme/engine/commit/[0-9a-f]{40}\n", out)
    assert "Author: Grace\nLanded: 2026-02-04 09:00 UTC\nFiles: 1, +1 -1\n" in out
    assert "-MAX_ROUTES = 22\n+MAX_ROUTES = 12\n" in out
    # A wrong command is told in one line, and the chat goes on.
    assert "there is no command /nonsense; /help lists them" in err
    assert "/open takes the number of a citation" in err
    assert "Add the router" in out.rpartition("-MAX_ROUTES = 22")[2]


# ---------------------------------------------------------------- a terminal


class Screen:
    """A chat on a pseudo-terminal: types, and waits for what is shown."""

    def __init__(self, arguments: list[str]) -> None:
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        env = os.environ | {"TERM": "dumb"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, "chat", *arguments],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def until(self, wanted: str) -> str:
        """Wait until a text is shown, and give everything since the last wait."""
        deadline = time.monotonic() + 60
        while wanted not in self.shown:
            ready, _, _ = select.select([self.master], [], [], 1)
            assert time.monotonic() < deadline, f"{wanted!r} never came; shown: {self.shown!r}"
            if not ready:
                continue
            try:
                self.shown += os.read(self.master, 65_536).decode("utf-8", errors="replace")
            except OSError:
                assert wanted in self.shown, f"ended without {wanted!r}: {self.shown!r}"
        before, _, self.shown = self.shown.partition(wanted)
        return before + wanted

    def end(self) -> int:
        """Read to the end and give the status."""
        with suppress(OSError):
            while piece := os.read(self.master, 65_536):
                self.shown += piece.decode("utf-8", errors="replace")
        return self.process.wait(30)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)


@pytest.fixture
def screen() -> Iterator[Callable[..., Screen]]:
    screens: list[Screen] = []

    def opened(*arguments: str) -> Screen:
        screens.append(Screen(list(arguments)))
        return screens[-1]

    yield opened
    for one in screens:
        one.close()


def test_an_interrupt_stops_the_question_and_not_the_conversation(
    engine: Engine, screen: Callable[..., Screen], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["ask", FEBRUARY, "--thread", "stubborn", *engine.repo]) == 0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # It takes the connection and never says a word.
        monkeypatch.setenv("GITZETTE_GITHUB_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        chat = screen("--thread", "stubborn", "--source", "api", "--repo", "acme/engine")
        assert f"the last question: {FEBRUARY}" in chat.until("gitzette> ")
        chat.type("what changed on 2026-01-05?\n")
        chat.until("listing commits")
        chat.type("\x03")
        assert "stopped; the conversation goes on" in chat.until("gitzette> ")
        chat.type("/sources\n")
        assert "Lower the limit" in chat.until("gitzette> ")
        chat.type("/quit\n")
        assert chat.end() == 0
