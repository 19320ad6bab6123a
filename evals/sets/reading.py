"""Reading: how long the git source takes beside git itself, whether its counts are git's, and the memory it needs."""

import asyncio
import resource
import subprocess
import sys
import time
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.window import Window
from evals.figures import Score, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.oracle import ask_git, days_of, first_parent_line, git_dir_of, last_days
from tools.git.source import GitSource

_REPEATS = 3
_DAYS = 31
_CHUNK = 1 << 20


async def run(bench: Bench) -> Figures:
    """Read a month of each mirror, against the same `git log` into a pipe that nobody reads from."""
    ratios: list[float] = []
    counts: list[Score] = []
    memory: list[float] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        window = await _month(bench, spec.path)
        bench.say(f"reading: {spec.name}, {window.label}")
        ratios.append(await _ratio(spec.name, spec.path, window))
        counts += await _counts(spec.name, spec.path, window)
        memory.append(await _peak(spec.name, spec.path, window))
    return {
        "seconds beside git log, mirrors": measure(ratios, Target(1.5, "at most")),
        "files whose counts are git's, mirrors": share(counts, Target(1.0)),
        "megabytes at the peak, mirrors": measure(memory, Target(250, "at most")),
    }


async def _month(bench: Bench, path: Path) -> Window:
    line = await first_parent_line(git_dir_of(path))
    days = days_of(bench.span) if bench.span else last_days(max(row.at for row in line), _DAYS)
    return Window.days(days[0], days[-1], "UTC")


async def _ratio(repo: RepoId, path: Path, window: Window) -> float:
    """Take the best of some turns of each, in turns, because other work on the machine disturbs both."""
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(_REPEATS):
        floor.append(await asyncio.to_thread(_floor, git_dir_of(path), window))
        started = time.perf_counter()
        await _read(repo, path, window)
        ours.append(time.perf_counter() - started)
    return min(ours) / min(floor)


def _floor(git_dir: Path, window: Window) -> float:
    """Time `git log` with the options that give GitHub's patches, thrown away."""
    attributes = Path(__file__).parents[2] / "tools" / "git" / "github.attributes"
    command = ["git", "--git-dir", str(git_dir), "-c", f"core.attributesFile={attributes}", "log", "--first-parent"]
    command += ["--diff-merges=first-parent", "--full-index", "-M", "--inter-hunk-context=1", "--raw", "-p", "-z"]
    start, last = int(window.start.timestamp()), int(window.end.timestamp()) - 1
    command += [f"--since-as-filter={start}", f"--until={last}", "HEAD"]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while process.stdout.read(_CHUNK):
            pass
    return time.perf_counter() - started


async def _read(repo: RepoId, path: Path, window: Window) -> int:
    source = GitSource(repo, path)
    landing = await source.landed(window)
    return sum([1 async for _ in source.changes([row.commit.sha for row in landing.rows])])


async def _counts(repo: RepoId, path: Path, window: Window) -> list[Score]:
    """Compare every file's added and deleted lines with `git log --numstat -M`."""
    source = GitSource(repo, path)
    landing = await source.landed(window)
    scores: list[Score] = []
    async for change in source.changes([row.commit.sha for row in landing.rows]):
        ours = sorted((file.path, file.additions, file.deletions) for file in change.files)
        gits = sorted(await _numstat(git_dir_of(path), change.commit.sha))
        same = len(ours) == len(gits)
        scores += [
            Score(f"{change.commit.id}: {mine} and {its}", float(mine == its))
            for mine, its in zip(ours, gits, strict=False)
        ]
        scores += [] if same else [Score(f"{change.commit.id}: {len(ours)} and {len(gits)} files", 0.0)]
    return scores


async def _numstat(git_dir: Path, sha: str) -> list[tuple[str, int, int]]:
    text = await ask_git(git_dir, "log", "-1", "-z", "--format=", "--numstat", "-M", "--diff-merges=first-parent", sha)
    fields = text.split(b"\0")
    rows: list[tuple[str, int, int]] = []
    while fields:
        head = fields.pop(0).strip(b"\n")
        if not head:
            continue
        added, deleted, name = head.split(b"\t", 2)
        if not name:
            _, name = fields.pop(0), fields.pop(0)
        count = [0 if number == b"-" else int(number) for number in (added, deleted)]
        rows.append((name.decode("utf-8", "replace"), count[0], count[1]))
    return rows


async def _peak(repo: RepoId, path: Path, window: Window) -> float:
    """Read the month in a process of its own and ask for the most memory it ever had."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "evals.sets.reading", repo, str(path), window.model_dump_json(),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    return float(out)


def _measure_alone(repo: str, path: str, window: str) -> None:
    asyncio.run(_read(RepoId(repo), Path(path), Window.model_validate_json(window)))
    status = Path("/proc/self/status")
    # A process started from a large one inherits that one's peak in getrusage, but not in its own status file.
    if status.exists():
        peak = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    else:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"{peak / 1024}\n")


READING = EvalSet("reading", "a month of commits with patches, beside git itself", run, needs_mirrors=True)

if __name__ == "__main__":
    _measure_alone(*sys.argv[1:])
