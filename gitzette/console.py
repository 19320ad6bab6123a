"""Where questions are typed: a prompt with history on a terminal, plain lines elsewhere."""

import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Protocol, TextIO

from agent.ids import RepoId
from agent.markdown import visible
from gitzette.progress import PlainProgress

_FENCES = ('"""', "'''", "```")
_MOST_LINES = 2_000
_HISTORY = 1_000


class Console(Protocol):
    """Gives one line after the other, and shows what is being done."""

    interactive: bool

    def line(self, prompt: str) -> str | None:
        """Read a line without its end; None at the end of the input."""
        ...

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Say what is being done for a repository."""
        ...

    def clear(self) -> None:
        """Take away what was only said while something was done."""
        ...


def print_markdown(text: str, out: TextIO | None = None) -> None:
    """Show Markdown as a terminal can; to anything else it is written as it is."""
    out = out or sys.stdout
    if not out.isatty():
        out.write(text)
        return
    from rich.console import Console as RichConsole
    from rich.markdown import Markdown

    RichConsole(file=out).print(Markdown(text))


def entry(console: Console, prompt: str) -> str | None:
    """Read one question or command: a line, lines that end with a backslash, or all between two fences."""
    text = console.line(prompt)
    if text is None:
        return None
    fence = next((one for one in _FENCES if text.lstrip().startswith(one)), None)
    if fence is not None:
        return _fenced(console, text.lstrip().removeprefix(fence), fence)
    lines = [text]
    while lines[-1].endswith("\\") and len(lines) < _MOST_LINES:
        lines[-1] = lines[-1].removesuffix("\\")
        if (more := console.line("... ")) is None:
            break
        lines.append(more)
    return "\n".join(lines)


def _fenced(console: Console, first: str, fence: str) -> str:
    lines = [first]
    while not lines[-1].rstrip().endswith(fence) and len(lines) < _MOST_LINES:
        if (more := console.line("... ")) is None:
            return "\n".join(lines)
        lines.append(more)
    lines[-1] = lines[-1].rstrip().removesuffix(fence)
    return "\n".join(lines)


class Pipe:
    """Reads lines from anything that is no terminal, with no prompt."""

    interactive = False

    def __init__(self, source: TextIO, told: TextIO) -> None:
        self._source = source
        self._progress = PlainProgress(told)

    def line(self, prompt: str) -> str | None:
        """Read a line; nobody sees a prompt."""
        del prompt
        text = self._source.readline()
        return text.removesuffix("\n").removesuffix("\r") if text else None

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Leave a line in the log."""
        self._progress.step(repo, what, done, total)

    def clear(self) -> None:
        """Leave the log as it is."""


class Terminal:
    """Reads lines that can be edited and found again, and shows one line of what is being done."""

    interactive = True

    def __init__(self, told: TextIO, history: "History") -> None:
        self._told = told
        self._history = history
        self._shown = False

    def line(self, prompt: str) -> str | None:
        """Read a line; an interrupt here is for whoever asked."""
        self.clear()
        try:
            text = input(prompt)
        except EOFError:
            return None
        self._history.keep()
        return text

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Redraw the line."""
        if not self._told.isatty():
            return
        width = shutil.get_terminal_size().columns - 1
        count = f" {done}/{total}" if total else ""
        self._told.write(f"\r\x1b[K{visible(f'{repo}: {what}{count}')[:width]}")
        self._told.flush()
        self._shown = True

    def clear(self) -> None:
        """Wipe the line."""
        if self._shown:
            self._told.write("\r\x1b[K")
            self._told.flush()
            self._shown = False


class History:
    """What was typed, in a private file; without readline there is none."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._readline = _readline()
        self._written = 0
        if self._readline is not None:
            # A file that cannot be read or written costs the history and nothing else.
            with suppress(OSError):
                os.close(os.open(file, os.O_CREAT | os.O_RDONLY, 0o600))
                self._readline.read_history_file(file)
                self._cut()
            self._written = self._readline.get_current_history_length()

    def keep(self) -> None:
        """Write down what is new; another chat may write to the same file."""
        if self._readline is not None:
            known, self._written = self._written, self._readline.get_current_history_length()
            with suppress(OSError):
                if self._written > known:
                    self._readline.append_history_file(self._written - known, self._file)

    def _cut(self) -> None:
        """Let the file not grow for ever."""
        if self._readline is not None and self._readline.get_current_history_length() > _HISTORY:
            self._readline.set_history_length(_HISTORY // 2)
            self._readline.write_history_file(self._file)
            self._file.chmod(0o600)

    def forget(self) -> None:
        """Let the process not know it any more."""
        if self._readline is not None:
            self._readline.clear_history()


def _readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:
        return None
    return readline


@contextmanager
def open_console(home: Path) -> Iterator[Console]:
    """Choose how to read by what the streams are; bytes that are no text are no reason to stop."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Pipe(sys.stdin, sys.stderr)
        return
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    history = History(home / "chat_history")
    terminal = Terminal(sys.stderr, history)
    try:
        yield terminal
    finally:
        terminal.clear()
        history.forget()
