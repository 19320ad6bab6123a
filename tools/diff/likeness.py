"""How alike two names or messages are, where that can matter at all."""

from difflib import SequenceMatcher

MOST_PAIRS = 10_000
"""More pairs than this are not looked at: somebody rewrote the file, and whatever is alike is so by chance."""


def likeness(one: str, other: str, least: float) -> float:
    """Return the share of letters that two texts have in common, in order; 0 where it is certainly less than asked."""
    size = len(one) + len(other)
    if size == 0:
        return 1.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if 2 * min(len(one), len(other)) < least * size or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()
