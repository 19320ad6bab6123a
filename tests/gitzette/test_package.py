"""The package as users get it: run without installing, and in a container."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_package_says_what_it_is_for_and_with_which_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["classifiers"] == sorted(project["classifiers"])
    minimum = project["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {minimum}" in project["classifiers"]
    assert project["license"] == "Apache-2.0"
    # An expression of the licence and a classifier of it exclude one another.
    assert not [name for name in project["classifiers"] if name.startswith("License ::")]


@pytest.mark.heavy  # The gate installs the wheel and runs the demonstration with `uv tool install`
@pytest.mark.timeout(600)
@pytest.mark.parametrize("runner", ["uvx", "pipx"])
def test_the_wheel_runs_the_demonstration_in_an_empty_environment(runner: str) -> None:
    command = [sys.executable, "scripts/try_wheel.py", "--runner", runner]
    tools = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=ROOT, env=tools, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"started with {runner} in an empty environment" in done.stdout


@pytest.mark.heavy  # It fetches two images
@pytest.mark.timeout(1_200)
def test_the_container_is_built_and_reports_on_the_demonstration(tmp_path: Path) -> None:
    engine = shutil.which("podman") or shutil.which("docker")
    if engine is None:
        pytest.skip("NOT TESTED: the Containerfile (neither podman nor docker is installed)")
    if subprocess.run([engine, "info"], capture_output=True, check=False).returncode:
        pytest.skip(f"NOT TESTED: the Containerfile ({engine} cannot start containers here)")
    build = [engine, "build", "--file", "Containerfile", "--tag", "gitzette-test", "."]
    subprocess.run(build, cwd=ROOT, check=True)
    out = tmp_path / "gazette"
    out.mkdir(mode=0o777)
    out.chmod(0o777)
    run = [engine, "run", "--rm", "--network", "none", "--volume", f"{out}:/gazette:Z"]
    demonstration = ["run", "--demo", "--out", "/gazette/demo"]
    subprocess.run([*run, "gitzette-test", *demonstration], check=True)
    assert list((out / "demo" / "reports").glob("*.md"))
