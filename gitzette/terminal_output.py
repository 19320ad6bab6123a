"""The output of the commands in a terminal: progress and messages on stderr, results on stdout."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from agent.domain.base import RepoId
from agent.ports import Progress


def say(text: object) -> None:
    """Print a message as one line on stderr."""
    sys.stderr.write(f"gitzette: {' '.join(str(text).split())}\n")
    sys.stderr.flush()


def as_json(data: object) -> str:
    """Return a result as JSON."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def print_markdown(text: str) -> None:
    """Print Markdown, rendered if stdout is a terminal."""
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
        is_complete = done >= total
        if self._last.get(repo) == what and not is_complete:
            return
        self._last[repo] = what
        count = f" ({total})" if total and is_complete else ""
        self._stream.write(f"gitzette: {repo}: {what}{count}\n")
        self._stream.flush()


class QuietProgress:
    """Prints nothing, for runs that nobody watches."""

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Ignore a step."""


@contextmanager
def progress(stream: TextIO | None = None) -> Iterator[Progress]:
    """Yield what prints a line for each repository, redrawn in place on a terminal."""
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
    tasks: dict[RepoId, TaskID] = {}

    class LiveProgress(Bars):
        """Redraws the line of a repository."""

        def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
            if repo not in tasks:
                tasks[repo] = self.add_task(what, total=None, repo=repo)
            self.update(tasks[repo], description=what, completed=done, total=total or None)

    columns = (
        SpinnerColumn(),
        TextColumn("{task.fields[repo]}", markup=False),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
    )
    with LiveProgress(*columns, console=console) as display:
        yield display
        for task in tasks.values():
            display.update(task, description="done", completed=1, total=1)
