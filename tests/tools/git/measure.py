"""Measure reading on a real mirror: `python tests/tools/git/measure.py MIRROR 2026-07-01 2026-07-31`.

Prints how long it takes to list and read everything that landed, next to the same `git log` into a pipe that is thrown
away, the peak memory of this process, and whether counts and windows agree with git's own.
"""

import asyncio
import os
import resource
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from agent.domain.base import RepoId
from agent.domain.window import Window
from tools.git.log import PATCH_OPTIONS
from tools.git.source import GitSource

ATTRIBUTES = Path(__file__).resolve().parents[3] / "tools" / "git" / "github.attributes"
ZONES = ("UTC", "Asia/Shanghai", "America/New_York")
Counts = dict[str, list[tuple[int, int]]]


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def git(mirror: Path, *arguments: str) -> bytes:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    attributes = f"core.attributesFile={ATTRIBUTES}"
    return subprocess.run(
        ["git", f"--git-dir={mirror}", "-c", attributes, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        check=False,
    ).stdout


def bounds(window: Window) -> list[str]:
    start, end = int(window.start.timestamp()), int(window.end.timestamp()) - 1
    return ["--first-parent", f"--since-as-filter=@{start} +0000", f"--until=@{end} +0000"]


async def read(source: GitSource, window: Window) -> tuple[Counts, float]:
    began, counts = time.perf_counter(), Counts()
    landing = await source.landed(window)
    async for change in source.changes([row.commit.sha for row in landing.rows]):
        counts[change.commit.sha] = [(file.additions, file.deletions) for file in change.files]
    return counts, time.perf_counter() - began


def plain_log(mirror: Path, window: Window) -> float:
    began = time.perf_counter()
    command = [
        "git",
        f"--git-dir={mirror}",
        "-c",
        f"core.attributesFile={ATTRIBUTES}",
        "log",
        "-z",
        "--format=%H %P %an %ae %at %cn %ce %ct %B",
    ]
    with subprocess.Popen([*command, *PATCH_OPTIONS, *bounds(window), "HEAD"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while process.stdout.read(1 << 20):
            pass
    return time.perf_counter() - began


def numstat(mirror: Path, window: Window) -> Counts:
    counts = Counts()
    told = git(
        mirror, "log", "--numstat", "-M", "--diff-merges=first-parent", "--format=%x01%H", *bounds(window), "HEAD"
    )
    for record in told.split(b"\x01")[1:]:
        sha, *lines = record.split(b"\n")
        fields = [line.split(b"\t") for line in lines if line]
        counts[sha.decode()] = [(int(a) if a != b"-" else 0, int(d) if d != b"-" else 0) for a, d, *_ in fields]
    return counts


async def cover(source: GitSource, mirror: Path, first: date, days: int) -> None:
    for zone in ZONES:
        span = Window.days(first, first + timedelta(days=days - 1), zone)
        found: list[str] = []
        for offset in range(days):
            day = first + timedelta(days=offset)
            found += [row.commit.sha for row in (await source.landed(Window.days(day, day, zone))).rows]
        expected = git(mirror, "log", "--format=%H", *bounds(span), "HEAD").decode().split()
        right = len(found) == len(set(found)) and set(found) == set(expected)
        say(f"{days} days in {zone}: {len(found)} commits, {'each once, none missing' if right else 'WRONG'}")


async def main(mirror: Path, first: date, last: date) -> None:
    source, window = GitSource(RepoId("measured/mirror"), mirror), Window.days(first, last, "UTC")
    for _ in range(3):
        counts, ours = await read(source, window)
        theirs = plain_log(mirror, window)
        say(f"read {ours:.2f} s, git log {theirs:.2f} s, ratio {ours / theirs:.2f}, {len(counts)} commits, "
            f"{sum(map(len, counts.values()))} files")  # fmt: skip
    say(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    expected = numstat(mirror, window)
    equal = sum(counts[sha] == expected.get(sha) for sha in counts)
    say(f"counts equal to --numstat -M: {equal} of {len(counts)} commits")
    await cover(source, mirror, first, (last - first).days + 1)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), date.fromisoformat(sys.argv[2]), date.fromisoformat(sys.argv[3])))
