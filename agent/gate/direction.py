"""Which way a change goes: the few directions that every verb of our trade comes down to."""

from enum import StrEnum


class Direction(StrEnum):
    """What is said to have happened to a thing."""

    ADD = "added"
    REMOVE = "removed"
    RENAME = "renamed"
    MOVE = "moved"
    RAISE = "raised"
    LOWER = "lowered"
    CHANGE = "changed"
    """From one value to another; without values it says nothing that can be checked."""
    REPLACE = "replaced"
    DEPRECATE = "deprecated"
    REVERT = "reverted"
    RELAND = "re-landed"
    ENABLE = "enabled"
    DISABLE = "disabled"
    FIX = "fixed"


OPPOSITES = {
    Direction.ADD: frozenset({Direction.REMOVE, Direction.DISABLE}),
    Direction.REMOVE: frozenset({Direction.ADD, Direction.ENABLE}),
    Direction.RAISE: frozenset({Direction.LOWER}),
    Direction.LOWER: frozenset({Direction.RAISE}),
    Direction.ENABLE: frozenset({Direction.DISABLE, Direction.REMOVE}),
    Direction.DISABLE: frozenset({Direction.ENABLE, Direction.ADD}),
}

FITS = {
    Direction.ADD: frozenset({Direction.ADD, Direction.ENABLE, Direction.RELAND}),
    Direction.REMOVE: frozenset({Direction.REMOVE, Direction.DISABLE}),
    Direction.RENAME: frozenset({Direction.RENAME}),
    Direction.MOVE: frozenset({Direction.MOVE}),
    Direction.RAISE: frozenset({Direction.RAISE}),
    Direction.LOWER: frozenset({Direction.LOWER}),
    Direction.CHANGE: frozenset(Direction),
    Direction.REPLACE: frozenset({Direction.REPLACE, Direction.CHANGE, Direction.RENAME, Direction.REMOVE}),
    Direction.DEPRECATE: frozenset({Direction.DEPRECATE}),
    Direction.REVERT: frozenset({Direction.REVERT}),
    Direction.RELAND: frozenset({Direction.RELAND}),
    Direction.ENABLE: frozenset({Direction.ENABLE, Direction.ADD}),
    Direction.DISABLE: frozenset({Direction.DISABLE, Direction.REMOVE}),
    Direction.FIX: frozenset({Direction.FIX}),
}
"""Which directions of the evidence bear out a direction of the claim."""
