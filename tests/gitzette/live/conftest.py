"""A live page in a process of its own, over a small clone with two reported days."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from gitzette.cli import main

ROOT = Path(__file__).parents[3]
Serving = Callable[..., str]


class Engine(Protocol):
    """The clone of the fixture."""

    @property
    def repo(self) -> list[str]: ...


@pytest.fixture
def serving(engine: Engine, corner: Path) -> Iterator[Serving]:
    """Start live pages with some options; gives the address of each."""
    del corner
    for day in ("2026-02-03", "2026-02-04"):
        assert main(["run", "--date", day, *engine.repo]) == 0
    with ExitStack() as stack:

        def start(*options: str, **variables: str) -> str:
            command = [sys.executable, "-m", "gitzette", "serve", "--port", "0", *options, *engine.repo]
            environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
            process = stack.enter_context(subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True))
            stack.callback(process.terminate)
            assert process.stderr is not None
            return process.stderr.readline().split(" is at ")[1].strip().rstrip("/")

        yield start
