"""The worlds by name, and pairs of worlds that differ in one fact: a number, a name, a version, what was undone.

`demo`, `full` and `stories` are written down, `facts` and `random` come from a seed.
"""

import hashlib
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from evals.worlds import fact_world, random_world
from evals.worlds.model import Push, Repo, World, WorldIssue, commit_name, thread_name
from evals.worlds.random_world import Dice
from evals.worlds.written import make_repository, people, read_data, read_world, variant

Which = Literal["one", "other"]
DAY = "2026-02-04"
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
    makers = {"facts": fact_world.make, "random": random_world.make}
    return makers[name](seed, folder) if name in makers else read_world(name, folder)


def repo_from_mirror(full_name: str, git_dir: Path, issues: tuple[WorldIssue, ...] = ()) -> Repo:
    """Give a real bare mirror the shape of a world's repository."""
    owner, _, name = full_name.partition("/")
    branch = _git(git_dir, "symbolic-ref", "--short", "HEAD") or "main"
    tip, _, moved = _git(git_dir, "show", "-s", "--format=%H %ct", "HEAD").partition(" ")
    number = int.from_bytes(hashlib.sha256(full_name.encode()).digest()[:4], "big")
    pushes = (Push(datetime.fromtimestamp(int(moved), UTC), tip),) if tip else ()
    return Repo(number, owner, name, branch, git_dir, issues, pushes=pushes)


def _git(git_dir: Path, *args: str) -> str:
    """Ask git; an answer that it cannot give is empty."""
    command = ["git", f"--git-dir={git_dir}", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@dataclass(frozen=True)
class Twin:
    """One of two worlds: what only it should be told, and what only the other should."""

    world: World
    sha: str  # `owner/name@sha` of the commit in which they differ
    says: str
    not_says: str


def twin(kind: str, seed: int, which: Which, folder: Path) -> Twin:
    """Make one of a pair, with its repository."""
    data = read_data("twins.toml")
    added = data["kind"][kind]
    first, second = Dice("twins", seed, kind).shuffled(added["values"])[:2]
    value, other = (first, second) if which == "one" else (second, first)
    spec = dict(data["repository"])
    for part in ("commit", "issue", "pull"):
        spec[part] = [*spec.get(part, ()), *added.get(part, ())]
    made = make_repository(variant(spec, {"value": value}, value), folder)
    world = World(datetime(2026, 2, 5, 8, tzinfo=UTC), (made.repo,), made.landed)
    name = made.repo.full_name
    return Twin(
        world,
        commit_name(name, made.keys["twin"]),
        _said(kind, value, name),
        _said(kind, other, name),
    )


def _said(kind: str, value: str, repo: str) -> str:
    """Give what a report should say of a value."""
    if kind == "author":
        return people()[value]["name"]
    return thread_name(repo, value) if kind == "fixed" else value
