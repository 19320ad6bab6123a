"""The command `eval`, as a user runs it; the sets here need mirrors, and say so."""

import json
from pathlib import Path

import pytest

from gitzette.cli import main


def test_sets_run_apart_leave_files_and_are_not_run_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, html = tmp_path / "out", tmp_path / "page.html"
    command = ["eval", "reading", "facts-cost", "--out", str(out), "--html", str(html)]
    assert main(command) == 0
    told = capfd.readouterr()
    assert "reading: skipped" in told.out
    assert "reading: skipped, it needs real mirrors" in told.err
    assert {file.name for file in out.iterdir()} == {"results.jsonl", "summary.json", "junit.xml", "history", "sets"}
    assert "Gitzette, evaluated" in html.read_text()
    assert main([*command, "--resume", "--json"]) == 0
    told = capfd.readouterr()
    assert told.err.count("kept from before") == 2
    assert json.loads(told.out) == {"sets": {"reading": {}, "facts-cost": {}}}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["none"], "no evaluation set 'none'"),
        (["windows", "--resume"], "--resume needs the folder"),
        (["windows", "--trials", "0"], "at least 1"),
        (["windows", "--repo", "a/b"], "has no path"),
        (["windows", "--since", "2026-01-01"], "go together"),
        (["record"], "eval record --repo"),
    ],
)
def test_what_cannot_be_meant_is_told_in_one_line(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *arguments]) == 2
    assert why in capsys.readouterr().err


def test_days_are_recorded_from_a_clone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from evals.worlds.worlds import build

    repo = build("demo", 1, tmp_path / "world").repos[0]
    given = ["--repo", f"{repo.full_name}={repo.git_dir}", "--since", "2026-02-04", "--until", "2026-02-05"]
    assert main(["eval", "record", *given, "--out", str(tmp_path / "kept")]) == 0
    (folder,) = (tmp_path / "kept").iterdir()
    assert str(folder) in capsys.readouterr().out
    assert {file.name for file in folder.iterdir()} == {"repo.git", "threads.json", "cases.jsonl", "manifest.json"}
