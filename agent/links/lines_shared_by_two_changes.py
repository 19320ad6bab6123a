"""The lines that the changes of two commits share, so that both can be shown by them."""

from collections.abc import Iterator
from typing import NamedTuple

from agent.domain.commits import Change

_MIN_LINE = 16  # Characters of a line that can be recognised in another commit
_MAX_LINES = 200  # Of one pair of commits


def shared_lines(change: Change, earlier: Change) -> list[str]:
    """Return the lines that two changes share, those first that say most about how they meet.

    Lines that one takes out and the other brought come before lines that one leaves as they are and
    the other brought, as where a fix only adds a guard; last come lines that both bring.
    """
    lines = _changed_lines(change)
    earlier_lines = _changed_lines(earlier)
    meetings = (
        (lines.removed, earlier_lines.added),
        (lines.added, earlier_lines.removed),
        (lines.unchanged, earlier_lines.added),
        (lines.added, earlier_lines.added),
    )
    shared: dict[str, None] = {}
    for own, others in meetings:
        for line in own:
            if line in others:
                shared[line] = None
    return list(shared)[:_MAX_LINES]


class _ChangedLines(NamedTuple):
    """The lines of a patch by what happens to them, without indentation and in their order."""

    added: dict[str, None]
    removed: dict[str, None]
    unchanged: dict[str, None]


def _changed_lines(change: Change) -> _ChangedLines:
    lines = _ChangedLines({}, {}, {})
    by_sign = {"+": lines.added, "-": lines.removed, " ": lines.unchanged}
    for line in _patch_lines(change):
        words = line[1:].strip()
        if line[0] in by_sign and len(words) >= _MIN_LINE:
            by_sign[line[0]][words] = None
    return lines


def _patch_lines(change: Change) -> Iterator[str]:
    for file in change.files:
        for line in (file.patch or "").split("\n"):
            if line:
                yield line
