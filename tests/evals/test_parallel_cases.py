"""Cases that are divided among processes, and what is said of them while they last."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evals.harness import Bench
from evals.parallel_cases import CaseCount, in_processes
from gitzette.terminal_output import say


class Idle:
    """A system that no case asks, in whose place Gitzette would have to be imported."""


IDLE: Any = Idle()


class Worked(NamedTuple):
    """What a process did with its part."""

    part: int
    process: int
    git_dirs: tuple[Path, ...]
    marked: bool


async def work(bench: Bench, part: int) -> Worked:
    """Use a world twice; a mark in its folder is gone if it was built anew."""
    first = bench.world("demo")
    mark = first.repos[0].git_dir / "mark"
    mark.touch()
    second = bench.world("demo")
    bench.say(f"part {part} is done")
    git_dirs = tuple(repo.git_dir for repo in second.repos)
    return Worked(part, os.getpid(), git_dirs, mark.exists())


async def test_each_process_builds_a_world_once_and_says_which_one_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(folder=tmp_path, system=IDLE, say=say)
    first, second = await in_processes(work, bench, [10, 20])
    assert (first.part, second.part) == (10, 20)
    assert len({first.process, second.process, os.getpid()}) == 3
    assert first.marked
    assert second.marked
    assert not set(first.git_dirs) & set(second.git_dirs)
    lines = sorted(capfd.readouterr().err.splitlines())
    assert lines == [
        "gitzette: process 1 of 2: part 10 is done",
        "gitzette: process 2 of 2: part 20 is done",
    ]


async def test_a_single_part_stays_in_this_process(tmp_path: Path) -> None:
    lines: list[str] = []
    bench = Bench(folder=tmp_path, system=IDLE, say=lines.append)
    (worked,) = await in_processes(work, bench, [10])
    assert worked.process == os.getpid()
    assert worked.marked
    assert lines == ["part 10 is done"]


def test_the_last_case_is_always_said_and_those_before_it_not_too_often() -> None:
    lines: list[str] = []
    count = CaseCount(lines.append, "storms", 3)
    for _ in range(3):
        count.add()
    assert lines == ["storms: 3 of 3 cases"]


def test_a_long_set_says_how_long_it_will_take() -> None:
    lines: list[str] = []
    count = CaseCount(lines.append, "storms", 3, every_seconds=0)
    count.add()
    assert lines == ["storms: 1 of 3 cases, about 0 min left"]
