"""Progress: plain lines in a log, a live display on a terminal."""

import io
import os
import re
from contextlib import suppress

from agent.domain.base import RepoId
from gitzette.progress import progress

A, B = RepoId("octo/router"), RepoId("octo/kernels")


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


def test_a_terminal_shows_every_repository_with_its_count_and_is_left_in_order() -> None:
    reader, writer = os.openpty()
    with os.fdopen(writer, "w", encoding="utf-8") as terminal, progress(terminal) as display:
        display.step(A, "opening [bold]")
        display.step(B, "reading diffs", 3, 7)
        display.step(A, "reading diffs", 7, 7)
    pieces: list[bytes] = []
    with os.fdopen(reader, "rb", buffering=0) as shown_in, suppress(OSError):
        while piece := shown_in.read(65_536):
            pieces.append(piece)
    shown = b"".join(pieces).decode("utf-8")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert re.search(r"octo/router\s+done .*1/1", plain)
    assert re.search(r"octo/kernels\s+done .*1/1", plain)
    # The cursor that the display hides is shown again.
    assert shown.rfind("\x1b[?25h") >= shown.rfind("\x1b[?25l")
