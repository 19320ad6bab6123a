"""Whether a text has begun to repeat itself: some models never stop by themselves."""

_LOOKED_AT = 1_200
_LONGEST_UNIT = 200
_ENOUGH = 600
"""So many characters of nothing but repetition; a table or a list of braces repeats less."""


def rambles(text: str) -> bool:
    """Tell whether the end of a text is one short piece over and over."""
    if len(text) < _ENOUGH:
        return False
    tail = text[-_LOOKED_AT:]
    for size in range(1, _LONGEST_UNIT + 1):
        unit = tail[-size:]
        if tail.endswith(unit * (_ENOUGH // size)):
            return True
    return False
