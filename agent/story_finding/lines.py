"""Two changes compared line by line: what the one takes back of the other, and what it brings again."""

import re
from collections.abc import Iterator

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
    """Give the share of what another change did that this one does again: of the lines it brought, else took out."""
    sign = "+" if set(_lines(original, "+")) else "-"
    before = set(_lines(original, sign))
    return len(before & set(_lines(change, sign))) / len(before) if before else 0.0


def share_undone(change: Change, undoing: Change) -> float:
    """Give the share of the lines a revert took out that this change brings again; 0 where they are few or short."""
    gone = set(_lines(undoing, "-"))
    back = gone & set(_lines(change, "+"))
    telling = len(back) >= FEW and any(len(line) >= _LONG for _, line in back)
    return len(back) / len(gone) if telling else 0.0


def puts_back(change: Change, original: Change) -> bool:
    """Tell whether a change takes out lines that another one brought, and what comes is what stood there before."""
    came, stood = set(_lines(change, "+")), set(_lines(original, "-"))
    goes = set(_lines(change, "-")) & set(_lines(original, "+"))
    return bool(goes) and len(came & stood) >= _MOST * len(came)


def undoes_all(change: Change, original: Change) -> bool:
    """Tell whether a change takes out every line that another one brought, and brings every line that it took out."""
    brought, gone = set(_lines(original, "+")), set(_lines(original, "-"))
    return bool(brought) and brought <= set(_lines(change, "-")) and gone <= set(_lines(change, "+"))


def counted(change: Change, sign: str) -> int:
    """Count the lines with words in them that a change brings or takes out."""
    return len(set(_lines(change, sign)))


def _lines(change: Change, sign: str) -> Iterator[tuple[str, str]]:
    for file in change.files:
        for line in (file.patch or "").split("\n"):
            if line.startswith(sign) and _SUBSTANCE.search(line, 1):
                yield file.path, " ".join(line[1:].split())
