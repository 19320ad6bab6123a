"""A small world to look at: three projects of one company, a busy Wednesday and the days before it."""

from pathlib import Path

from evals.worlds import people
from evals.worlds.demo import kernels, serving
from evals.worlds.demo.day import DAY, EVE, OWNER
from evals.worlds.model import World
from evals.worlds.plan import filler
from evals.worlds.projects import ROUTEKIT
from evals.worlds.script import Ask, Made, at, finish, perform, start, work_notes


def make(seed: int, folder: Path) -> tuple[World, list[Made]]:
    """Make the demo world."""
    made = [kernels.make(seed, folder), serving.make(seed, folder), _routekit(seed, folder)]
    notes = {"reported day": DAY, "release": f"{OWNER}/tensorforge v0.5.0"} | work_notes(made)
    landed = tuple(row for one in made for row in one.landed)
    return World(seed, at("2026-02-05", "08:00"), tuple(one.repo for one in made), landed, notes), made


def _routekit(seed: int, folder: Path) -> Made:
    """Make a quiet repository that lands its work with merge commits."""
    team = start(OWNER, ROUTEKIT, seed, at("2026-01-29", "11:00"), first_number=88, repo_id=7003)
    question = "What should a weight of zero mean: never, or only when all others are down?"
    author = people.CONTRIBUTORS[3]
    asks = [Ask("weights", at("2026-02-01", "13:00"), author, "Weights of zero?", question, ("question",))]
    perform(team, asks, filler(team, (("2026-02-02", 1), (EVE, 1), (DAY, 2))), merge=True)
    return finish(team, folder, repo_id=7003)
