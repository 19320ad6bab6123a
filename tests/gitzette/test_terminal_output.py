"""Progress: plain lines in a log, a display on a terminal that is left in order."""

import io
import os
import re
from contextlib import suppress

from agent.domain.base import RepoId
from gitzette.terminal_output import progress

A = RepoId("octo/router")
B = RepoId("octo/kernels")


def test_a_log_gets_one_line_for_each_step_and_one_when_it_is_complete() -> None:
    log = io.StringIO()
    with progress(log) as display:
        display.step(A, "opening")
        display.step(B, "opening")
        for done in range(1, 101):
            display.step(A, "reading diffs", done, 100)
        display.step(B, "reading diffs", 1, 1)
    assert log.getvalue().splitlines() == [
        "gitzette: octo/router: opening",
        "gitzette: octo/kernels: opening",
        "gitzette: octo/router: reading diffs",
        "gitzette: octo/router: reading diffs (100)",
        "gitzette: octo/kernels: reading diffs (1)",
    ]


def everything_on(screen: int) -> str:
    """Return what a terminal was sent until it was closed."""
    pieces: list[bytes] = []
    with os.fdopen(screen, "rb", buffering=0) as terminal, suppress(OSError):
        while piece := terminal.read(65_536):
            pieces.append(piece)
    return b"".join(pieces).decode("utf-8")


def shows_its_cursor(text: str) -> bool:
    return text.rfind("\x1b[?25h") >= text.rfind("\x1b[?25l")


def test_a_terminal_shows_every_repository_with_its_count_and_is_left_in_order() -> None:
    screen, keyboard = os.openpty()
    with os.fdopen(keyboard, "w", encoding="utf-8") as terminal, progress(terminal) as display:
        # What looks like markup is text.
        display.step(A, "opening [bold]")
        display.step(B, "reading diffs", 3, 7)
        display.step(A, "reading diffs", 7, 7)
    text = everything_on(screen)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    for repo in (A, B):
        assert re.search(rf"{repo}\s+done .*1/1", plain)
    assert shows_its_cursor(text)


def test_an_interrupted_run_leaves_the_terminal_in_order() -> None:
    screen, keyboard = os.openpty()
    terminal = os.fdopen(keyboard, "w", encoding="utf-8")
    with terminal, suppress(KeyboardInterrupt), progress(terminal) as display:
        display.step(A, "opening")
        raise KeyboardInterrupt
    text = everything_on(screen)
    assert A in text
    assert shows_its_cursor(text)
