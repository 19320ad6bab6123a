"""Two changes compared line by line: what the one takes back of the other, and what it brings again."""

import re

from agent.areas import Area, area
from agent.domain import Change

FEW, HALF, NEARLY_ALL, _MOST, _LONG = 3, 0.5, 0.9, 0.8, 24
"""Of fewer lines a comparison says nothing; the share that is most of something, and that is told as all of it."""
_SUBSTANCE = re.compile(r"\w.*\w")


def lines(change: Change, sign: str) -> set[tuple[str, str]]:
    """List the lines with words in them that a change brings or takes out, each with its file."""
    return {
        (file.path, " ".join(line[1:].split()))
        for file in change.files
        for line in (file.patch or "").split("\n")
        if line.startswith(sign) and _SUBSTANCE.search(line, 1)
    }


def code_paths(change: Change) -> frozenset[str]:
    """List the files of a change that are neither tests nor documents."""
    return frozenset(file.path for file in change.files if area(file.path) is Area.PRODUCT)


def share(change: Change, original: Change, *, again: bool) -> float:
    """Give the share of what another change did that this one does again or undoes; all where that has no lines."""
    brought, gone = lines(original, "+"), lines(original, "-")
    both = len(brought & lines(change, "+-"[not again])) + len(gone & lines(change, "-+"[not again]))
    return both / (len(brought) + len(gone)) if brought or gone else 1.0


def share_back(change: Change, undoing: Change) -> float:
    """Give the share of the lines a revert took out that this change brings again; 0 where they are few or short."""
    gone = lines(undoing, "-")
    back = gone & lines(change, "+")
    return len(back) / len(gone) if len(back) >= FEW and any(len(line) >= _LONG for _, line in back) else 0.0


def puts_back(change: Change, original: Change) -> bool:
    """Tell whether a change takes out lines that another one brought, and what comes there is what stood before."""
    came = {(path, line) for path, line in lines(change, "+") if path in {file.path for file in original.files}}
    return bool(lines(change, "-") & lines(original, "+")) and len(came & lines(original, "-")) >= _MOST * len(came)


def was_moved(change: Change, original: Change) -> bool:
    """Tell whether another change only moved most of the lines that this one takes out: it took them out elsewhere."""
    mended = {line for _, line in lines(change, "-") & lines(original, "+")}
    return 2 * len(mended & {line for _, line in lines(original, "-")}) > len(mended)
