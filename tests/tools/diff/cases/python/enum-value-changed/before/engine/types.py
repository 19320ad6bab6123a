from enum import IntEnum


class Mode(IntEnum):
    """How the engine runs."""

    EAGER = 0
    GRAPH = 1
