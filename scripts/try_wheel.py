"""Builds the wheel and starts it away from this checkout, as a user's installation would."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

OURS = ("agent", "tools", "memory", "graphs", "evals", "gitzette")


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it printed; its complaints are shown when it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel with `uv tool install`; what was downloaded once is enough, so this also works offline."""
    env = os.environ | {
        "UV_TOOL_DIR": str(folder / "tools"),
        "UV_TOOL_BIN_DIR": str(folder / "bin"),
    }
    # What pip trusts on this machine, uv may trust too: many networks have an authority of their own.
    env |= {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}
    command = [
        "uv",
        "tool",
        "install",
        "--quiet",
        "--python",
        sys.executable,
        "--constraints",
        "requirements.lock",
    ]
    offline = subprocess.run(
        [*command, "--offline", str(wheel)], env=env, capture_output=True, check=False
    )
    if offline.returncode:
        run(*command, str(wheel), env=env)
    return folder / "bin" / "gitzette"


def main() -> None:
    """Check that the built wheel starts, and that the common names it brings are ours."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("uv", "build", "--quiet", "--wheel", "--out-dir", name)
        wheel = next(folder.glob("*.whl"))
        gitzette = install(wheel, folder)
        # Foreign folders with the same common names stand where the user does; they must not be taken for ours.
        elsewhere = folder / "elsewhere"
        for package in OURS:
            (elsewhere / package).mkdir(parents=True)
            (elsewhere / package / "__init__.py").write_text("raise SystemExit('not ours')\n")
        clean = {
            key: value
            for key, value in os.environ.items()
            if key != "PYTHONPATH" and not key.startswith("GITZETTE_")
        }
        assert "run" in run(str(gitzette), "--help", cwd=elsewhere, env=clean)
        run(str(gitzette), "run", "--demo", "--out", str(folder / "out"), cwd=elsewhere, env=clean)
        python = folder / "tools" / "gitzette" / "bin" / "python"
        probe = f"import {', '.join(OURS)}; print(*(m.__file__ for m in ({', '.join(OURS)})), sep='\\n')"
        files = run(str(python), "-P", "-c", probe, cwd=elsewhere, env=clean).split()
        strangers = [
            file for file in files if not Path(file).is_relative_to(folder / "tools" / "gitzette")
        ]
        if strangers:
            sys.exit(f"imported from elsewhere: {strangers}")
    print(f"{wheel.name}: installed, started, and all {len(OURS)} names are ours")


if __name__ == "__main__":
    main()
