"""Drills: what a run does on a machine that fails it, in processes of their own."""

import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from gitzette.progress import QuietProgress
from gitzette.running import cover
from tests.gitzette.conftest import Engine

ROOT = Path(__file__).parents[2]
DAY = "2026-02-03"


def ran(engine: Engine, home: Path, out: Path, *more: str, **how: Any) -> "subprocess.CompletedProcess[str]":
    """Run in a process of its own, with nothing of the environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    # A process that may write little must not leave halves of compiled modules behind.
    own = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "GITZETTE_HOME": str(home), **how.pop("env", {})}
    command = [sys.executable, "-m", "gitzette", "run", "--analyst", "rules", "--out", str(out), *engine.repo]
    where = engine.folder.parent / "work"
    where.mkdir(exist_ok=True)
    more = more or ("--date", DAY)
    done = subprocess.run([*command, *more], cwd=where, env=kept | own, capture_output=True, text=True, **how)
    assert "Traceback" not in done.stderr
    return done


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def published(out: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(out).items() if name.startswith("reports/")}


@pytest.mark.heavy
def test_on_a_full_disk_a_run_fails_in_one_line_and_loses_nothing(engine: Engine, tmp_path: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    assert ran(engine, home, out).returncode == 0
    before = published(out)

    def fill_up() -> None:
        # Nothing that is written may grow beyond this, which is what a full disk looks like from inside.
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    done = ran(engine, tmp_path / "other", out, "--date", "2026-02-04", preexec_fn=fill_up)
    assert done.returncode in (1, 3)
    assert [line for line in done.stderr.splitlines() if line.startswith("gitzette:")]
    assert before.items() <= files(out).items()
    assert ran(engine, home, out).returncode == 0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can write")
def test_where_nothing_can_be_written_a_run_says_so_in_one_line(engine: Engine, tmp_path: Path) -> None:
    done = ran(engine, tmp_path / "home", Path("/proc/self/gazette"))
    assert done.returncode == 1
    assert "gitzette: cannot write to /proc/self" in done.stderr.splitlines()[-1]


def test_two_runs_at_once_publish_the_report_of_one_and_no_secret_is_in_any_file(
    engine: Engine, tmp_path: Path
) -> None:
    secrets = {"GITHUB_TOKEN": "ghp_canary0123456789", "OPENAI_API_KEY": "sk-canary0123456789"}
    alone, both = tmp_path / "alone", tmp_path / "both"
    how = ("--date", DAY, "--source", "git")
    assert ran(engine, tmp_path / "one", alone, *how).returncode == 0
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: ran(engine, tmp_path / "shared", both, *how, env=secrets), range(2)))
    assert [run.returncode for run in runs] == [0, 0]
    assert published(alone) == published(both)
    for value in secrets.values():
        assert not [run for run in runs if value in run.stdout + run.stderr]
        assert not [name for name, data in files(tmp_path).items() if value.encode() in data]
    private = list((tmp_path / "shared").rglob("*.db*"))
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
