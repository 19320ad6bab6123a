"""Running by itself, elsewhere: the workflow, with Pages, and the container file."""

import os
import re
import shutil
import subprocess
import sysconfig
import venv
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml  # type: ignore[import-untyped]

from agent.settings.read import read_settings
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import World
from gitzette.commands.init import WORKFLOW, workflow
from gitzette.self_packaging import PACKAGES
from tests.gitzette.conftest import Command, Engine
from tests.made_repos import Work

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"


def parsed(text: str) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    loaded: dict[Any, Any] = yaml.safe_load(text)
    return {("on" if key is True else key): value for key, value in loaded.items()}


@pytest.fixture
def plan() -> dict[str, Any]:
    return parsed(workflow("UTC", f"git+https://git.example/gitzette.git@{'a' * 40}"))


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
    steps = [step for job in plan["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action) for action in used)
    # No input of anybody is pasted into a script.
    assert not [step for step in steps if "${{" in step.get("run", "")]
    settings = read_settings(None, plan["env"])
    assert (settings.tz, str(settings.out)) == ("UTC", "gazette")


def bash(script: str, folder: Path, **environ: str) -> None:
    """Run a step as GitHub does."""
    values = {
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
    subprocess.run(command, cwd=folder, env=values | environ, check=True)


class Runner:
    """A machine of GitHub: it has Python with pip, git and gh, and runs the steps of a job."""

    def __init__(self, folder: Path, created: str) -> None:
        self.python = folder / "python"
        self._output = folder / "output"
        self._outputs: dict[str, str] = {}
        # That of the tests is on the path, see `OFFLINE`; copying another one takes seconds.
        venv.create(self.python, with_pip=find_spec("pip") is None)
        gh = self.python / "bin" / "gh"
        gh.write_text(f"#!/bin/sh\necho {created}\n")
        gh.chmod(0o755)

    def run(self, plan: dict[str, Any], checkout: Path, **environ: str) -> None:
        """Run the steps of the job `report` that are scripts, without its conditional ones."""
        for step in plan["jobs"]["report"]["steps"]:
            if "run" not in step or "if" in step:
                continue
            self._output.write_text("")
            values = {
                "PATH": f"{self.python}/bin:{os.environ['PATH']}",
                "GITHUB_REPOSITORY": "me/news",
                "GITHUB_RUN_ID": "7",
                "GITHUB_OUTPUT": str(self._output),
            }
            for name, value in (plan["env"] | step.get("env", {})).items():
                values[name] = re.sub(r"\$\{\{ (\S+) \}\}", self._evaluated, value)
            bash(step["run"], checkout, **values | environ)
            for line in self._output.read_text().splitlines():
                name, _, value = line.partition("=")
                self._outputs[f"steps.{step['id']}.outputs.{name}"] = value

    def _evaluated(self, expression: re.Match[str]) -> str:
        context = {"github.token": "t0ken", "inputs.date": ""} | self._outputs
        return context[expression[1]]


@pytest.fixture
def checkout(tmp_path: Path, command: Command) -> Path:
    """The checkout of a repository for reports, in which `init --workflow` was run."""
    repo = ("--repo", "lumen-ai/routekit")
    hub = tmp_path / "hub"
    bash(f"git init -q --bare -b main {hub}; git clone -q {hub} .", Path.cwd())
    assert command("init", "--workflow", *repo).status == 0
    return Path.cwd()


def committed(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "ls-tree", "-r", "--name-only", "origin/main"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def push_everything(checkout: Path) -> None:
    git = "git -c user.name=Ada -c user.email=ada@example.org"
    bash(f"git add -A; {git} commit -q -m Begin; git push -q origin HEAD", checkout)


# Dependencies are those of the tests; pip installs the package alone and needs no network for it.
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONPATH": sysconfig.get_path("purelib"),
}


@pytest.mark.heavy  # A copy with an address has the same workflow, and the gate starts it
def test_the_workflow_of_a_copy_without_an_address_works_untouched(
    checkout: Path, tmp_path: Path, demo_world: World
) -> None:
    push_everything(checkout)
    runner = Runner(tmp_path, created="2026-02-05T03:00:00Z")
    with GitHubServer(demo_world.repos, now=demo_world.now) as server:
        urls = {"GITZETTE_GIT_URL": server.git_url, "GITZETTE_GITHUB_URL": server.url}
        runner.run(parsed(WORKFLOW.read_text()), checkout, **OFFLINE, **urls)
    assert "gazette/reports/2026-02-04.md" in committed(checkout).splitlines()


BACKEND = """
import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name, info = "gitzette-7.8.9-py3-none-any.whl", "gitzette-7.8.9.dist-info/"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        code = "def main(): open('commands', 'a').write(' '.join(__import__('sys').argv[1:]))"
        wheel.writestr("stand_in.py", code)
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: gitzette\\nVersion: 7.8.9\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\\ngitzette = stand_in:main\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


def test_the_workflow_of_a_copy_with_an_address_installs_the_commit_it_names(
    checkout: Path, tmp_path: Path
) -> None:
    source = Work(tmp_path / "source")
    commit = source.commit("Stand in", {"pyproject.toml": PROJECT, "backend.py": BACKEND})
    source.commit("Break", {"backend.py": "raise SystemExit('another commit')\n"})
    WORKFLOW.write_text(workflow("UTC", f"git+file://{source.path}@{commit}"))
    push_everything(checkout)
    runner = Runner(tmp_path, created="2026-02-05T03:00:00Z")
    runner.run(parsed(WORKFLOW.read_text()), checkout, **OFFLINE)
    assert (checkout / "commands").read_text() == "run --catch-up --date 2026-02-04"


@pytest.mark.parametrize(
    "tz",
    ["UTC", "Asia/Shanghai", "Asia/Kolkata", "America/Los_Angeles", "Pacific/Kiritimati"],
)
def test_a_workflow_starts_after_midnight_of_the_zone_in_summer_and_winter(tz: str) -> None:
    (entry,) = parsed(workflow(tz, "x"))["on"]["schedule"]
    minute, hour, *rest = entry["cron"].split()
    assert rest == ["*", "*", "*"]
    assert int(minute) % 15
    for month in (1, 7):
        start = datetime(2026, month, 15, int(hour), int(minute), tzinfo=UTC)
        local = start.astimezone(ZoneInfo(tz))
        midnight = local.replace(hour=0, minute=0)
        assert timedelta(hours=1) <= local - midnight < timedelta(hours=3, minutes=30)


def installed(home: Path, script: str) -> None:
    """Put a stand-in for the command where the examples expect it."""
    program = home / ".local" / "bin" / "gitzette"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_the_cron_line_runs_where_the_configuration_is_and_knows_the_token(tmp_path: Path) -> None:
    lines = (EXAMPLES / "crontab").read_text().splitlines()
    (line,) = [line for line in lines if re.match(r"\d", line)]
    *moment, command = line.split(maxsplit=5)
    assert moment == ["20", "0", "*", "*", "*"]
    # Cron reads a percent sign as the end of the line.
    assert "%" not in command
    installed(tmp_path, 'echo "$PWD $GITHUB_TOKEN $*"')
    for folder in ("gazette", ".config/gitzette"):
        (tmp_path / folder).mkdir(parents=True)
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run(["/bin/sh", "-c", command], env=environ, check=True)
    (tmp_path / ".config/gitzette/env").write_text("GITHUB_TOKEN=t0ken\n")
    subprocess.run(["/bin/sh", "-c", command], env=environ, check=True)
    here = tmp_path / "gazette"
    log = (tmp_path / ".cache/gitzette.log").read_text()
    assert log == f"{here}  run --catch-up\n{here} t0ken run --catch-up\n"


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("NOT TESTED: the units in docs/examples (apt install systemd)")
    installed(tmp_path, "exit 0")
    units = [tmp_path / "gitzette.service", tmp_path / "gitzette.timer"]
    for unit in units:
        unit.write_text((EXAMPLES / unit.name).read_text().replace("%h", str(tmp_path)))
    command = ["systemd-analyze", "verify", "--man=no", *map(str, units)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # It also speaks of the machine's other units; only what it says of ours counts.
    assert not [line for line in done.stderr.splitlines() if "gitzette" in line], done.stderr


def test_the_day_comes_from_when_the_run_was_created_and_not_from_the_clock(
    plan: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    gh = tmp_path / "bin" / "gh"
    out = tmp_path / "output"
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
    hub, own_home, other = (tmp_path / name for name in ("hub", "mine", "other"))
    git = "git -c user.name=Ada -c user.email=ada@example.org"
    bash(
        f"git clone -q --bare {engine.folder} {hub}; git clone -q {hub} {own_home}; git clone -q {hub} {other}",
        tmp_path,
    )
    words = {"GITZETTE_OUT": "gazette", "ASKED": "", "DAY": "2026-02-04"}
    bash(script(plan, "Commit"), own_home, **words)
    bash(
        "mkdir gazette; echo news > gazette/README.md; echo 'not to be committed' > secret",
        own_home,
    )
    bash(f"{git} commit -q --allow-empty -m Meanwhile; git push -q origin HEAD", other)
    bash(script(plan, "Commit"), own_home, **words)
    bash(script(plan, "Commit"), own_home, **words)
    bash("git log --format='%an|%s' -3 main > told; git ls-tree -r --name-only main >> told", hub)
    commit_rows = [
        "github-actions[bot]|Gazette up to 2026-02-04",
        "Ada|Meanwhile",
        "Ada|Tell the time",
    ]
    assert (hub / "told").read_text().splitlines() == [
        *commit_rows,
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
