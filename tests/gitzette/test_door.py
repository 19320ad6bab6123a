"""What a newcomer meets first: grouped help, the brief on the terminal, the site in a browser."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from agent.browser_urls import Web
from gitzette.render.page_composition import page_model
from gitzette.terminal_brief import print_brief
from tests.analysed_report import LIMIT, analysed_report
from tests.gitzette.conftest import Command, Demonstration, Engine
from tests.gitzette.test_terminal_output import everything_on

WEB = Web("https://git.example")


def test_help_lists_the_commands_in_groups(command: Command) -> None:
    text = command().out
    groups = re.findall(r"(?m)^  ([a-z ]+):$", text)
    assert groups == ["every day", "ask", "check", "team", "developers"]
    assert re.search(r"(?m)^    show +show a report, a commit, an issue or a release$", text)
    assert text.index("    run ") < text.index("    ask ") < text.index("    eval ")


def test_a_terminal_shows_the_news_the_brief_and_what_to_act_on_with_links() -> None:
    screen, keyboard = os.openpty()
    with os.fdopen(keyboard, "w", encoding="utf-8") as terminal:
        print_brief(page_model(analysed_report(), "en", WEB), Path("site/en/day.html"), terminal)
    text = everything_on(screen)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;[^\x1b]*\x1b\\", "", text)
    plain = " ".join(plain.split())
    assert plain.startswith(
        "router: Routing refuses more than 8 experts 2026-02-04 · 1 breaking · 6 commits"
    )
    assert "• The router refuses more than 8 experts" in plain
    assert "Must know (1) ◆ Routing refuses more than 8 experts" in plain
    assert "`" not in plain
    assert f"https://git.example/octo/router/commit/{LIMIT}" in text
    assert "/site/en/day.html" in text


def test_run_prints_the_brief_on_a_terminal_and_the_path_alone_into_a_pipe(
    engine: Engine, command: Command, tmp_path: Path
) -> None:
    run = ["run", *engine.repo, "--date", "2026-02-04", "--out", "news"]
    assert command(*run).out == "news/reports/2026-02-04.md\n"
    screen, keyboard = pty.openpty()
    seen = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    root = Path(__file__).parents[2]
    environ = os.environ | {"PYTHONPATH": str(root), "BROWSER": f"{browser} %s", "TERM": "xterm"}
    with os.fdopen(keyboard, "w") as terminal:
        done = subprocess.run(
            [sys.executable, "-m", "gitzette", *run, "--open"],
            stdout=terminal,
            stderr=subprocess.PIPE,
            env=environ,
            check=False,
        )
    text = everything_on(screen)
    assert done.returncode == 0, done.stderr
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert "• MAX_ROUTES changes from 22 to 12." in plain
    assert text.rstrip().endswith("news/reports/2026-02-04.md")
    address = seen.read_text().strip()
    assert address == Path("news/site/en/days/2026-02-04.html").resolve().as_uri()
    assert Path("news/site/en/days/2026-02-04.html").is_file()


def test_the_demonstration_builds_its_site(demonstration: Demonstration) -> None:
    assert (demonstration.out / "site" / "index.html").is_file()
    assert "site/index.html" in demonstration.result.err
