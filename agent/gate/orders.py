"""Numbers and versions compared: which way a value went."""

import re

NUMBER = re.compile(r"-?[0-9][0-9_,]*(?:\.[0-9]+)*(?:[eE][+-]?[0-9]+(?![0-9A-Za-z_]))?")


def order(old: str, new: str) -> int:
    """Compare two values as versions or numbers; 0 where they are neither."""
    pair = [re.findall(r"[0-9]+", value) for value in (old, new)]
    if not all(pair) or not all(re.match(r"v?-?[0-9]", value) for value in (old, new)):
        return 0
    try:
        before, after = float(old), float(new)
    except ValueError:
        left, right = ([int(part) for part in value] for value in pair)
        return (right > left) - (right < left)
    return (after > before) - (after < before)


def last_number(text: str) -> str:
    """Give the last number of a text as code reads it; empty where there is none."""
    found = NUMBER.findall(text)
    return found[-1].replace(",", "").replace("_", "") if found else ""
