"""How evidence stands to what is said: for it, against it, or silent."""

from enum import StrEnum

from agent.gate.direction import OPPOSITES, Direction


class Stand(StrEnum):
    """How the evidence stands to what is said."""

    AGREES = "agrees"
    OPPOSES = "opposes"
    SILENT = "silent"


def against(direction: Direction) -> frozenset[Direction]:
    """List the directions that speak against one."""
    return OPPOSITES.get(direction, frozenset())
