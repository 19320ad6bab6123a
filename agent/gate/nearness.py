"""Which value a name has in the evidence: a long patch has every small number somewhere."""

import re
from functools import lru_cache

# `head_dim=128`, `topK <= 8`, "TP = 2": a name and the value it has.
_NAMED = re.compile(r"(?P<name>[A-Za-z_][\w.]*)[`\"']?\s*(?:==|<=|>=|!=|=|<|>|≤|≥|:)\s*$", re.ASCII)
_AROUND = 2


def is_near(number: str, name: str, text: str) -> bool:
    """Tell whether a number stands within two lines of a name."""
    token = re.compile(rf"(?<![A-Za-z0-9_.]){re.escape(number)}(?![0-9]|\.[0-9])")
    lines = _lines(text)
    for at, line in enumerate(lines):
        if number in line and token.search(line):
            around = " ".join(lines[max(0, at - _AROUND) : at + _AROUND + 1])
            if name.lower() in around:
                return True
    return False


def named_value(before: str) -> str:
    """Give the name whose value a number is said to be, if one stands in front of it."""
    found = _NAMED.search(before)
    return found["name"] if found else ""


def other_values(name: str, number: str, text: str) -> list[str]:
    """List the values that a name has in a text, when the stated one is not among them."""
    values = [value.lstrip("-") for value in values_of(name, text)]
    return [] if number in values else values


def values_of(name: str, text: str) -> list[str]:
    """List the values that a name is given or compared with in a text."""
    owned = rf"(?<!\w){re.escape(name)}(?!\w)(?:\[\w*\])?"
    form = re.compile(rf"{owned}[^\w\n]{{0,7}}?[^\w\n-](-?\d+(?:\.\d+)*)(?!\w)", re.IGNORECASE)
    return list(dict.fromkeys(form.findall(text)))


@lru_cache(maxsize=512)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.lower().split("\n"))
