from enum import IntEnum


class Mode(IntEnum):
    """How the engine runs."""

    NONE = 0
    EAGER = 1
    GRAPH = 2
