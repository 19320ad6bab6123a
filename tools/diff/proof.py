"""The changed lines that show a fact, taken from the diff and nowhere else."""

import re

from agent.facts import Place
from tools.diff.draft import Draft
from tools.diff.hunks import Patch, Side

_MOST = 4
"""Lines shown of each side; the rest is in the commit."""


def place_of(draft: Draft, path: str, patch: Patch) -> Place | None:
    """Find the lines that show a difference; None when no changed line does, and then it is not a fact."""
    went = _telling(draft, patch, "old")
    came = _telling(draft, patch, "new")
    if not went and not came:
        return None
    number = came[0][0] if came else went[0][0]
    return Place(file=path, line=number, lines=tuple(line for _, line in (*went, *came)))


def _telling(draft: Draft, patch: Patch, side: Side) -> list[tuple[int, str]]:
    """Take the changed lines inside the declaration, those that hold the words of the fact first."""
    span = draft.where.old if side == "old" else draft.where.new
    if span is None:
        return []
    lines = patch.shown(side, *span)
    if len(lines) <= _MOST:
        return lines
    words = _words(draft)
    telling = [entry for entry in lines if any(word in entry[1] for word in words)]
    return sorted((telling or lines)[:_MOST])


def _words(draft: Draft) -> list[str]:
    texts = (draft.name.rpartition(".")[2], draft.old or "", draft.new or "", draft.detail or "")
    return [word for text in texts for word in re.findall(r"[\w.\-]{3,}", text)[:6]]
