"""What a person sees of a command: steps and remarks on stderr, results on stdout."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from agent.domain.base import RepoId
from agent.ports import Progress


def say(text: object) -> None:
    """Tell a person something in one line on stderr."""
    sys.stderr.write(f"gitzette: {' '.join(str(text).split())}\n")
    sys.stderr.flush()


def as_json(data: object) -> str:
    """Write a result as programs read it."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def print_markdown(text: str) -> None:
    """Show Markdown as a terminal can; to anything else it is written as it is."""
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(file=sys.stdout).print(Markdown(text))


class PlainProgress:
    """One line for each new step, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last: dict[RepoId, str] = {}

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Print a step when it begins, and again when its count is full."""
        if self._last.get(repo) != what or done >= total:
            self._last[repo] = what
            self._stream.write(
                f"gitzette: {repo}: {what}{f' ({total})' if total and done >= total else ''}\n"
            )
            self._stream.flush()


class QuietProgress:
    """Says nothing, for runs that nobody watches."""

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Keep silent."""


@contextmanager
def progress(stream: TextIO | None = None) -> Iterator[Progress]:
    """Show a line for each repository, redrawn in place; plain lines where the stream is no such terminal."""
    stream = stream or sys.stderr
    if not stream.isatty():
        yield PlainProgress(stream)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn
    from rich.progress import Progress as Bars

    console = Console(file=stream)
    if console.is_dumb_terminal:
        yield PlainProgress(stream)
        return
    names = (
        TextColumn("{task.fields[repo]}", markup=False),
        TextColumn("{task.description}", markup=False),
    )
    tasks: dict[RepoId, TaskID] = {}

    class LiveProgress(Bars):
        """Redraws the line of a repository."""

        def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
            if repo not in tasks:
                tasks[repo] = self.add_task(what, total=None, repo=repo)
            self.update(tasks[repo], description=what, completed=done, total=total or None)

    columns = (SpinnerColumn(), *names, BarColumn(bar_width=20), MofNCompleteColumn())
    with LiveProgress(*columns, console=console) as display:
        yield display
        for task in tasks.values():
            display.update(task, description="done", completed=1, total=1)
