"""What a correct ledger of a window has in it, from the generator's records alone."""

from datetime import datetime

from evals.worlds.model import LandedGold, Repo, World


def gold_line(world: World, repo: str, push: int = -1) -> list[LandedGold]:
    """List the whole first-parent line as it stood after a push, newest first."""
    index = range(len(world.repo(repo).pushes))[push] if world.repo(repo).pushes else -1
    rows = [row for row in world.landed if row.repo == repo and row.push <= index]
    return [row for row in reversed(rows) if row.dropped_by is None or row.dropped_by > index]


def gold_window(world: World, repo: str, start: datetime, end: datetime, push: int = -1) -> list[LandedGold]:
    """List the rows that landed in `[start, end)` as the branch stood after a push, newest first."""
    return [row for row in gold_line(world, repo, push) if start <= row.committed_at < end]


def push_at(repo: Repo, moment: datetime) -> int:
    """Give the index of the last push that was done by a moment; -1 is none."""
    return max((i for i, push in enumerate(repo.pushes) if push.at <= moment), default=-1)
