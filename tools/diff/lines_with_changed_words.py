"""The lines of a run with changed words, however these are laid out."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from tools.diff.changed_runs import ChangedLine, Run

_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|\w+|[^\w\s,]")
"""The words and signs of a line; a string is one word, and commas come and go with the layout."""
_LAYOUT_SIGNS = ("(", ")", "[", "]", "{", "}", ";", "\\")
_MAX_COMPARED_WORDS = 800  # Of one side of a run; comparing takes the square of it
_MAX_BETWEEN = 6  # Lines between those that really changed that are shown with them


class _Word(NamedTuple):
    """A word of code with the line that it stands in."""

    text: str
    line: ChangedLine

    @property
    def is_of_layout(self) -> bool:
        """True for a bracket, which a formatter may set or leave out."""
        return self.text in _LAYOUT_SIGNS


def really_changed(run: Run) -> Run:
    """Return the lines of a run in which other words stand than before, however they are laid out.

    All of them where one side has none, or where only brackets differ, which may group otherwise.
    """
    old = list(_words(line for line in run if line.side == "old"))
    new = list(_words(line for line in run if line.side == "new"))
    if not old or not new or max(len(old), len(new)) > _MAX_COMPARED_WORDS:
        return run
    changed: set[ChangedLine] = set()
    earlier: dict[ChangedLine, set[ChangedLine]] = defaultdict(set)
    later: dict[ChangedLine, set[ChangedLine]] = defaultdict(set)
    old_texts = [word.text for word in old]
    new_texts = [word.text for word in new]
    matcher = SequenceMatcher(None, old_texts, new_texts, autojunk=False)
    for event, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        old_words = old[old_start:old_end]
        new_words = new[new_start:new_end]
        if event == "equal":
            for before, after in zip(old_words, new_words, strict=True):
                if not before.is_of_layout:
                    earlier[after.line].add(before.line)
                    later[before.line].add(after.line)
        else:
            words = (*old_words, *new_words)
            changed.update(word.line for word in words if not word.is_of_layout)
    for line in tuple(changed):
        changed |= earlier[line]  # What it was before, though nothing of that went
        if changed.isdisjoint(later[line]):
            changed |= later[
                line
            ]  # What is left of it, though nothing came: `if a` of `if a and b`
    return [line for line in run if line in changed] or run


def shown_lines(run: Run, changed: Sequence[ChangedLine]) -> Run:
    """Return the lines of a run that are shown: those that really changed, with those beside them.

    What stands between them is shown, too, where it is short.
    """
    really_changed_lines = set(changed)
    kept = [index for index, line in enumerate(run) if line in really_changed_lines]
    if not kept or len(kept) == len(run):
        return run
    between = kept[-1] - kept[0] + 1 - len(kept)
    if between <= _MAX_BETWEEN:
        return run[kept[0] : kept[-1] + 1]
    shown = set(kept)
    for index in kept:
        for neighbour in (index - 1, index + 1):
            if 0 <= neighbour < len(run) and run[neighbour].side == run[index].side == "new":
                shown.add(neighbour)
    return [run[index] for index in sorted(shown)]


def _words(lines: Iterable[ChangedLine]) -> Iterator[_Word]:
    for line in lines:
        if line.is_code:
            for text in _WORD.findall(line.text[1:]):
                yield _Word(text, line)
