"""The values that a line of text tells: from what to what."""

import re

_VALUE = r"(?:[\w.%+-]*[\w%](?:\s*[*x<]+\s*\d[\w.]*)*)"
_VALUES = re.compile(
    rf"\bfrom\s+(?P<a>{_VALUE})\s+to\s+(?P<b>{_VALUE})|\bto\s+(?P<c>(?=\d){_VALUE})"
    rf"|[从由]\s*(?P<d>{_VALUE})\s*(?:又|再|被|直接)?(?:改|变|调|降|升|提|加|减|换|涨|到|至)[^\d\w]{{0,4}}\s*(?P<e>{_VALUE})"
    rf"|(?:改|变|调|降|升|提高|设|换|加|减)[到成为至回]了?\s*(?P<f>(?=\d){_VALUE})",
    re.IGNORECASE | re.ASCII,
)
_GOAL = re.compile(
    r"\b(?:to|as|is|be|became|=)\s+[`'\"]?(?P<en>[\w.+-]*\w)|(?:改|变|调|设|换|切|定)(?:成|为|到|至|回)了?\s*[`'\"“]?(?P<zh>[\w.+-]*\w)",
    re.IGNORECASE | re.ASCII,
)


def values_of(text: str) -> tuple[str, ...]:
    """Find the numbers that are said to be the old or the new value."""
    found = [group for match in _VALUES.finditer(text) for group in match.groups() if group]
    return tuple(dict.fromkeys(one for one in found if any(sign.isdigit() for sign in one)))


def turn_of(text: str) -> tuple[str, str] | None:
    """Find the old and the new value where both are told."""
    pairs = ((match["a"] or match["d"], match["b"] or match["e"]) for match in _VALUES.finditer(text))
    return next(((old, new) for old, new in pairs if old and new), None)


def goals_of(text: str) -> tuple[str, ...]:
    """Find the words that may be said to be the new value."""
    return tuple(dict.fromkeys(match["en"] or match["zh"] for match in _GOAL.finditer(text)))
