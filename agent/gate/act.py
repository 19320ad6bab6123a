"""What a sentence says was done: a direction, its object, and the values before and after."""

from dataclasses import dataclass, field

from agent.gate.direction import Direction
from agent.gate.prose import Token


@dataclass(frozen=True)
class Act:
    """One verb with a direction and what it is said of."""

    direction: Direction
    word: str
    objects: tuple[Token, ...] = ()
    """The names that it is said of directly."""
    near: tuple[Token, ...] = ()
    """Names beside the object: where, for what, of what."""
    words: tuple[str, ...] = ()
    """The plain words of the object."""
    old: Token | None = None
    new: Token | None = None
    negated: bool = False
    soft: bool = False
    """Hardly a verb of change: only evidence against it counts."""
    lent: bool = False
    """The object is that of the verb before, so what speaks against it may be meant of another."""
    place: int = field(default=0, compare=False)
    """Where the verb stands among the tokens."""
