"""Upper and lower bounds that a sentence gives: the evidence must have the number as a bound on the same side."""

import re
from collections.abc import Iterator, Sequence

from agent.claims import Judgement
from agent.gate.reading import Reading, undecided

_NUMBER = r"(?P<number>\d[\d,_]*(?:\.\d+)?)(?![\w.]*\w)"
_SAID = {
    "most": re.compile(
        r"\b(?:limit|cap|restrict|bound|constrain|clamp)(?:s|ed|ing|ped|ping)?\b[^.;,。；，]{0,60}?"
        rf"\b(?:to|at)\s+(?:at most\s+|a maximum of\s+|the first\s+)?`?{_NUMBER}"
        rf"|\b(?:at most|no more than|up to|a maximum of)\s+`?{_NUMBER.replace('number', 'other')}"
        r"|(?:限制|限定|上限)[^。；，]{0,20}?(?:为|到|在|至|成)\s*`?" + _NUMBER.replace("number", "third"),
        re.IGNORECASE,
    ),
    "least": re.compile(
        rf"\b(?:at least|no fewer than|no less than|a minimum of)\s+`?{_NUMBER}"
        r"|(?:至少|不少于|下限为?)\s*`?" + _NUMBER.replace("number", "other"),
        re.IGNORECASE,
    ),
}
_SIGNS = {"most": r"<=?\s*{}|{}\s*>=?|>\s*{}|{}\s*<", "least": r">=?\s*{}|{}\s*<=?|<\s*{}|{}\s*>"}
"""A comparison may say what is let through as well as what is refused, so words outrank it."""
_WORDS = {
    "most": re.compile(
        r"\b(?:most|max\w*|limit\w*|cap\w*|up to|more than|exceed\w*|bound\w*)\b|上限|最多|超过|限制|最大",
        re.IGNORECASE,
    ),
    "least": re.compile(
        r"\b(?:least|min\w*|fewer than|less than|lower than|below)\b|下限|至少|少于|最小|小于|低于", re.IGNORECASE
    ),
}
_OTHER = {"most": "least", "least": "most"}


def check_bounds(reading: Reading) -> Judgement | None:
    """Doubt a bound that no line of the evidence has on that side; lines that went are no evidence of what is."""
    for side, number in _bounds(reading.sentence.text):
        lines = [line for line in _standing(reading) if number in line]
        if not _is_borne_out(lines, side, number):
            return undecided("bound", f"nothing shows {number} as the bound on that side")
    return None


def _bounds(text: str) -> Iterator[tuple[str, str]]:
    for side, pattern in _SAID.items():
        for found in pattern.finditer(text):
            yield side, next(value for value in found.groupdict().values() if value)


def _standing(reading: Reading) -> Iterator[str]:
    yield from reading.ground.said
    for hunk in reading.ground.hunks:
        yield from (*hunk.added, *hunk.around)


def _is_borne_out(lines: Sequence[str], side: str, number: str) -> bool:
    if any(_WORDS[side].search(line) for line in lines):
        return True
    if any(_WORDS[_OTHER[side]].search(line) for line in lines):
        return False
    whole = rf"(?<![\w.]){re.escape(number)}(?![\w.]*\w)"
    compared = re.compile(_SIGNS[side].replace("{}", whole))
    return any(compared.search(line) for line in lines)
