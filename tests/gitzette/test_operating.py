"""Running by itself, elsewhere: the workflow, the systemd units and the cron line do what the documentation says."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from agent.settings.values import read_settings
from gitzette.init import workflow

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def plan() -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    loaded: dict[Any, Any] = yaml.safe_load(workflow("UTC"))
    return {("on" if key is True else key): value for key, value in loaded.items()}


def steps(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {step.get("name") or step["uses"].partition("@")[0]: step for step in plan["jobs"]["report"]["steps"]}


def test_it_may_do_no_more_than_it_must_and_one_at_a_time(plan: dict[str, Any]) -> None:
    assert plan["permissions"] == {"actions": "read", "contents": "write"}
    assert plan["concurrency"] == {"group": "gitzette", "cancel-in-progress": False}
    assert plan["jobs"]["report"]["timeout-minutes"] <= 360


def test_every_action_is_pinned_to_a_version(plan: dict[str, Any]) -> None:
    used = [step["uses"] for job in plan["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", one) for one in used)


def test_its_variables_are_settings_that_gitzette_knows(plan: dict[str, Any]) -> None:
    found = read_settings(None, plan["env"])
    assert (found.tz, str(found.out)) == ("UTC", "gazette")


def bash(script: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does."""
    values = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "GIT_CONFIG_GLOBAL": os.devnull}
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=values | environ, capture_output=True, text=True)


def program(folder: Path, name: str, text: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / "bin" / name).chmod(0o755)


@pytest.mark.parametrize(
    ("created", "tz", "day"),
    [
        ("2026-02-05T01:23:07Z", "UTC", "2026-02-04"),
        ("2026-02-05T23:59:59Z", "UTC", "2026-02-04"),
        ("2026-02-04T17:23:07Z", "Asia/Shanghai", "2026-02-04"),
        ("2026-03-09T08:00:00Z", "America/Los_Angeles", "2026-03-08"),
        ("2026-03-01T01:00:00Z", "UTC", "2026-02-28"),
    ],
)
def test_the_day_comes_from_when_the_run_was_created_and_not_from_the_clock(
    plan: dict[str, Any], tmp_path: Path, created: str, tz: str, day: str
) -> None:
    program(tmp_path, "gh", f'[ "$2" = repos/me/news/actions/runs/7 ] && echo {created}')
    out = tmp_path / "output"
    where = {"GITHUB_REPOSITORY": "me/news", "GITHUB_RUN_ID": "7", "GITHUB_OUTPUT": str(out), "GITZETTE_TZ": tz}
    assert bash(steps(plan)["Choose the day"]["run"], tmp_path, **where).returncode == 0
    assert out.read_text() == f"date={day}\n"


def git(folder: Path, *arguments: str) -> str:
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(folder)}
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    return subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=environ, check=True, capture_output=True, text=True
    ).stdout


def test_reports_are_committed_by_the_bot_also_when_somebody_pushed_meanwhile(
    plan: dict[str, Any], tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "hub")
    for name in ("mine", "other"):
        git(tmp_path, "clone", "-q", "hub", name)
    git(tmp_path / "mine", "commit", "-q", "--allow-empty", "-m", "Begin")
    git(tmp_path / "mine", "push", "-q", "origin", "HEAD:main")
    git(tmp_path / "mine", "branch", "-q", "-u", "origin/main")
    script = steps(plan)["Commit"]["run"]
    words = {"GITZETTE_OUT": "gazette", "ASKED": "", "DAY": "2026-02-04"}
    assert bash(script, tmp_path / "mine", **words).returncode == 0
    (tmp_path / "mine" / "gazette").mkdir()
    (tmp_path / "mine" / "gazette" / "README.md").write_text("news\n")
    (tmp_path / "mine" / "secret").write_text("not to be committed\n")
    git(tmp_path / "other", "pull", "-q", "origin", "main")
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "Meanwhile")
    git(tmp_path / "other", "push", "-q", "origin", "HEAD:main")
    done = bash(script, tmp_path / "mine", **words)
    assert done.returncode == 0, done.stderr
    assert bash(script, tmp_path / "mine", **words).returncode == 0
    told = git(tmp_path / "hub", "log", "--format=%an|%s", "main").splitlines()
    assert told == ["github-actions[bot]|Gazette up to 2026-02-04", "Ada|Meanwhile", "Ada|Begin"]
    assert git(tmp_path / "hub", "ls-tree", "-r", "--name-only", "main").split() == ["gazette/README.md"]


def test_the_cron_line_runs_where_the_configuration_is_and_knows_the_token(tmp_path: Path) -> None:
    (line,) = [line for line in (EXAMPLES / "crontab").read_text().splitlines() if re.match(r"\d", line)]
    minute, hour, day, month, weekday, command = line.split(maxsplit=5)
    assert (minute, hour, day, month, weekday) == ("20", "0", "*", "*", "*")
    # Cron reads a percent sign as the end of the line.
    assert "%" not in command
    program(tmp_path, "gitzette", 'echo "$PWD $GITHUB_TOKEN $*"')
    (tmp_path / ".local").mkdir()
    (tmp_path / "bin").rename(tmp_path / ".local" / "bin")
    for folder in ("gazette", ".cache", ".config/gitzette"):
        (tmp_path / folder).mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run(["/bin/sh", "-c", command], env=environ, check=True)
    (tmp_path / ".config/gitzette/env").write_text("GITHUB_TOKEN=t0ken\n")
    subprocess.run(["/bin/sh", "-c", command], env=environ, check=True)
    here = tmp_path / "gazette"
    assert (tmp_path / ".cache/gitzette.log").read_text() == (f"{here}  run --catch-up\n{here} t0ken run --catch-up\n")
