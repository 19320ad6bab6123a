"""How alike two names or messages are, where that can matter at all."""

from difflib import SequenceMatcher

MOST_PAIRS = 10_000
"""More pairs than this are not looked at: somebody rewrote the file, and whatever is alike is so by chance."""


def likeness(one: str, other: str, least: float) -> float:
    """Return the share of letters that two texts have in common, in order; 0 where it is certainly less than asked."""
    if one == other:
        return 1.0
    size = len(one) + len(other)
    # A matcher is dear to make, so what it could find at most is counted before.
    if 2 * min(len(one), len(other)) < least * size or 2 * _in_common(one, other) < least * size:
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _in_common(one: str, other: str) -> int:
    """Count the letters that two texts have in common, in whatever order."""
    return sum([min(one.count(letter), other.count(letter)) for letter in set(one)])
