"""The demonstration, end to end: a world, its GitHub, git over HTTP, recorded answers, and a report."""

import json
from pathlib import Path

import pytest

from gitzette.cli import main

RECORD = "gitzette/data/demo_answers.json is stale; record it anew: python scripts/record_demo.py URL"


def test_the_rules_report_on_every_landed_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--demo", "--analyst", "rules", "--json", "--source", "api"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["failures"] == []
    assert len(data["ledger"]) == len({row["sha"] for row in data["ledger"]}) >= 30
    assert all(row["files"] is not None for row in data["ledger"])
    assert set(data["footer"]["threads"].values()) == {"read"}


def test_recorded_answers_analyse_the_demonstration_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--demo", "--json", "--lang", "zh"]) == 0
    told = capsys.readouterr()
    assert "has no answers" not in told.err, RECORD
    data = json.loads(told.out)
    judged = [one for one in data["claims"] if one["judged_by"]]
    assert len(judged) >= 30
    assert {one["judged_by"] for one in judged} == {"recorded answers"}
    folder = tmp_path / "gazette-demo" / "reports"
    for page in ("2026-02-04.md", "2026-02-04.en.md"):
        assert "`recorded answers`" in (folder / page).read_text("utf-8")


def test_where_answers_are_missing_the_rules_do_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--demo", "--date", "2026-02-03", "--json"]) == 0
    told = capsys.readouterr()
    assert "gitzette: demo_answers.json has no answers for this; the rules write the report\n" in told.err
    assert not [one for one in json.loads(told.out)["claims"] if one["judged_by"]]
