"""Two changes compared line by line: what the one takes back of the other, and what it brings again."""

import re

from agent.areas import Area, area
from agent.domain import Change

FEW, HALF, NEARLY_ALL = 3, 0.5, 0.9
"""Of fewer lines a comparison says nothing; the share that is most of something, and that is told as all of it."""
_SUBSTANCE = re.compile(r"\w.*\w")
_LONG = 24
_MOST = 0.8


def code_paths(change: Change) -> frozenset[str]:
    """List the files of a change that are neither tests nor documents."""
    return frozenset(file.path for file in change.files if area(file.path) is Area.PRODUCT)


def share_again(change: Change, original: Change) -> float:
    """Give the share of what another change did that this one does again; all of it where that has no lines."""
    return _share(change, original, "+-")


def share_undone(change: Change, original: Change) -> float:
    """Give the share of what another change did that this one takes back; all of it where that has no lines."""
    return _share(change, original, "-+")


def share_back(change: Change, undoing: Change) -> float:
    """Give the share of the lines a revert took out that this change brings again; 0 where they are few or short."""
    gone = _lines(undoing, "-")
    back = gone & _lines(change, "+")
    telling = len(back) >= FEW and any(len(line) >= _LONG for _, line in back)
    return len(back) / len(gone) if telling else 0.0


def puts_back(change: Change, original: Change) -> bool:
    """Tell whether a change takes out lines that another one brought, and what comes is what stood there before."""
    came = _lines(change, "+")
    return bool(_lines(change, "-") & _lines(original, "+")) and len(came & _lines(original, "-")) >= _MOST * len(came)


def _share(change: Change, original: Change, signs: str) -> float:
    did, does = (_lines(original, "+"), _lines(original, "-")), (_lines(change, signs[0]), _lines(change, signs[1]))
    every = len(did[0]) + len(did[1])
    return sum(len(one & other) for one, other in zip(did, does, strict=True)) / every if every else 1.0


def was_moved(change: Change, original: Change) -> bool:
    """Tell whether another change only moved most of the lines that this one takes out: it took them out elsewhere."""
    mended = {line for _, line in _lines(change, "-") & _lines(original, "+")}
    return 2 * len(mended & {line for _, line in _lines(original, "-")}) > len(mended)


def counted(change: Change, sign: str) -> int:
    """Count the lines with words in them that a change brings or takes out."""
    return len(_lines(change, sign))


def _lines(change: Change, sign: str) -> set[tuple[str, str]]:
    return {
        (file.path, " ".join(line[1:].split()))
        for file in change.files
        for line in (file.patch or "").split("\n")
        if line.startswith(sign) and _SUBSTANCE.search(line, 1)
    }
