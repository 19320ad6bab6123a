"""Running git safely: what is missing is told, what hangs is ended."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools.git.process import LOCAL, run

if TYPE_CHECKING:
    from tests.tools.git.conftest import Work

SCRIPT = """
import asyncio, sys
from pathlib import Path
from agent.domain.base import AppError
from agent.domain.base import RepoId
from tools.git.source import GitSource
try:
    asyncio.run(GitSource(RepoId("a/b"), Path(sys.argv[1])).resolve("abcd"))
except AppError as error:
    print(type(error).__name__, error)
"""


async def told(path: Path, search: Path) -> str:
    """Ask for a commit in a process that has another PATH."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SCRIPT,
        str(path),
        stdout=asyncio.subprocess.PIPE,
        env={"PATH": str(search), "PYTHONPATH": "."},
    )
    out, _ = await process.communicate()
    return out.decode().strip()


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
    listed = subprocess.run(["ps", "-o", "stat=", "-p", process], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip()) and not listed.startswith("Z")


async def test_a_machine_without_git_is_told_to_install_it(work: "Work", tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()

    assert (await told(work.path, tmp_path / "bin")).startswith("InputError git is not installed")


async def test_an_old_git_is_named_with_what_is_needed(work: "Work", tmp_path: Path) -> None:
    search = pretend_git(tmp_path / "bin", "echo git version 2.30.2")

    assert await told(work.path, search) == "InputError git version 2.30.2 is too old; install git 2.37 or newer"


async def test_a_git_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    search = pretend_git(tmp_path / "bin", f"sleep 600 & echo $! > {tmp_path}/child; wait")
    began = time.monotonic()

    with pytest.raises(TimeoutError):
        await run(["version"], env=LOCAL | {"PATH": f"{search}:{os.environ['PATH']}"}, seconds=0.3)

    assert time.monotonic() - began < 10
    assert ends((tmp_path / "child").read_text().strip())


async def test_a_talkative_git_does_not_wait_for_us(tmp_path: Path) -> None:
    search = pretend_git(
        tmp_path / "bin", "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; echo fatal: done >&2; exit 3"
    )

    finished = await run(["x"], env=LOCAL | {"PATH": f"{search}:{os.environ['PATH']}"}, seconds=20)

    assert (finished.code, len(finished.out), len(finished.err)) == (3, 3_000_000, 16 * 1024)
