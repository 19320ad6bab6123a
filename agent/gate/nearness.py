"""Whether a number of the evidence stands where the words speak of, and not just somewhere in a long patch."""

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}", re.ASCII)
_COMMON = frozenset(
    "the and for from now with into that this its are was were has have not but than then them they all any one can may "
    "more less least most only also when where which while after before over under per via new old add adds added use "
    "uses used set sets get gets make makes change changes changed becomes become raises raised lowers lowered".split()
)
_STEM = 5
_AROUND = 2


def topics(text: str) -> frozenset[str]:
    """List the beginnings of the telling words and names of a text, in lower case."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(word[:_STEM] for word in words if word not in _COMMON)


def is_near(number: str, about: frozenset[str], text: str) -> bool:
    """Tell whether a number stands within two lines of something the words speak of."""
    token = re.compile(rf"(?<![A-Za-z0-9_.]){re.escape(number)}(?![0-9]|\.[0-9])")
    lines = _lines(text)
    for at, line in enumerate(lines):
        if number in line and token.search(line):
            around = " ".join(lines[max(0, at - _AROUND) : at + _AROUND + 1])
            if any(topic in around for topic in about):
                return True
    return False


@lru_cache(maxsize=512)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.lower().split("\n"))
