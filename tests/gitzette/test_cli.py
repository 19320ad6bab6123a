"""The command line as a user meets it."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command, Engine

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("corner")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    moments = {"one": (3, 10, 0, 0), "two": (4, 10, 0, 0), "three": (4, 23, 59, 59)}
    engine = Engine.made(tmp_path / "engine")
    for name, at in moments.items():
        engine.commit(f"Add {name}.py", datetime(2026, 2, *at, tzinfo=UTC), **{name: f"{name}\n"})
    return engine.folder


def test_a_day_of_a_local_clone_becomes_a_page_and_data_the_same_every_time_and_is_remembered(
    clone: Path, command: Command
) -> None:
    day = ["run", "--repo", f"acme/engine={clone}", "--date", "2026-02-04", "--out", "news"]
    assert command(*day).out == "news/reports/2026-02-04.md\n"
    page = Path("news/reports/2026-02-04.md").read_text()
    assert "Add two.py" in page
    assert "Add one.py" not in page
    data = json.loads(Path("news/reports/2026-02-04.json").read_text())
    assert [row["subject"] for row in data["ledger"]] == ["Add three.py", "Add two.py"]
    assert data["footer"]["threads"] == {"acme/engine": "not read"}

    def files() -> dict[Path, tuple[bytes, int]]:
        news_files = [file for file in Path("news").rglob("*") if file.is_file()]
        return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in news_files}

    first = files()
    assert command(*day).status == 0
    assert files() == first
    run, _ = command("runs", "--json").data
    assert (run["window"], run["status"]) == ("2026-02-04 UTC", "done")
    assert run["details"]["repos"] == ["acme/engine"]


def test_the_checkout_one_stands_in_is_reported_on_by_its_origin(
    clone: Path, monkeypatch: pytest.MonkeyPatch, command: Command, tmp_path: Path
) -> None:
    subprocess.run(
        ["git", "-C", str(clone), "remote", "add", "origin", "git@github.com:acme/engine.git"],
        check=True,
    )
    (clone / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(clone / "deep" / "down")
    result = command("run", "--date", "2026-02-04", "--json", "--out", str(tmp_path / "news"))
    assert result.data["repos"] == ["acme/engine"]
    assert result.out == (tmp_path / "news" / "reports" / "2026-02-04.json").read_text()


def test_a_checkout_without_an_origin_is_called_local(
    clone: Path, monkeypatch: pytest.MonkeyPatch, command: Command, tmp_path: Path
) -> None:
    monkeypatch.chdir(clone)
    result = command("run", "--date", "2026-02-04", "--json", "--out", str(tmp_path / "news"))
    assert result.data["repos"] == ["local/engine"]


def test_wrong_use_is_one_line_that_says_what_to_do_and_writes_nothing(command: Command) -> None:
    for arguments, says in (
        (["run"], "no repository to report on"),
        (["run", "--repo", "engine"], "write owner/name"),
        (
            ["run", "--repo", "acme/engine=/nowhere", "--repo", "acme/engine=/nowhere"],
            "named twice",
        ),
        (
            ["run", "--repo", "acme/engine=/nowhere", "--date", "2026-02-04"],
            "/nowhere does not exist",
        ),
        (["run", "--repo", "acme/engine", "--date", "2099-01-01"], "is not over"),
        (["run", "--demo", "--repo", "acme/engine"], "leave out --repo"),
        (["run", "--replay", "nope"], "there is no run 'nope'; `gitzette runs` lists them"),
        (["run", "--replay", "2", "--date", "2026-02-04", "--out", "x"], "leave out --date, --out"),
        (["stories", "--since", "yesterday"], "is not a time"),
        (["eval", "windows", "--repo", "acme/engine"], "owner/name=PATH"),
    ):
        result = command(*arguments)
        assert (result.status, result.err.count("\n"), result.err.startswith("gitzette: ")) == (
            2,
            1,
            True,
        ), arguments
        assert says in result.err
        assert not Path("gazette").exists()


@pytest.mark.parametrize("setting", ["github_url", "git_url"])
def test_a_token_is_not_taken_to_an_address_without_encryption(
    setting: str, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv(f"GITZETTE_{setting.upper()}", "http://ghe.example")
    monkeypatch.setenv("GITHUB_TOKEN", "s3cret")
    result = command("run", "--repo", "acme/engine", "--date", "2026-02-04")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        f"gitzette: {setting}: http://ghe.example is not encrypted, and the token could be read on"
        " the way; write https://, or leave GITHUB_TOKEN out\n"
    )


def test_the_file_gives_repositories_zone_and_language(clone: Path, command: Command) -> None:
    Path("gitzette.toml").write_text(
        f'repos = ["acme/engine={clone}"]\ntz = "Asia/Shanghai"\nlang = "zh"\n'
    )
    assert command("run", "--date", "2026-02-05").status == 0
    page = Path("gazette/reports/2026-02-05.md").read_text()
    # 23:59:59 UTC on the fourth is the morning of the fifth in Shanghai.
    assert "Add three.py" in page
    assert "Add two.py" not in page
    assert "个提交" in page


def test_own_variables_win_over_those_of_the_system_wherever_they_stand(
    clone: Path, tmp_path: Path
) -> None:
    # Of two variables that a careless reader would give one name, the last one would win.
    environ = {
        "GITZETTE_HOME": str(tmp_path / "memory"),
        "GITZETTE_LANG": "zh",
        "GITZETTE_TZ": "Asia/Shanghai",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "gitzette", "run", "--date", "2026-02-05"]
    subprocess.run([*command, "--repo", f"acme/engine={clone}"], env=environ, check=True)
    page = Path("gazette/reports/2026-02-05.md").read_text("utf-8")
    assert "个提交" in page
    assert "Asia/Shanghai" in page
    assert (tmp_path / "memory" / "memory.db").exists()
    assert not (tmp_path / ".local").exists()


def test_a_repository_that_is_named_keeps_what_is_configured_for_it(
    clone: Path, command: Command
) -> None:
    subprocess.run(["git", "-C", str(clone), "branch", "release", "HEAD~1"], check=True)
    Path("gitzette.toml").write_text(
        f'[[repos]]\nname = "acme/engine"\npath = "{clone}"\nbranch = "release"\n'
        '[[repos]]\nname = "acme/other"\npath = "/nowhere"\n'
        '[[edition]]\nname = "others"\nrepos = ["acme/other"]\n'
    )
    result = command("run", "--date", "2026-02-04", "--repo", "Acme/Engine", "--json")
    assert (result.status, result.data["repos"]) == (0, ["acme/engine"])
    assert [row["subject"] for row in result.data["ledger"]] == ["Add two.py"]
    missing = command("run", "--date", "2026-02-04", "--repo", "acme/engine=/elsewhere")
    assert (missing.status, "/elsewhere does not exist" in missing.err) == (2, True)


def test_a_configured_branch_is_reported_on_and_a_missing_one_is_named_with_those_there_are(
    clone: Path, command: Command
) -> None:
    subprocess.run(["git", "-C", str(clone), "branch", "release", "HEAD~1"], check=True)

    def configure(branch: str) -> None:
        Path("gitzette.toml").write_text(
            f'[[repos]]\nname = "acme/engine"\npath = "{clone}"\nbranch = "{branch}"\n'
        )

    for branch, subjects in (
        ("main", ["Add three.py", "Add two.py"]),
        ("release", ["Add two.py"]),
    ):
        configure(branch)
        result = command("run", "--date", "2026-02-04", "--json", "--out", branch)
        assert result.status == 0
        assert [row["subject"] for row in result.data["ledger"]] == subjects
    configure("relaese")
    result = command("run", "--date", "2026-02-04", "--json", "--out", "none")
    assert result.status == 3
    (failure,) = result.data["failures"]
    assert "has no branch 'relaese'; it has main, release" in failure["message"]


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys; from gitzette.cli import main\n"
        "try: main(['run', '--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('langgraph', 'pydantic', 'httpx', 'rich', 'psycopg') if m in sys.modules])"
    )
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", probe], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_commands_that_ask_no_model_begin_without_the_libraries_for_it() -> None:
    probe = (
        "import sys\n"
        "from gitzette.commands import between, bump, facts, runs, show, stories\n"
        "print([m for m in ('langgraph', 'langchain_core', 'openai') if m in sys.modules])"
    )
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", probe], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_common_names_are_ours_even_where_others_have_the_same(tmp_path: Path) -> None:
    for name in ("agent", "tools", "memory", "graphs", "evals"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(
            "raise SystemExit('a stranger was imported')\n"
        )
    command = [sys.executable, "-m", "gitzette", "runs"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.stdout == "no runs yet\n"


# No file can have this name, and nobody looks for that.
NULL = "a\0b"


def test_an_unexpected_error_is_one_line_with_the_path_of_its_traceback(
    corner: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "embedded null byte")
    result = command("audit", NULL)
    log = corner / "gitzette.log"
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "gitzette: audit failed with an error that nobody expected (ValueError: embedded null "
        f"byte); the traceback is in {log}; please report it\n"
    )
    text = log.read_text("utf-8")
    assert "Traceback (most recent call last)" in text
    assert "ValueError: ***" in text
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("arguments", [["--debug", "audit", NULL], ["audit", "--debug", NULL]])
def test_debug_shows_the_traceback_wherever_it_stands(
    arguments: list[str], command: Command
) -> None:
    result = command(*arguments)
    assert result.status == 1
    assert "Traceback (most recent call last)" in result.err
    assert result.err.splitlines()[-1].startswith("gitzette: audit failed with an error")


def test_where_the_home_folder_cannot_be_written_the_traceback_is_still_kept(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("no folder")
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "taken"))
    result = command("audit", NULL)
    path = Path(result.err.partition("the traceback is in ")[2].partition(";")[0])
    assert (result.status, result.err.count("\n")) == (1, 1)
    assert "ValueError: embedded null byte" in path.read_text("utf-8")


@pytest.mark.parametrize(
    "command", [["worker"], pytest.param(["stories"], marks=pytest.mark.heavy)]
)
def test_what_the_server_needs_more_is_installed_from_the_checkout(
    command: list[str], tmp_path: Path
) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('there is no psycopg here')\n")
    done = subprocess.run(
        [sys.executable, "-m", "gitzette", *command],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
            "GITZETTE_DATABASE": "postgresql://127.0.0.1:1/none",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "uv tool install '.[server]'" in done.stderr
    assert "gitzette[server]" not in done.stderr
