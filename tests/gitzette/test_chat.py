"""`gitzette chat` as a user meets it: lines from a pipe, and a real terminal with interrupts, history and commands."""

import fcntl
import io
import os
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest

from evals.github_server.app import GitHubServer
from evals.worlds.model import World
from evals.worlds.worlds import build
from gitzette.cli import main

FEBRUARY = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"
# Whoever runs the tests in the background hands on that interrupts are ignored; a terminal does not.
_START = (
    "import fcntl, signal, sys, termios; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from gitzette.cli import main; sys.exit(main(sys.argv[1:]))"
)


class Engine(Protocol):
    """The clone of the fixture."""

    @property
    def repo(self) -> list[str]: ...

    def cloned(self, folder: Path) -> "Engine": ...

    def commit(self, subject: str, when: datetime, author: str = "Ada", **files: str) -> str: ...


pytestmark = pytest.mark.usefixtures("corner")

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Pipe lines into a chat; gives its status, what it answered and what it told beside."""

    def piped(*lines: str, thread: str = "talk") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main(["chat", "--thread", thread, *engine.repo])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return piped


def test_a_pipe_gets_answers_and_no_prompt(say: Say) -> None:
    status, out, err = say(FEBRUARY, "", "what did Ada do to MAX_ROUTES?")
    assert status == 0
    assert "Lower the limit of routes" in out
    assert "Add the router" in out
    assert "gitzette>" not in out + err
    assert "\x1b" not in out + err


def test_sources_are_numbered_and_can_be_opened(say: Say) -> None:
    _, out, _ = say(FEBRUARY, "/sources", "/open 1")
    assert re.search(r"  1\. acme/engine@[0-9a-f]{7} Lower the limit of routes", out)
    assert re.search(r"     https://github\.com/acme/engine/commit/[0-9a-f]{40}\n", out)
    assert "Author: Grace\nLanded: 2026-02-04 09:00 UTC\nFiles: 1, +1 -1\n" in out
    assert "-MAX_ROUTES = 22\n+MAX_ROUTES = 12\n" in out


def test_long_evidence_comes_by_pages_and_hidden_signs_are_shown(say: Say, engine: Engine) -> None:
    lines = "".join(f"ROW_{number} = {number}\n" for number in range(150))
    engine.commit("Add \x1b[31mrows\u202e of old", datetime(2026, 3, 3, 9, tzinfo=UTC), rows=lines)
    _, out, err = say("what changed on 2026-03-03?", "/open 1", "/open 1 3", "/open 1 9")
    assert "Add <U+001B>[31mrows<U+202E> of old" in out
    assert "-- page 1 of 3" in out
    assert "+ROW_149 = 149\n" in out
    assert "it has 3 pages" in err
    assert "\x1b" not in out + err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/nonsense", "there is no command /nonsense; /help lists them"),
        ("/open", "/open takes the number of a citation"),
        ("/open 7", "/open takes the number of a citation"),
        ("/open one", "/open takes the number of a citation"),
        ("/repo other", "'other' is not one of acme/engine"),
        ("/since whenever", "write it as 2026-02-04"),
        ("/thread ../x", "no name for a thread"),
        ("/sources 3", "/sources takes nothing behind it"),
    ],
)
def test_a_wrong_command_is_told_in_one_line_and_the_chat_goes_on(say: Say, line: str, said: str) -> None:
    status, out, err = say(line, "/thread")
    assert status == 0
    assert said in err
    assert "thread talk, 0 questions so far" in out


def test_since_bounds_the_questions_that_name_no_time(say: Say) -> None:
    _, out, _ = say("what changed in MAX_ROUTES on 2026-02-03?", "/since 2026-02-04", "what changed in MAX_ROUTES?")
    answer = out.rpartition("looking from 2026-02-04 on\n")[2]
    assert "Lower the limit" in answer
    assert "Raise the limit" not in answer


@pytest.fixture
def both(engine: Engine, tmp_path: Path) -> list[str]:
    """Two repositories: the engine, and another in which the same limit was changed by somebody else."""
    other = engine.cloned(tmp_path / "kernels")
    other.commit("Route more", datetime(2026, 2, 5, 9, tzinfo=UTC), "Linus", router="MAX_ROUTES = 64\n")
    return [*engine.repo, "--repo", f"acme/kernels={tmp_path / 'kernels'}"]


def talk(
    lines: tuple[str, ...], repos: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Give the answer to each line, told apart by where each of them says it has looked."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n/thread\n" for line in lines)))
    main(["chat", "--thread", "two", *repos])
    return re.split(r"thread two, \d+ questions? so far\n", capsys.readouterr().out)[: len(lines)]


def test_the_same_is_asked_of_another_repository_and_another_day(
    both: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ("MAX_ROUTES on 2026-02-05 repo:engine", "repo:acme/kernels MAX_ROUTES on 2026-02-05", "那 2026-02-04 呢？")
    engine, kernels, day = talk(lines, both, monkeypatch, capsys)
    assert "Searched acme/engine from 2026-02-05 to 2026-02-06" in engine
    assert "acme/kernels" not in engine
    assert "Route more" in kernels
    assert "Lower the limit" in day
    assert "已搜索 acme/kernels，2026-02-04 至 2026-02-05" in day


def test_a_chat_can_be_narrowed_to_one_repository_and_widened_again(
    both: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "is:commit since:2026-02-05 until:2026-02-06"
    lines = ("/repo KERNELS", question, "/repo", "/repo all", question)
    narrowed, one, told, widened, two = talk(lines, both, monkeypatch, capsys)
    assert narrowed == told == "looking at acme/kernels\n"
    assert "Searched acme/engine" not in one
    assert "1 found for `is:commit`" in one
    assert widened == "looking at acme/engine, acme/kernels\n"
    assert "Searched acme/kernels" in two
    assert "Searched acme/engine" in two


def test_several_lines_can_be_one_question(say: Say) -> None:
    _, out, _ = say("what changed in MAX_ROUTES \\", "between 2026-02-01 \\", "and 2026-02-04?")
    assert out.count("Searched ") == 1
    assert "Lower the limit of routes" in out


def test_a_chat_without_a_name_tells_its_name_at_the_end(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{FEBRUARY}\n"))
    assert main(["chat", *engine.repo]) == 0
    name = re.search(r"go on with: gitzette chat --thread (\S+)$", capsys.readouterr().err.strip())
    assert name is not None
    monkeypatch.setattr(sys, "stdin", io.StringIO("/thread\n"))
    assert main(["chat", "--thread", name[1], *engine.repo]) == 0
    assert "1 question so far" in capsys.readouterr().out


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

    def until(self, wanted: str, again: str = "") -> str:
        """Wait until a text is shown, and give everything since the last wait; nothing comes: type something again."""
        deadline = time.monotonic() + 60
        while wanted not in self.shown:
            ready, _, _ = select.select([self.master], [], [], 1)
            assert time.monotonic() < deadline, f"{wanted!r} never came; shown: {self.shown!r}"
            if not ready:
                self.type(again)
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
def screen(request: pytest.FixtureRequest) -> Iterator[Callable[..., Screen]]:
    screens: list[Screen] = []

    def opened(*arguments: str) -> Screen:
        screens.append(Screen(list(arguments)))
        return screens[-1]

    yield opened
    for one in screens:
        one.close()


def test_a_terminal_has_a_prompt_numbers_to_open_and_a_private_history(
    engine: Engine, corner: Path, screen: Callable[..., Screen]
) -> None:
    chat = screen("--thread", "tty", *engine.repo)
    assert "acme/engine; 0 questions so far\r\n/help lists the commands" in chat.until("gitzette> ")
    chat.type(f"{FEBRUARY}\n")
    answer = chat.until("gitzette> ")
    assert "acme/engine: reading diffs (3)" in answer
    assert re.search(r"2026-02-04 [0-9a-f]{7} \[1\] Lower the limit", answer)
    assert "https://" not in answer
    assert "\\" not in answer
    chat.type("/open 1\n")
    assert "+MAX_ROUTES = 12" in chat.until("gitzette> ")
    chat.type("who wrote \\\n")
    chat.until("... ")
    chat.type("MAX_ROUTES?\n")
    assert "Grace" in chat.until("gitzette> ")
    chat.type("half a ques")
    chat.until("half a ques")
    chat.type("\x03")
    # An interrupt in the instant before somebody listens is noticed with the next key.
    chat.until("Ctrl-D or /quit ends", again="\x03")
    chat.until("gitzette> ")
    chat.type("\x04")
    assert chat.end() == 0
    assert "gitzette chat --thread tty" in chat.shown
    history = corner / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert FEBRUARY in history.read_text()


def test_an_interrupt_stops_the_question_and_not_the_conversation(
    engine: Engine, screen: Callable[..., Screen], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["ask", FEBRUARY, "--thread", "stubborn", *engine.repo]) == 0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # It takes the connection and never says a word.
        monkeypatch.setenv("GITZETTE_GITHUB_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        chat = screen("--thread", "stubborn", "--source", "api", "--repo", "acme/engine")
        assert f"1 question so far; the last one: {FEBRUARY}" in chat.until("gitzette> ")
        chat.type("what changed on 2026-01-05?\n")
        chat.until("listing commits")
        chat.type("\x03")
        assert "stopped; the conversation goes on" in chat.until("gitzette> ")
        chat.type("/thread\n")
        assert "thread stubborn, 1 question so far" in chat.until("gitzette> ")
        chat.type("/sources\n")
        assert "Lower the limit" in chat.until("gitzette> ")
        chat.type("/quit\n")
        assert chat.end() == 0


# ---------------------------------------------------------------- a served repository


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build("demo", 1, tmp_path_factory.mktemp("world"))


def test_an_issue_is_followed_up_and_its_text_opened(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = next(one for one in world.repos if one.issues)
    issue = repo.issues[0]
    lines = (
        f"is #{issue.number} fixed?",
        "/sources",
        "/open 1",
        f"那 #{issue.number} 是谁报告的？",
    )
    with GitHubServer(world.repos, tokens=("t",), now=world.now) as server:
        monkeypatch.setenv("GITZETTE_GITHUB_URL", server.url)
        monkeypatch.setenv("GITZETTE_GIT_URL", server.git_url)
        monkeypatch.setenv("GITHUB_TOKEN", "t")
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["chat", "--thread", "issue", "--repo", repo.full_name]) == 0
    out = capsys.readouterr().out
    assert f"  1. {repo.full_name}#{issue.number} {issue.title}" in out
    assert f"issue {repo.full_name}#{issue.number}\n{issue.title}\n" in out
    assert str(issue.author) in out
    assert "按名称找到" in out
