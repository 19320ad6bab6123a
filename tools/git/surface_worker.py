"""Reading of public surfaces in another process, which finds everything that it needs in a clone."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.surface import SurfaceChange
from tools.git.public_surfaces import Surfaces


def read_surface_changes(
    repo: RepoId, path: Path, shas: Sequence[str]
) -> dict[str, SurfaceChange | None]:
    """Return for each commit of a clone the public names in its files and what breaks."""
    return _runner().run(_surfaces(repo, path).surface_changes(shas))


@lru_cache(1)
def _runner() -> asyncio.Runner:
    """Return the event loop of this process: what a source holds belongs to one loop."""
    return asyncio.Runner()


@lru_cache(1)
def _surfaces(repo: RepoId, path: Path) -> Surfaces:
    """Return the latest clone again: commits that follow each other have most modules in common."""
    from tools.git.source import GitSource

    return GitSource(repo, path)
