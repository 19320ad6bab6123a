"""The command `audit`, as a person runs it."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitzette.cli import main

if TYPE_CHECKING:
    from tests.gitzette.conftest import Engine

CLEAN = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Make a repository with one commit; gives the option and the hash."""
    for name in ("GITHUB_TOKEN", "GITZETTE_GITHUB_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "engine"
    path.mkdir()
    (path / "core.py").write_text("limit = 8\n")
    sides = {f"GIT_{side}_{name}": value for side in ("AUTHOR", "COMMITTER") for name, value in _PERSON.items()}
    for arguments in (
        ("init", "-q", "--initial-branch=main"),
        ("add", "."),
        ("commit", "-q", "-m", "Set the limit (#7)"),
    ):
        subprocess.run(["git", *arguments], cwd=path, env=CLEAN | sides, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=path, env=CLEAN, capture_output=True, text=True, check=True)
    return f"acme/engine={path}", head.stdout.strip()


_PERSON = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-03-10T09:00:00Z"}


def test_a_right_report_ends_with_0_and_a_wrong_one_with_3(
    repo: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option, sha = repo
    report = tmp_path / "2026-03-10.md"
    report.write_text(f"# acme/engine\n\n- Set the limit ({sha[:7]})\n")
    assert main(["audit", str(report), "--repo", option]) == 0
    report.write_text("# acme/engine\n\n- Set the limit (abc1234)\n")
    capsys.readouterr()
    assert main(["audit", str(report), "--repo", option]) == 3
    out = capsys.readouterr().out
    assert "References to nothing (1)" in out
    assert "line 3" in out


def test_json_has_a_record_for_each_statement(
    repo: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option, sha = repo
    report = tmp_path / "report.md"
    report.write_text(
        f"# acme/engine 2026-03-10\n\n- Set the limit ([abc1234](https://github.com/acme/engine/commit/{sha}))\n"
    )
    assert main(["audit", str(report), "--repo", option, "--json"]) == 3
    data = json.loads(capsys.readouterr().out)
    assert {frozenset(one) for one in data["findings"]} == {frozenset({"line", "kind", "claim", "verdict", "evidence"})}
    assert [one["verdict"] for one in data["findings"] if one["kind"] == "label"] == ["wrong:label"]
    assert data["summary"]["wrong"] == 1


def test_the_page_shows_the_report_as_text_and_reaches_for_nothing(repo: tuple[str, str], tmp_path: Path) -> None:
    option, sha = repo
    report, page = tmp_path / "report.md", tmp_path / "audit.html"
    report.write_text(f"# acme/engine <script>alert(1)</script>\n\n- Set the limit ({sha[:7]})\n- Lost (abc1234)\n")
    main(["audit", str(report), "--repo", option, "--html", str(page)])
    html = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert "wrong:nonexistent" in html
    assert "src=" not in html
    assert "<link" not in html


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "there is no file"),
        (b"", "is empty"),
        (b"  \n\n", "is empty"),
        (b"\x89PNG\r\n\0\0", "is not a text"),
        (b"\xff\xfe\xfd", "is not UTF-8"),
    ],
)
def test_what_is_no_report_is_told_in_one_line(
    content: bytes | None, told: str, repo: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "odd.md"
    if content is not None:
        report.write_bytes(content)
    assert main(["audit", str(report), "--repo", repo[0]]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert len(errors) == 1
    assert told in errors[0]


def test_a_report_that_is_too_large_is_refused_unread(
    repo: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "huge.md"
    with report.open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    assert main(["audit", str(report), "--repo", repo[0]]) == 2
    assert "may have 50" in capsys.readouterr().err


@pytest.mark.parametrize("layout", ["ledger", "digest"])
def test_a_report_of_ours_is_right_and_any_change_to_it_is_found(
    repo: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    option, sha = repo
    out = str(tmp_path / "out")
    assert main(["run", "--repo", option, "--date", "2026-03-10", "--layout", layout, "--out", out]) == 0
    report = tmp_path / "out" / "reports" / "2026-03-10.md"
    text = report.read_text(encoding="utf-8")
    assert main(["audit", str(report), "--repo", option]) == 0
    table = {"09:00": "09:01", "| Ada |": "| Bob |", "+1 −0 |": "+1 −2 |"} if layout == "ledger" else {}
    changes = table | {
        "Set the limit": "Set the pace",
        sha[:7]: "abcdef0",
        "1 commit landed": "2 commits landed",
        "acme/engine/commits": "acme/motor/commits",
        "acme/engine/commit/": "acme/motor/commit/",
        "pull/7": "pull/8",
        "to 2026-03-11": "to 2026-03-12",
        "section: 1 deep": "section: 3 deep",
    }
    for old, new in changes.items():
        assert old in text, old
        report.write_text(text.replace(old, new, 1), encoding="utf-8")
        assert main(["audit", str(report), "--repo", option]) == 3, f"{old} → {new}"
    capsys.readouterr()


def test_excerpts_of_functions_that_are_only_named_are_no_claims_of_their_own(
    engine: "Engine", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    text = "def plan(batch, size):\n{}    return queue\n\n\ndef drop(batch):\n    {}\n    return batch\n"
    old, new = (
        "    queue = sort(batch)\n    queue.cut(size)\n",
        "    queue = sort(batch, size)\n    queue.cut(size + 1)\n",
    )
    engine.commit("Plan batches", datetime(2026, 2, 4, 8, tzinfo=UTC), plans=text.format(old, '"""Drop it all."""'))
    engine.commit(
        "Fix what is planned for large batches",
        datetime(2026, 2, 5, 9, tzinfo=UTC),
        plans=text.format(new, '"""Drop it all."""'),
    )
    engine.commit(
        "Fix the words of plans", datetime(2026, 2, 5, 10, tzinfo=UTC), plans=text.format(new, '"""Drop some."""')
    )
    out = ["--lang", "en", "--out", str(tmp_path / "out")]
    assert main(["run", *engine.repo, "--date", "2026-02-05", "--tz", "UTC", "--source", "git", *out]) == 0
    (report,) = (tmp_path / "out").glob("reports/*.md")
    assert "; inside `plan`\n" in report.read_text("utf-8")
    capsys.readouterr()
    assert main(["audit", str(report), *engine.repo]) == 0, capsys.readouterr().out
