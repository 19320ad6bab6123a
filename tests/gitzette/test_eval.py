"""The command `eval`, as a user runs it; the sets here need mirrors, and say so."""

import json
from pathlib import Path

import pytest

from gitzette.cli import main


def test_sets_run_apart_leave_files_and_are_not_run_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, html = tmp_path / "out", tmp_path / "page.html"
    command = ["eval", "griffe", "facts-cost", "--out", str(out), "--html", str(html)]
    assert main(command) == 0
    told = capfd.readouterr()
    assert "griffe: skipped" in told.out
    assert "griffe: skipped, it needs real mirrors" in told.err
    assert {file.name for file in out.iterdir()} == {"results.jsonl", "summary.json", "junit.xml", "history", "sets"}
    assert "Gitzette, evaluated" in html.read_text()
    assert main([*command, "--resume", "--json"]) == 0
    told = capfd.readouterr()
    assert told.err.count("kept from before") == 2
    assert json.loads(told.out) == {"sets": {"griffe": {}, "facts-cost": {}}}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["none"], "no evaluation set 'none'"),
        (["windows", "--resume"], "--resume needs the folder"),
        (["windows", "--trials", "0"], "at least 1"),
        (["windows", "--repo", "a/b"], "has no path"),
        (["windows", "--since", "2026-01-01"], "go together"),
    ],
)
def test_what_cannot_be_meant_is_told_in_one_line(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *arguments]) == 2
    assert why in capsys.readouterr().err


def test_the_gate_says_that_everything_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "facts-cost", "--gate"]) == 0
    assert "gate: everything holds" in capsys.readouterr().out
