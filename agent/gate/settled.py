"""What an exchange of values has proved already: the name and its two values, on lines of its own."""

from collections.abc import Iterator

from agent.gate.exchanges import exchange_stand
from agent.gate.prose import Token
from agent.gate.reading import Reading
from agent.gate.stand import Stand


def settled(reading: Reading) -> frozenset[Token]:
    """Give the names and values of which the diff shows that the one value became the other."""
    return frozenset(_proved(reading))


def _proved(reading: Reading) -> Iterator[Token]:
    for act in reading.acts:
        if act.old is None or act.new is None or act.negated or len(act.objects) != 1:
            continue
        if exchange_stand(act, reading.ground) is Stand.AGREES:
            yield from (*act.objects, act.old, act.new)
