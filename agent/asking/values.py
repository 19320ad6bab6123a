"""The values that a line of text tells: from what to what."""

import re

_VALUE = r"(?:[\w.%+-]*[\w%](?:\s*[*x<]+\s*\d[\w.]*)*)"
_UNIT = "(?:毫?秒|分钟?|小时|天|个|次|层|倍)?"
_VALUES = re.compile(
    rf"\bfrom\s+(?P<a>{_VALUE})\s+to\s+(?P<b>{_VALUE})|\bto\s+(?P<c>(?=\d){_VALUE})"
    rf"|[从由]\s*(?P<d>{_VALUE})\s*(?:又|再|被|直接)?(?:改|变|调|降|升|提|加|减|换|涨|到|至)[^\d\w]{{0,4}}\s*(?P<e>{_VALUE})"
    rf"|(?:改|变|调|降|升|提高|设|换|加|减)[到成为至回]了?\s*(?P<f>(?=\d){_VALUE})"
    rf"|\bfrom\s+(?P<g>(?=\d){_VALUE})\s+to\s+(?:what|which|how)|[从由]\s*(?P<h>(?=\d){_VALUE})\s*{_UNIT}(?:改|变|调|降|升|提|换|涨)",
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
