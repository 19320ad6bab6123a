"""Drills: what a run does on a machine that fails it."""

import os
import resource
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from gitzette.day_run import run_day
from gitzette.terminal_output import QuietProgress
from tests.gitzette.conftest import Command, Engine

ROOT = Path(__file__).parents[2]
DAY = "2026-02-03"


def published(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "reports").iterdir()}


@pytest.mark.heavy
def test_on_a_full_disk_a_run_fails_in_one_line_and_loses_nothing(
    engine: Engine, command: Command
) -> None:
    assert command("run", "--date", DAY, *engine.repo).status == 0
    before = published(Path("gazette"))

    def fill_up() -> None:
        # Nothing that is written may grow beyond this, which is what a full disk looks like from inside.
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    # A process that may write little must not leave halves of compiled modules behind.
    environ = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "GITZETTE_HOME": "other",
    }
    run = [sys.executable, "-m", "gitzette", "run", "--date", "2026-02-04", *engine.repo]
    done = subprocess.run(
        run, env=environ, capture_output=True, text=True, check=False, preexec_fn=fill_up
    )
    assert done.returncode in (1, 3)
    assert "Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("gitzette:")]
    assert before.items() <= published(Path("gazette")).items()
    assert command("run", "--date", DAY, *engine.repo).status == 0


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="needs a folder in which nobody can write"
)
def test_where_nothing_can_be_written_a_run_says_so_in_one_line(
    engine: Engine, command: Command
) -> None:
    result = command("run", "--date", DAY, "--out", "/proc/self/gazette", *engine.repo)
    assert (result.status, result.err.count("\n")) == (1, 1)
    assert "gitzette: cannot write to /proc/self" in result.err


async def test_a_clock_that_jumps_changes_no_report_and_loses_none(
    engine: Engine, tmp_path: Path
) -> None:
    spec = RepoSpec.model_validate(engine.repo[1])
    settings = Settings(repos=(spec,), source="git", out=tmp_path / "out", home=tmp_path / "home")
    window = Window.days(date.fromisoformat(DAY), date.fromisoformat(DAY), "UTC")
    seen = []
    for now in (
        datetime(2026, 2, 5, tzinfo=UTC),
        datetime(2031, 1, 1, tzinfo=UTC),
        datetime(2026, 2, 4, tzinfo=UTC),
    ):
        await run_day(settings, {}, window, settings.repos, now, QuietProgress())
        seen.append(published(tmp_path / "out"))
    assert seen[0] == seen[1] == seen[2]
    # The memory is nobody else's to read.
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "home").rglob("*.db*"))


def test_two_runs_at_once_publish_the_report_of_one_and_no_file_has_a_secret(
    engine: Engine, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {"GITHUB_TOKEN": "ghp_canary0123456789", "OPENAI_API_KEY": "sk-canary0123456789"}
    work = tmp_path / "work"
    work.mkdir()

    for name, secret in secrets.items():
        monkeypatch.setenv(name, secret)
    arguments = ["run", "--date", DAY, "--source", "git", *engine.repo]
    alone = tmp_path / "alone"
    both = tmp_path / "both"
    home = tmp_path / "shared"
    monkeypatch.setenv("GITZETTE_HOME", str(home))
    other = subprocess.Popen(
        [sys.executable, "-m", "gitzette", *arguments, "--out", str(both)],
        cwd=work,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    while other.poll() is None and not home.exists():
        time.sleep(0.01)
    assert other.poll() is None
    run = command(*arguments, "--out", str(both))
    printed = run.out + run.err + other.communicate()[0]
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    result = command(*arguments, "--out", str(alone))
    printed += result.out + result.err
    assert [run.status, other.returncode, result.status] == [0, 0, 0]
    assert published(alone) == published(both)
    written = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    for secret in secrets.values():
        assert secret not in printed
        assert not [file for file, content in written.items() if secret.encode() in content]
    private = [file for file in written if ".db" in file.name]
    assert private
    assert all(file.stat().st_mode & 0o077 == 0 for file in private)
