"""The demonstration, end to end: a world, its GitHub, git over HTTP, and a report."""

import json
from pathlib import Path

import pytest

from gitzette.cli import main


@pytest.mark.parametrize("source", [None, "api", "git"])
def test_the_demo_reports_on_every_landed_commit(
    source: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--demo", "--json", *(["--source", source] if source else [])]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["failures"] == []
    assert len(data["ledger"]) == len({row["sha"] for row in data["ledger"]}) >= 30
    assert all(row["files"] is not None for row in data["ledger"])
    assert set(data["footer"]["threads"].values()) == ({"not read"} if source == "git" else {"read"})


def test_the_demo_speaks_both_languages_with_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pages = {}
    for lang in ("en", "zh"):
        assert main(["run", "--demo", "--lang", lang, "--layout", "ledger", "--out", lang]) == 0
        pages[lang] = (tmp_path / lang / "reports" / "2026-02-04.md").read_text().splitlines()
    rows = {lang: [line for line in page if line.startswith("| [")] for lang, page in pages.items()}
    assert rows["en"]
    assert [row.split(" | ")[:2] for row in rows["en"]] == [row.split(" | ")[:2] for row in rows["zh"]]
    capsys.readouterr()
