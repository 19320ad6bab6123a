"""`gitzette chat`: lines from a pipe, answered one after the other in a thread."""

import io
import sys

import pytest

from tests.gitzette.conftest import Command, Engine

FEBRUARY = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"


def test_a_pipe_gets_answers_in_one_thread_and_no_prompt(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (FEBRUARY, "", "is:lucky", "what did Ada do to MAX_ROUTES?")
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    told = command("chat", "--thread", "talk", *engine.repo)
    assert told.status == 0
    assert "gitzette>" not in told.out + told.err
    assert "\x1b" not in told.out + told.err
    assert "from `22` to `12`" in told.out
    # What cannot be answered is told in one line, and the chat goes on.
    assert "is:" in told.err
    assert "Add the router" in told.out
    assert told.err.endswith("gitzette: go on with: gitzette chat --thread talk\n")
