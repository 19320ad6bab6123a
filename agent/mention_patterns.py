"""Patterns for texts that mention a name, for git and for Python alike."""

import re
from itertools import pairwise

from agent.questions import Named

_RUN = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]+")
_BETWEEN = "[^A-Za-z0-9]"


def mention_pattern(name: Named) -> str | None:
    """Return an extended regular expression for texts that mention a name; None for no words.

    It is to be matched in any case. What separates words does not matter, so that `max routes`
    finds `MAX_ROUTES`, and a longer word mentions the one that it contains: where nothing matches,
    no spelling of the name occurs.
    """
    if name.kind == "thread":
        return f"(#|/pull/|/issues/){name.text}([^0-9]|$)"
    runs: list[str] = _RUN.findall(name.text)
    if not runs:
        return None
    pattern = runs[0]
    for left, right in pairwise(runs):
        # Without a separator, 1.2 would be found in 12.
        are_digits = left[-1].isdigit() and right[0].isdigit()
        pattern += f"{_BETWEEN}{'+' if are_digits else '*'}{right}"
    return pattern
