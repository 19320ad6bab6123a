"""Real days, frozen: the part of a mirror that a few days need, its threads, and what plain git says landed."""

import hashlib
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.domain.base import Frozen, InputError, RepoId

RECORDINGS = Path(__file__).with_name("recordings")
"""Git ignores this folder: what others wrote is not ours to publish."""
EXPECTED = Path(__file__).with_name("recordings.json")
"""Which recordings a whole evaluation has; those that are not here are counted."""
_BEFORE = timedelta(days=14)
"""So much history stands before the first day, for stories and what is undone."""
_SHEET = (
    "Commits come from a clone and threads from the file that was given, as they were. Which commits landed is what "
    "`git log --first-parent` says; which issues were fixed is what pull requests name as closed. Nobody has looked "
    "at the labels. The contents belong to their authors and keep their licence."
)


class Day(Frozen):
    """One case: a day of a repository, and what a right report has."""

    id: str
    day: date
    landed: tuple[str, ...]
    fixes: tuple[tuple[int, str], ...] = ()
    """Issues and the commits that closed them."""


class Recording(Frozen):
    """What a folder holds, and how to trust it."""

    repo: RepoId
    since: date
    until: date
    branch: str
    tip: str
    commits: int
    threads: int
    threads_sha256: str
    sheet: str = _SHEET


def freeze(
    repo: RepoId, path: Path, span: tuple[date, date], threads: Sequence[Mapping[str, Any]], folder: Path
) -> Path:
    """Copy what these days need out of a clone; gives the folder of the recording."""
    since, until = span
    end = datetime.combine(until, datetime.min.time(), UTC)
    tip = _git(path, "rev-list", "-1", "--first-parent", f"--before={end.timestamp():.0f}", "HEAD").strip()
    if not tip or since >= until:
        raise InputError(f"{repo} has nothing before {until}, or the days from {since} to {until} are none")
    target = folder / f"{repo.replace('/', '+')}-{since}-{until}"
    target.mkdir(parents=True, exist_ok=True)
    branch = _git(path, "rev-parse", "--abbrev-ref", "HEAD").strip() or "main"
    start = datetime.combine(since, datetime.min.time(), UTC) - _BEFORE
    count = _copy(path, target / "repo.git", tip, branch, f"--since={start.timestamp():.0f}")
    mine = [one for one in threads if one["repo"] == repo and str(one["created_at"]) < until.isoformat()]
    told = json.dumps(mine, ensure_ascii=False, indent=1)
    (target / "threads.json").write_text(told, "utf-8")
    days = "".join(f"{one.model_dump_json()}\n" for one in _days(repo, path, tip, span, mine))
    (target / "cases.jsonl").write_text(days, "utf-8")
    digest = hashlib.sha256(told.encode()).hexdigest()
    made = Recording(
        repo=repo,
        since=since,
        until=until,
        branch=branch,
        tip=tip,
        commits=count,
        threads=len(mine),
        threads_sha256=digest,
    )
    # The manifest comes last: a folder without it was left half-written.
    (target / "manifest.json").write_text(made.model_dump_json(indent=1) + "\n", "utf-8")
    return target


def recordings(folder: Path = RECORDINGS) -> Iterator[tuple[Recording, Path, list[Day]]]:
    """Read every recording that is whole."""
    for manifest in sorted(folder.glob("*/manifest.json")):
        made = Recording.model_validate_json(manifest.read_text("utf-8"))
        told = (manifest.parent / "threads.json").read_bytes()
        if hashlib.sha256(told).hexdigest() != made.threads_sha256:
            raise InputError(f"{manifest.parent.name}: threads.json is not what was recorded")
        lines = (manifest.parent / "cases.jsonl").read_text("utf-8").splitlines()
        yield made, manifest.parent, [Day.model_validate_json(line) for line in lines]


def expected() -> list[str]:
    """Name the recordings that a whole evaluation has."""
    names: list[str] = json.loads(EXPECTED.read_text("utf-8"))
    return names


def _copy(path: Path, git_dir: Path, tip: str, branch: str, since: str) -> int:
    """Make a shallow repository of the commits since a moment; what they hang on is cut off."""
    quiet = _git(path, "rev-list", "--parents", "-1", tip)
    commits = (_git(path, "rev-list", "--parents", since, tip) or quiet).splitlines()
    known = {line.split()[0] for line in commits}
    cut = [line.split()[0] for line in commits if not set(line.split()[1:]) <= known]
    objects = _git(path, "rev-list", "--objects", "--no-walk=unsorted", "--stdin", given="\n".join(sorted(known)))
    names = "".join(f"{line.split()[0]}\n" for line in objects.splitlines())
    subprocess.run(["git", "init", "--quiet", "--bare", str(git_dir)], check=True)
    _git(path, "pack-objects", "--quiet", str(git_dir.absolute() / "objects" / "pack" / "pack"), given=names)
    if cut:
        (git_dir / "shallow").write_text("".join(f"{sha}\n" for sha in sorted(cut)), "utf-8")
    _git(git_dir, "update-ref", f"refs/heads/{branch}", tip)
    _git(git_dir, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    return len(known)


def _days(
    repo: RepoId, path: Path, tip: str, span: tuple[date, date], threads: Sequence[Mapping[str, Any]]
) -> Iterator[Day]:
    log = _git(path, "log", "--first-parent", "--format=%H %ct", tip, f"--since={span[0]}T00:00:00Z").splitlines()
    landed: dict[date, list[str]] = {}
    for line in log:
        sha, _, at = line.partition(" ")
        landed.setdefault(datetime.fromtimestamp(int(at), UTC).date(), []).append(sha)
    pulls = [one for one in threads if one["kind"] == "pull" and one.get("merge_commit_sha")]
    closed = {one["merge_commit_sha"]: one.get("closes") or () for one in pulls}
    for offset in range((span[1] - span[0]).days):
        day = span[0] + timedelta(days=offset)
        shas = landed.get(day, [])
        fixes = tuple((int(number), sha) for sha in shas for number in closed.get(sha, ()))
        yield Day(id=f"{repo}/{day}", day=day, landed=tuple(shas), fixes=fixes)


def _git(git_dir: Path, *arguments: str, given: str | None = None) -> str:
    command = ["git", "-C", str(git_dir), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"git {arguments[0]} in {git_dir}: {done.stderr.strip()[:200]}")
    return done.stdout
