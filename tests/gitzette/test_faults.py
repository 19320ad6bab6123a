"""Drills: what a run does on a machine that fails it, in processes of their own."""

import os
import resource
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from gitzette.progress import QuietProgress
from gitzette.running import cover
from tests.gitzette.conftest import Engine

ROOT = Path(__file__).parents[2]
DAY = "2026-02-03"


def command(engine: Engine, out: Path, *more: str) -> list[str]:
    run = [sys.executable, "-m", "gitzette", "run", "--date", DAY, "--analyst", "rules", "--out", str(out)]
    return [*run, *more, *engine.repo]


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    # A process that may write little must not leave halves of compiled modules behind.
    own = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "GITZETTE_HOME": str(home)}
    return kept | own | more


def told(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Give what went wrong: plain lines of ours, and no traceback."""
    assert "Traceback" not in done.stderr
    return [line for line in done.stderr.splitlines() if line.startswith("gitzette:")]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def published(out: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(out).items() if name.startswith("reports/")}


@pytest.mark.heavy
def test_on_a_full_disk_a_run_fails_in_one_line_and_loses_nothing(engine: Engine, tmp_path: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    (tmp_path / "work").mkdir()
    first = subprocess.run(command(engine, out), cwd=tmp_path / "work", env=environment(home), check=False)
    assert first.returncode == 0
    before = published(out)

    def fill_up() -> None:
        # Nothing that is written may grow beyond this, which is what a full disk looks like from inside.
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    done = subprocess.run(
        [*command(engine, out)[:4], "--date", "2026-02-04", *command(engine, out)[6:]],
        cwd=tmp_path / "work",
        env=environment(tmp_path / "other"),
        preexec_fn=fill_up,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (1, 3)
    assert told(done)
    assert before.items() <= files(out).items()
    again = subprocess.run(command(engine, out), cwd=tmp_path / "work", env=environment(home), check=False)
    assert again.returncode == 0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can write")
def test_where_nothing_can_be_written_a_run_says_so_in_one_line(engine: Engine, tmp_path: Path) -> None:
    done = subprocess.run(
        command(engine, Path("/proc/self/gazette")),
        cwd=tmp_path,
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot write to /proc/self" in told(done)[-1]


def test_two_runs_at_once_publish_the_report_of_one(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    alone, both = tmp_path / "alone", tmp_path / "both"
    where = {"cwd": tmp_path / "work", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command(engine, alone), env=environment(tmp_path / "one"), check=True, **where)  # type: ignore[call-overload]
    runs = [
        subprocess.Popen(command(engine, both), env=environment(tmp_path / "shared"), **where)  # type: ignore[call-overload]
        for _ in range(2)
    ]
    assert [run.wait() for run in runs] == [0, 0]
    assert published(alone) == published(both)


def test_no_secret_is_in_any_file_of_a_run(engine: Engine, tmp_path: Path) -> None:
    secrets = {"GITHUB_TOKEN": "ghp_canary0123456789", "OPENAI_API_KEY": "sk-canary0123456789"}
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        command(engine, tmp_path / "out", "--source", "git"),
        cwd=tmp_path / "work",
        env=environment(tmp_path / "home", GITZETTE_GITHUB_URL="http://127.0.0.1:9", **secrets),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 3)
    for value in secrets.values():
        assert value not in done.stdout + done.stderr
        assert not [name for name, data in files(tmp_path).items() if value.encode() in data]
    private = list((tmp_path / "home").rglob("*.db*"))
    assert private
    assert all(path.stat().st_mode & 0o077 == 0 for path in private)


async def test_a_clock_that_jumps_changes_no_report_and_loses_none(engine: Engine, tmp_path: Path) -> None:
    spec = RepoSpec.model_validate(engine.repo[1])
    settings = Settings(repos=(spec,), source="git", out=tmp_path / "out", home=tmp_path / "home")
    window = Window.days(date.fromisoformat(DAY), date.fromisoformat(DAY), "UTC")
    seen = []
    for now in (datetime(2026, 2, 5, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC), datetime(2026, 2, 4, tzinfo=UTC)):
        await cover(settings, {}, window, settings.repos, now, QuietProgress())
        seen.append(published(tmp_path / "out"))
    assert seen[0] == seen[1] == seen[2]
