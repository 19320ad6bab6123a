"""The workflows that we ship and write: pinned, with few rights, without secrets, with commands that exist."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from gitzette.cli import command_parser
from gitzette.commands.init import pages_workflow, workflow
from gitzette.self_packaging import with_extra
from tests.gitzette.conftest import Command, Engine

ROOT = Path(__file__).parents[2]
PACKAGE = f"git+https://git.example/gitzette.git@{'a' * 40}"
TEXTS = {
    "daily": workflow("UTC", PACKAGE),
    "pages": pages_workflow(PACKAGE),
    "release": (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"),
}
# What a job may be given beyond reading; each is needed by an action of that job.
RIGHTS = {
    ("daily", "report"): {"actions": "read", "contents": "write"},
    ("pages", "build"): {"contents": "read"},
    ("pages", "deploy"): {"pages": "write", "id-token": "write"},
    ("release", "build"): {"contents": "read", "id-token": "write", "attestations": "write"},
    ("release", "publish"): {"id-token": "write"},
}


def parsed(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(TEXTS[name])
    return loaded


def steps_of(name: str) -> list[dict[str, Any]]:
    return [step for job in parsed(name)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("name", TEXTS)
def test_every_action_is_pinned_to_a_commit_and_says_its_version(name: str) -> None:
    used = re.findall(r"uses: (\S+)(.*)", TEXTS[name])
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_the_actions_for_other_repositories_are_pinned_as_well() -> None:
    for file in (ROOT / "action.yml", ROOT / "action" / "audit" / "action.yml"):
        for action in re.findall(r"uses: (\S+)", file.read_text("utf-8")):
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action


def test_a_job_may_do_no_more_than_it_must() -> None:
    rights = {}
    for name in TEXTS:
        plan = parsed(name)
        for job, content in plan["jobs"].items():
            rights[name, job] = content.get("permissions", plan["permissions"])
            assert content["timeout-minutes"] <= 120
    assert rights == RIGHTS


@pytest.mark.parametrize("name", TEXTS)
def test_no_secret_is_written_down_and_no_input_is_pasted_into_a_script(name: str) -> None:
    text = TEXTS[name]
    assert not re.search(r"(?i)(?:token|password|secret|api_key)\w*: *['\"]?[\w-]{8,}", text)
    used_secrets = re.findall(r"(?m)^(?!\s*#).*\$\{\{ *secrets\.\w+", text)
    assert used_secrets == []
    for step in steps_of(name):
        assert "${{" not in step.get("run", "")
    assert re.search(r"pip install (?:--\S+ )*gitzette\b", text) is None


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_line_of_ours_is_one_that_the_program_has(name: str) -> None:
    lines = []
    for step in steps_of(name):
        for line in step.get("run", "").splitlines():
            if line.lstrip().startswith("gitzette "):
                lines.append(re.split(r" \|\| ", line.strip())[0])
    assert lines or name == "release"
    for line in lines:
        words = [re.sub(r"\$(?:ASKED|DAY)", "2026-02-04", word) for word in shlex.split(line)]
        arguments = command_parser().parse_args(words[1:])
        assert arguments.command in ("run", "site")


def test_a_release_is_off_until_somebody_switches_it_on_and_needs_no_token() -> None:
    plan = parsed("release")
    assert plan["jobs"]["build"]["if"] == "vars.GITZETTE_RELEASE == 'true'"
    assert plan["jobs"]["publish"]["needs"] == "build"
    assert plan["jobs"]["publish"]["environment"] == "pypi"
    assert "password" not in TEXTS["release"]
    # The job that may publish runs no script of the repository.
    assert all("run" not in step for step in plan["jobs"]["publish"]["steps"])


def test_the_site_is_off_until_somebody_switches_it_on() -> None:
    plan = parsed("pages")
    assert plan["jobs"]["build"]["if"] == "vars.GITZETTE_PAGES == 'true'"
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    after = yaml.safe_load(TEXTS["pages"])[True]["workflow_run"]
    assert after == {"workflows": [parsed("daily")["name"]], "types": ["completed"]}


def test_the_step_for_pages_builds_a_site_from_the_reports(
    engine: Engine, command: Command, tmp_path: Path
) -> None:
    assert command("run", "--date", "2026-02-04", *engine.repo).status == 0
    scripts = {step.get("name"): step.get("run", "") for step in steps_of("pages")}
    program = tmp_path / "bin" / "gitzette"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m gitzette "$@"\n')
    program.chmod(0o755)
    environ = {
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GITZETTE_OUT": "gazette",
        "RUNNER_TEMP": str(tmp_path / "runner"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", scripts["Build the site"]], env=environ, check=True
    )
    assert (tmp_path / "runner" / "site" / "index.html").exists()
    assert (tmp_path / "output").read_text() == "built=yes\n"


def test_where_apprise_delivers_the_daily_workflow_installs_it(command: Command) -> None:
    Path("gitzette.toml").write_text('[[deliver]]\nkind = "apprise"\naddress_env = "CHAT"\n')
    assert command("init", "--workflow").status == 0
    daily = yaml.safe_load(Path(".github/workflows/gitzette.yml").read_text())
    pages = yaml.safe_load(Path(".github/workflows/gitzette-pages.yml").read_text())
    assert "[apprise]" in daily["env"]["PACKAGE"]
    assert "[apprise]" not in pages["env"]["PACKAGE"]
    assert with_extra(PACKAGE, "apprise") == f"gitzette[apprise] @ {PACKAGE}"


def test_init_says_what_to_do_next_on_github(command: Command) -> None:
    result = command("init", "--workflow", "--repo", "a/b")
    assert result.status == 0
    for step in ("git push", "gh workflow run gitzette.yml", "gh secret set", "GITZETTE_PAGES"):
        assert step in result.out


def test_a_release_names_the_repository_that_it_comes_from(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    script = [sys.executable, str(ROOT / "scripts" / "release_metadata.py")]
    address = "https://git.example/me/gitzette"
    subprocess.run([*script, "urls", address], cwd=tmp_path, check=True)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Source"] == address
    assert project["scripts"] == {"gitzette": "gitzette.cli:main"}
    again = subprocess.run([*script, "urls", address], cwd=tmp_path, check=False)
    assert again.returncode == 1
    version = subprocess.run([*script, "version"], cwd=tmp_path, check=True, capture_output=True)
    assert version.stdout.decode().strip() == project["version"]
