"""Lines that a function lost to a new one which it calls in their stead: what it does, it does as before."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

_PATH = re.compile(r"\b\w+::")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_CALL = re.compile(r"\b([A-Za-z_]\w*)(?:<[^<>()]*>)?\(")
_TELLING = 40
"""Letters of lines that hardly stand in another function by chance."""
_NEARLY = 10
"""One line in so many may be written otherwise where it stands now."""
_FEW, _SHARE = 3, 4
"""Lines that may come in place of some, and the share of those that may where they are many."""


class Newcomers:
    """The lines of the functions that a commit adds."""

    def __init__(self, lines: Iterable[str], before: Iterable[str], patches: Sequence[str]) -> None:
        """Take those lines, what the commit shows of the code before it, both without their signs, and its patches."""
        self._given = lines
        self._before = before
        self._patches = patches

    def took(self, gone: Sequence[str], come: Sequence[str]) -> bool:
        """Tell whether new functions have nearly all that a function lost, and it has hardly more than a call now."""
        if sum(map(len, gone)) < _TELLING or len(come) > max(_FEW, len(gone) // _SHARE):
            return False
        if come and not self._calls(come):
            return False
        handed = _arguments(come)
        lost = sum(not self._has(line, handed) for line in gone)
        return lost * _NEARLY <= len(gone)

    def share(self, gone: Sequence[str]) -> bool:
        """Tell whether new functions have, up to what is given to a call, all that their namesake lost."""
        return sum(map(len, gone)) >= _TELLING and all(self._has(line.partition("(")[0], ()) for line in gone)

    def _has(self, line: str, handed: Collection[str]) -> bool:
        """Tell whether a line stands there too, however it is laid out.

        A call may be given more there, and what is handed to a function may have another name in it.
        """
        words = _TOKEN.findall(_PATH.sub("", line.rstrip().rstrip("{;")))
        closed = len(words)
        while closed and words[closed - 1] in "),":
            closed -= 1
        text = " ".join(r"\w+" if word in handed else re.escape(word) for word in words[:closed])
        ended = " [),]" if closed < len(words) else ""
        return re.search(f" {text}{ended} ", self._text) is not None

    def _calls(self, lines: Sequence[str]) -> bool:
        """Tell whether lines call something that was not there before and is in new functions."""
        called = {name for line in lines for name in _CALL.findall(line) if self._may_define(name)}
        return bool(called) and bool((called & self._new) - self._known)

    def _may_define(self, name: str) -> bool:
        """Tell whether a name stands before brackets more than once: most calls are of what stands elsewhere."""
        return sum(patch.count(f"{name}(") + patch.count(f"{name}<") for patch in self._patches) > 1

    @cached_property
    def _text(self) -> str:
        return f" {' '.join(_spelled(line) for line in self._lines)} "

    @cached_property
    def _lines(self) -> list[str]:
        """The lines are only looked for where some function lost enough."""
        return list(self._given)

    @cached_property
    def _new(self) -> set[str]:
        return {name for line in self._lines for name in _CALL.findall(line)}

    @cached_property
    def _known(self) -> set[str]:
        return {name for line in self._before for name in _CALL.findall(line)}


def _arguments(lines: Sequence[str]) -> set[str]:
    """Name what some lines hand to what they call."""
    behind = " ".join(lines).partition("(")[2]
    return {word for word in _TOKEN.findall(behind) if word.isidentifier()}


def _spelled(line: str) -> str:
    """Write a line as its words and signs, names without their paths."""
    return " ".join(_TOKEN.findall(_PATH.sub("", line)))
