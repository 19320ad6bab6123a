"""Running git safely: what is missing is told, what hangs is ended."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tools.git.process import LOCAL, run, run_local


def pretend_git(folder: Path, script: str) -> Path:
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    return folder


def ends(process: str) -> bool:
    """Wait for a process to be gone; one that was killed still has to be given time for it."""
    last = time.monotonic() + 10
    while alive(process) and time.monotonic() < last:
        time.sleep(0.05)
    return not alive(process)


def alive(process: str) -> bool:
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", process], capture_output=True, text=True, check=False
    ).stdout
    return bool(listed.strip()) and not listed.startswith("Z")


async def test_a_git_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    search = pretend_git(tmp_path / "bin", f"sleep 600 & echo $! > {tmp_path}/child; wait")
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await run(["version"], env=LOCAL | {"PATH": f"{search}:{os.environ['PATH']}"}, seconds=0.3)
    assert time.monotonic() - began < 10
    assert ends((tmp_path / "child").read_text().strip())


async def test_a_talkative_git_does_not_wait_for_us(tmp_path: Path) -> None:
    search = pretend_git(
        tmp_path / "bin",
        "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; echo fatal: done >&2; exit 3",
    )
    finished = await run(["x"], env=LOCAL | {"PATH": f"{search}:{os.environ['PATH']}"}, seconds=20)
    assert (finished.code, len(finished.out), len(finished.err)) == (3, 3_000_000, 16 * 1024)


def test_a_question_about_a_checkout_ends_in_time_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = pretend_git(tmp_path / "bin", f"sleep 600 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setenv("PATH", f"{search}:{os.environ['PATH']}")
    with pytest.raises(TimeoutError):
        run_local(["version"], tmp_path, seconds=0.5)
    assert ends((tmp_path / "child").read_text().strip())
