"""Running by itself, elsewhere: the workflow, with Pages, and the container file."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from agent.settings.read import read_settings
from gitzette.commands.init import workflow
from tests.gitzette.conftest import Engine

ROOT = Path(__file__).parents[2]
PACKAGES = ("agent", "tools", "memory", "graphs", "evals", "gitzette")


@pytest.fixture
def plan() -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    loaded: dict[Any, Any] = yaml.safe_load(workflow("UTC"))
    return {("on" if key is True else key): value for key, value in loaded.items()}


def script(plan: dict[str, Any], name: str) -> str:
    return next(
        str(step["run"]) for step in plan["jobs"]["report"]["steps"] if step.get("name") == name
    )


def test_a_workflow_may_do_no_more_than_it_must_and_knows_its_settings(
    plan: dict[str, Any],
) -> None:
    assert plan["permissions"] == {"actions": "read", "contents": "write"}
    assert plan["concurrency"] == {"group": "gitzette", "cancel-in-progress": False}
    assert plan["jobs"]["report"]["timeout-minutes"] <= 360
    assert plan["jobs"]["pages"]["permissions"] == {"pages": "write", "id-token": "write"}
    steps = [step for job in plan["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", one) for one in used)
    # No input of anybody is pasted into a script.
    assert not [step for step in steps if "${{" in step.get("run", "")]
    found = read_settings(None, plan["env"])
    assert (found.tz, str(found.out)) == ("UTC", "gazette")


def test_a_workflow_installs_the_commit_that_wrote_it_and_never_a_bare_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.search(r'  PACKAGE: "(git\+https://.*@[0-9a-f]{40})?"\n', workflow("UTC"))
    installed = tmp_path / "gitzette-7.8.9.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.4\nName: gitzette\nVersion: 7.8.9\n")
    told = {
        "url": "https://git.example/gitzette.git",
        "vcs_info": {"vcs": "git", "commit_id": "a" * 40},
    }
    (installed / "direct_url.json").write_text(json.dumps(told))
    monkeypatch.syspath_prepend(tmp_path)
    assert f'  PACKAGE: "git+https://git.example/gitzette.git@{"a" * 40}"\n' in workflow("UTC")


def bash(script: str, folder: Path, **environ: str) -> None:
    """Run a step as GitHub does."""
    values = {
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
    subprocess.run(command, cwd=folder, env=values | environ, check=True)


def test_the_day_comes_from_when_the_run_was_created_and_not_from_the_clock(
    plan: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    gh, out = tmp_path / "bin" / "gh", tmp_path / "output"
    gh.write_text(
        '#!/bin/sh\n[ "$2" = repos/me/news/actions/runs/7 ] && echo 2026-03-09T08:00:00Z\n'
    )
    gh.chmod(0o755)
    zone = "America/Los_Angeles"
    where = {
        "GITHUB_REPOSITORY": "me/news",
        "GITHUB_RUN_ID": "7",
        "GITHUB_OUTPUT": str(out),
        "GITZETTE_TZ": zone,
    }
    bash(script(plan, "Choose the day"), tmp_path, **where)
    assert out.read_text() == "date=2026-03-08\n"


def test_reports_are_committed_by_the_bot_also_when_somebody_pushed_meanwhile(
    plan: dict[str, Any], engine: Engine, tmp_path: Path
) -> None:
    hub, mine, other = (tmp_path / name for name in ("hub", "mine", "other"))
    git = "git -c user.name=Ada -c user.email=ada@example.org"
    bash(
        f"git clone -q --bare {engine.folder} {hub}; git clone -q {hub} {mine}; git clone -q {hub} {other}",
        tmp_path,
    )
    words = {"GITZETTE_OUT": "gazette", "ASKED": "", "DAY": "2026-02-04"}
    bash(script(plan, "Commit"), mine, **words)
    bash("mkdir gazette; echo news > gazette/README.md; echo 'not to be committed' > secret", mine)
    bash(f"{git} commit -q --allow-empty -m Meanwhile; git push -q origin HEAD", other)
    bash(script(plan, "Commit"), mine, **words)
    bash(script(plan, "Commit"), mine, **words)
    bash("git log --format='%an|%s' -3 main > told; git ls-tree -r --name-only main >> told", hub)
    told = ["github-actions[bot]|Gazette up to 2026-02-04", "Ada|Meanwhile", "Ada|Tell the time"]
    assert (hub / "told").read_text().splitlines() == [
        *told,
        "clock.py",
        "gazette/README.md",
        "router.py",
    ]


def test_the_container_has_every_package_and_runs_as_nobody_special() -> None:
    text = (ROOT / "Containerfile").read_text()
    ignored = (ROOT / ".containerignore").read_text().splitlines()
    for package in PACKAGES:
        assert f"COPY {package} {package}\n" in text
        assert f"!{package}" in ignored
    for name in re.findall(r"(?m)^COPY ((?:[\w.]+ )+)\.", text):
        assert all((ROOT / file).exists() for file in name.split())
    assert "--require-hashes" in text
    assert text.index("USER gitzette") < text.index("ENTRYPOINT")
