"""The worlds by name: `demo`, `full` and `stories` are written down, `facts` and `random` come from a seed."""

from pathlib import Path

from evals.worlds import fact_world, random_world
from evals.worlds.model import World
from evals.worlds.written import read_world


def build(name: str, seed: int, folder: Path) -> World:
    """Make a world and write its repositories below a folder."""
    makers = {"facts": fact_world.make, "random": random_world.make}
    return makers[name](seed, folder) if name in makers else read_world(name, folder)
