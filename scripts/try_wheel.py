"""Builds the wheel and starts it away from this checkout, as a user's installation would.

`--runner uv` installs it as a tool (`uv tool install`); `uvx` and `pipx` run it without installing,
as `uvx gitzette` and `pipx run gitzette` do, and name the wheel where a user names the package.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OURS = ("agent", "tools", "memory", "graphs", "evals", "gitzette")
LOCK = Path("requirements.lock").resolve()


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it printed; its complaints are shown when it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a user who has set nothing, with the folders of the trial."""
    clean = {}
    for key, value in os.environ.items():
        if key != "PYTHONPATH" and not key.startswith("GITZETTE_"):
            clean[key] = value
    clean["GITZETTE_HOME"] = str(folder / "home")
    clean["UV_TOOL_DIR"] = str(folder / "tools")
    clean["UV_TOOL_BIN_DIR"] = str(folder / "bin")
    clean["PIPX_HOME"] = str(folder / "pipx")
    # What pip trusts on this machine, uv may trust too: many networks have an authority of their own.
    return clean | {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}


def foreign_folder(folder: Path) -> Path:
    """Make folders with the names of our packages where the user stands; they must not be imported."""
    elsewhere = folder / "elsewhere"
    for package in OURS:
        (elsewhere / package).mkdir(parents=True)
        (elsewhere / package / "__init__.py").write_text("raise SystemExit('not ours')\n")
    return elsewhere


def install(wheel: Path, folder: Path, env: dict[str, str]) -> Path:
    """Install the wheel with `uv tool install`; what was downloaded once is enough, so this also works offline."""
    command = ["uv", "tool", "install", "--quiet", "--python", sys.executable]
    command += ["--constraints", str(LOCK)]
    offline = subprocess.run(
        [*command, "--offline", str(wheel)], env=env, capture_output=True, check=False
    )
    if offline.returncode:
        run(*command, str(wheel), env=env)
    return folder / "bin" / "gitzette"


def without_installing(runner: str, wheel: Path) -> list[str]:
    """Return the command that runs the wheel in an environment made for the occasion."""
    if runner == "uvx":
        options = ["--python", sys.executable, "--constraints", str(LOCK), "--isolated"]
        return ["uv", "tool", "run", "--quiet", *options, "--from", str(wheel), "gitzette"]
    pipx = shutil.which("pipx")
    starter = [pipx] if pipx else ["uv", "tool", "run", "--quiet", "pipx"]
    pinned = f"--pip-args=--quiet --constraint {folder_constraints(wheel.parent)}"
    return [*starter, "run", "--no-cache", pinned, "--spec", str(wheel), "gitzette"]


def folder_constraints(folder: Path) -> Path:
    """Write the lock without its hashes, which pip takes for a demand on the wheel as well."""
    lines = []
    for line in LOCK.read_text("utf-8").splitlines():
        if line[:1].isalnum():
            lines.append(line.removesuffix("\\").rstrip())
    file = folder / "constraints.txt"
    file.write_text("\n".join(lines) + "\n")
    return file


def check_demonstration(command: list[str], folder: Path, env: dict[str, str]) -> None:
    """Ask for help and run the demonstration among foreign folders with our names."""
    elsewhere = foreign_folder(folder)
    assert "run" in run(*command, "--help", cwd=elsewhere, env=env)
    run(*command, "run", "--demo", "--out", str(folder / "out"), cwd=elsewhere, env=env)
    assert list((folder / "out" / "reports").glob("*.md")), "the demonstration wrote no report"


def check_imports(folder: Path, env: dict[str, str]) -> None:
    """Check that the common names of our packages are those of the installed wheel."""
    tool = folder / "tools" / "gitzette"
    names = ", ".join(OURS)
    probe = f"import {names}; print(*(m.__file__ for m in ({names})), sep='\\n')"
    files = run(
        str(tool / "bin" / "python"), "-P", "-c", probe, cwd=folder / "elsewhere", env=env
    ).split()
    strangers = [file for file in files if not Path(file).is_relative_to(tool)]
    if strangers:
        sys.exit(f"imported from elsewhere: {strangers}")


def main() -> None:
    """Check that the built wheel starts, and that the common names it brings are ours."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", choices=("uv", "uvx", "pipx"), default="uv")
    runner = parser.parse_args().runner
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(folder)
        run("uv", "build", "--quiet", "--wheel", "--out-dir", name, env=env)
        wheel = next(folder.glob("*.whl"))
        begun = time.monotonic()
        if runner == "uv":
            check_demonstration([str(install(wheel, folder, env))], folder, env)
            check_imports(folder, env)
        else:
            check_demonstration(without_installing(runner, wheel), folder, env)
        seconds = time.monotonic() - begun
    print(f"{wheel.name}: started with {runner} in an empty environment, {seconds:.0f} s")


if __name__ == "__main__":
    main()
