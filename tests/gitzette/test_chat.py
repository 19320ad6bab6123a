"""`gitzette chat`: lines from a pipe or a terminal, answered one after the other in a thread."""

import io
import re
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from tests.gitzette.conftest import Command, Engine
from tests.terminal import END, INTERRUPT, Terminal

FEBRUARY = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"
PROMPT = "gitzette> "


def test_a_pipe_gets_answers_in_one_thread_and_no_prompt(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (FEBRUARY, "", "is:lucky", "what did Ada do to MAX_ROUTES?")
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    result = command("chat", "--thread", "talk", *engine.repo)
    assert result.status == 0
    assert "gitzette>" not in result.out + result.err
    assert "\x1b" not in result.out + result.err
    assert "from `22` to `12`" in result.out
    # What cannot be answered is told in one line, and the chat goes on.
    assert "is:" in result.err
    assert "Add the router" in result.out
    assert result.err.endswith("gitzette: go on with: gitzette chat --thread talk\n")


def test_a_chat_says_which_days_were_read_and_which_were_not(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in ("2026-02-01", "2026-02-03", "2026-02-04"):
        assert command("run", "--date", day, *engine.repo).status == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("what did Ada do to MAX_ROUTES?\n"))
    result = command("chat", *engine.repo)
    match = re.search(r"Searched acme/engine, (.+) \(UTC\): (\d+) commits", result.out)
    assert match is not None, result.out
    *days, last_days = match[1].split(", ")
    assert days == ["2026-02-01", "2026-02-03 to 2026-02-04"]
    # Of the last days only that is known which the clone has: it may not have been fetched since.
    first_day, _, end = last_days.partition(" to ")
    assert first_day == str((datetime.now(UTC) - timedelta(days=7)).date())
    assert end in newest_commit(engine)
    assert match[2] == "4"


def newest_commit(engine: Engine) -> set[str]:
    """Return the minute of the newest commit, and that of the second after it, as answers write them.

    What was read ends with the second after the commit.
    """
    log = ["git", "-C", str(engine.folder), "log", "-1", "--format=%ct"]
    result = subprocess.run(log, check=True, capture_output=True, text=True).stdout
    landed = datetime.fromtimestamp(int(result), UTC)
    return {f"{moment:%Y-%m-%d %H:%M}" for moment in (landed, landed + timedelta(seconds=1))}


def test_a_clone_that_was_not_fetched_is_not_called_read_to_this_day(
    engine: Engine, command: Command
) -> None:
    git = ["git", "-C", str(engine.folder)]
    subprocess.run([*git, "reset", "-q", "--hard", "HEAD~1"], check=True)
    for day in ("2026-02-03", "2026-02-04", "2026-02-06"):
        assert command("run", "--date", day, *engine.repo).status == 0
    result = command("ask", "what did Ada do to MAX_ROUTES?", *engine.repo)
    assert "Searched acme/engine, 2026-02-03 to 2026-02-04 09:00 (UTC): 2 commits" in result.out
    assert "The clone of acme/engine ends with a commit of 2026-02-04 09:00" in result.out
    result = command("ask", "what changed?", "--since", "2026-03-01", *engine.repo)
    assert "Nothing of acme/engine was read from 2026-03-01 to " in result.out
    # What is fetched later is read by the next question, however old it is.
    yesterday = datetime.now(UTC) - timedelta(days=1)
    engine.commit("Count the routes", yesterday, router="MAX_ROUTES = 12\nROUTES = 0\n")
    result = command("ask", "what changed in the routes?", *engine.repo)
    assert "Count the routes" in result.out
    assert "ends with a commit" not in result.out


def test_the_status_of_a_pipe_is_that_of_its_last_question(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for last, status in (("who removed TURBO_MODE on 2026-02-03?", 4), ("why " * 2_000, 2)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{FEBRUARY}\n{last}\n"))
        assert command("chat", *engine.repo).status == status


@pytest.mark.usefixtures("corner")
def test_a_terminal_has_a_prompt_and_is_told_how_to_go_on(engine: Engine) -> None:
    with Terminal(["chat", "--thread", "tty", *engine.repo]) as chat:
        chat.until(PROMPT)
        chat.type(f"{FEBRUARY}\n")
        assert "from 22 to 12" in chat.until(PROMPT)
        chat.type("is:lucky\n")
        assert "is:" in chat.until(PROMPT)
        chat.type(END)
        assert chat.end() == 0
        assert "go on with: gitzette chat --thread tty" in chat.shown


def test_an_interrupt_stops_the_question_and_not_the_conversation(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # It takes the connection and never says a word.
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        arguments = ["chat", "--thread", "stubborn", "--source", "api", "--repo", "acme/engine"]
        with Terminal(arguments, GITZETTE_GITHUB_URL=address) as chat:
            chat.until(PROMPT)
            for _ in range(2):
                chat.type("what changed on 2026-01-05?\n")
                chat.until("listing commits")
                chat.type(INTERRUPT)
                assert "stopped; the conversation goes on" in chat.until(PROMPT)
            chat.type("/quit\n")
            assert chat.end() == 0
    # The thread was not left damaged or locked.
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{FEBRUARY}\n"))
    result = command("chat", "--thread", "stubborn", *engine.repo)
    assert "from `22` to `12`" in result.out


def test_a_chat_keeps_to_the_bounds_of_its_command(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = ["--since", "2026-02-03", "--until", "2026-02-04"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("what changed in MAX_ROUTES?\n"))
    result = command("chat", *bounds, *engine.repo)
    assert "Raise the limit" in result.out
    assert "Lower the limit" not in result.out
    result = command("chat", "--since", "2026-02-04", "--until", "2026-02-03", *engine.repo)
    assert (result.status, result.out) == (2, "")
    assert "there is no time" in result.err


def test_ask_without_a_question_is_a_chat(
    engine: Engine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{FEBRUARY}\n"))
    result = command("ask", "--thread", "talk", *engine.repo)
    assert "from `22` to `12`" in result.out
    assert result.err.endswith("gitzette: go on with: gitzette chat --thread talk\n")
