"""The worlds by name, written to a folder once and found there again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from evals.worlds.demo import world as demo
from evals.worlds.factbook import world as factbook
from evals.worlds.full import world as full
from evals.worlds.model import Repo, World
from evals.worlds.pack import read_refs, write_refs, write_repository
from evals.worlds.saga import world as saga
from evals.worlds.script import Made

VERSION = 1
"""Raised whenever the same seed gives something else."""

Plan = Callable[[int, Path], tuple[World, list[Made]]]


def build(name: str, seed: int, folder: Path) -> World:
    """Make a world, and write its repositories unless the folder has them already."""
    world, made = plans()[name](seed, folder)
    manifest = {"world": name, "seed": seed, "version": VERSION, "tips": {m.repo.full_name: _tip(m.repo) for m in made}}
    path = folder / "manifest.json"
    if _read(path) == manifest and all(m.repo.git_dir.is_dir() for m in made):
        for one in made:
            write_refs(one.repo.git_dir, one.refs)  # a test may have left a branch at an earlier push
        return world
    path.unlink(missing_ok=True)
    for one in made:
        if one.repo.git_dir.exists():
            shutil.rmtree(one.repo.git_dir)
        write_repository(one.repo.git_dir, one.objects, one.refs, one.repo.default_branch)
    # The manifest comes last and at once: a folder without it was left half-written.
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    fresh.replace(path)
    return world


def plans() -> dict[str, Plan]:
    """Give every world's maker by name."""
    return {"demo": demo.make, "facts": factbook.make, "full": full.make, "saga": saga.make}


def set_push(repo: Repo, index: int) -> None:
    """Point the default branch at an earlier push, as the world saw it then; -1 is the last one."""
    refs = read_refs(repo.git_dir)
    refs[f"refs/heads/{repo.default_branch}"] = repo.pushes[index].tip
    write_refs(repo.git_dir, refs)


def _tip(repo: Repo) -> str | None:
    return repo.pushes[-1].tip if repo.pushes else None


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
