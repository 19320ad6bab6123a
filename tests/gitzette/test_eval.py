"""The command `eval`, as a user runs it; the sets here need mirrors, and say so."""

import json
from pathlib import Path

import pytest

from evals.figures import Figure, Score, Target, share
from evals.gate import Breach, Change
from evals.tables import as_breaches, as_changes, as_table
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


def test_a_shortfall_is_red_names_its_case_and_stands_beside_the_last_release() -> None:
    figure = share([Score("claim 3 is not so", 0.0, "c3"), Score("well", 1.0, "c4")], Target(0.9))
    results = {"daily": {"claims": figure}, "griffe": dict[str, Figure]()}
    table = as_table(results, {"sets": {"daily": {"claims": 0.97}}}, colour=True)
    assert "\x1b[31m" in table
    assert "claim 3 is not so" in table
    assert "b3 0.97" in table
    assert "griffe: skipped" in table
    assert "\x1b" not in as_table(results)


def test_what_became_worse_is_listed_by_its_case() -> None:
    change = Change("daily", "claims", 9, -0.1, -0.2, 0.0, ("c1",), ("c7",))
    same = Change("daily", "order", 9, 0.0, 0.0, 0.0, (), ())
    told = as_changes([change, same])
    assert "1 worse, 1 better" in told
    assert "worse: c7" in told
    assert "1 figures are the same" in told


def test_a_broken_gate_prints_one_line_for_each_case() -> None:
    told = as_breaches([Breach("daily", "claims", "c7", "claim 7 is not so")])
    assert told == "gate: daily: claims: case c7: claim 7 is not so\n"
