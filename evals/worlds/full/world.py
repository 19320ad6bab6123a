"""The full world: five repositories that have everything a report can meet."""

from pathlib import Path

from evals.worlds.full import calendar, clocks, kernels, oddities, serving
from evals.worlds.model import Repo, World
from evals.worlds.objects import Objects
from evals.worlds.script import Made, at, finish, work_notes

OWNER = "lumen-ai"


def make(seed: int, folder: Path) -> tuple[World, list[Made]]:
    """Make the full world."""
    team = kernels.make(seed, OWNER)
    served = serving.make(seed, folder, OWNER, team)
    made = [
        finish(team, folder, repo_id=8001),
        served,
        clocks.make(seed, folder, OWNER),
        oddities.make(seed, folder, OWNER),
        _empty(folder),
    ]
    landed = tuple(row for one in made for row in one.landed)
    return World(seed, at(calendar.PRESENT, "00:00"), tuple(one.repo for one in made), landed, _notes(made)), made


def _empty(folder: Path) -> Made:
    """Give a repository that nobody has pushed to."""
    repo = Repo(8005, OWNER, "blank", "main", folder / OWNER / "blank.git")
    return Made(repo, (), Objects(), {}, {})


def _notes(made: list[Made]) -> dict[str, str]:
    """Name the special days, repositories and commits."""
    names = [one.repo.full_name for one in made]
    days = {
        "empty day": calendar.EMPTY_DAY,
        "busy day": calendar.BUSY_DAY,
        "forty-commit day": calendar.FORTY_DAY,
        "release day": calendar.RELEASE_DAY,
        "american dst day": calendar.AMERICAN_DST,
        "european dst day": calendar.EUROPEAN_DST,
        "late day": "2026-03-17",
        "forced push day": "2026-03-24",
    }
    roles = ("squash repository", "merge repository", "renamed repository", "odd repository", "empty repository")
    return days | dict(zip(roles, names, strict=True)) | work_notes(made)
