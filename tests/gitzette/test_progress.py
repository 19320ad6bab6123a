"""Progress: plain lines in a log."""

import io

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
