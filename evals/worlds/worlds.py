"""Build worlds by name, and pairs of worlds that differ in one fact: a number, a name, a version.

`demo`, `full` and `stories` are written down; `facts` and `random` come from a seed.
"""

import hashlib
import subprocess
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from evals.worlds import fact_world, random_world
from evals.worlds.data_model import Push, Repo, World, WorldIssue, commit_name, thread_name
from evals.worlds.random_world import Dice
from evals.worlds.worlds_from_toml import (
    DATA,
    make_repository,
    people,
    read_data,
    read_world,
    variant,
)

Which = Literal["one", "other"]
DAY = "2026-02-04"
_PRESENT = datetime(2026, 2, 5, 8, tzinfo=UTC)
KINDS = (
    "number",
    "default",
    "renamed",
    "added",
    "parameter",
    "variable",
    "version",
    "author",
    "fixed",
    "undone",
)
"""What a pair can differ in."""


def build(name: str, seed: int, folder: Path) -> World:
    """Make a world and write its repositories below a folder."""
    if name == "facts":
        return fact_world.make(seed, folder)
    if name == "random":
        return random_world.make(seed, folder)
    return read_world(DATA / name, folder)


def repo_from_mirror(full_name: str, git_dir: Path, issues: tuple[WorldIssue, ...] = ()) -> Repo:
    """Return a real bare mirror as a repository of a world."""
    owner, _, name = full_name.partition("/")
    branch = _git(git_dir, "symbolic-ref", "--short", "HEAD") or "main"
    tip, _, committed = _git(git_dir, "show", "-s", "--format=%H %ct", "HEAD").partition(" ")
    repo_id = int.from_bytes(hashlib.sha256(full_name.encode()).digest()[:4], "big")
    repo = Repo(repo_id, owner, name, branch, git_dir, issues)
    if not tip:
        return repo
    push = Push(datetime.fromtimestamp(int(committed), UTC), tip)
    return replace(repo, pushes=(push,))


def _git(git_dir: Path, *args: str) -> str:
    """Return the output of git, which is empty where git fails."""
    command = ["git", f"--git-dir={git_dir}", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@dataclass(frozen=True)
class Twin:
    """One of two worlds, with what a report says of it alone and of the other alone."""

    world: World
    sha: str  # `owner/name@sha` of the commit in which they differ
    says: str
    not_says: str


def twin(kind: str, seed: int, which: Which, folder: Path) -> Twin:
    """Make one world of a pair, with its repository."""
    data = read_data("twins.toml")
    kind_data = data["kind"][kind]
    values = Dice("twins", seed, kind).shuffled(kind_data["values"])[:2]
    if which == "other":
        values.reverse()
    value, other_value = values
    spec = dict(data["repository"])
    for table in ("commit", "issue", "pull"):
        spec[table] = [*spec.get(table, ()), *kind_data.get(table, ())]
    made = make_repository(variant(spec, {"value": value}, value), folder)
    name = made.repo.full_name
    return Twin(
        world=World(_PRESENT, (made.repo,), made.landed),
        sha=commit_name(name, made.keys["twin"]),
        says=_expected_words(kind, value, name),
        not_says=_expected_words(kind, other_value, name),
    )


def _expected_words(kind: str, value: str, repo: str) -> str:
    """Return the form in which a report should state a value."""
    if kind == "author":
        return people()[value]["name"]
    if kind == "fixed":
        return thread_name(repo, value)
    return value
