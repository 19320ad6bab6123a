"""Unlabelled reverts: commits that take lines of earlier ones back, though nothing says so."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple
from zlib import crc32

from agent.domain.commits import Change, Headline
from agent.links.footprints import changed_lines, title_words

_MIN_LINE = 6  # Characters of a line that says something
_MAX_LINES = 1_000  # Lines that are kept of each side of a diff
_MOST = 0.5  # The share of lines that are most of them
_MAX_COMMITS = 5  # That may have a line which ties them, the later commit included
_MAX_EACH = 2  # Commits whose lines one commit takes back
_MIN_STEM = 3  # Words that titles with the same stem have in common


class TakenBack(NamedTuple):
    """An earlier commit, and how many of its lines a commit takes back."""

    commit: Headline
    lines: int


class EditedLines:
    """The lines that a commit adds and those that it removes; what it moves is in neither.

    Of each line a checksum is kept: a day is compared with the commits of two months.
    """

    def __init__(self, change: Change, commit: Headline) -> None:
        lines: dict[str, set[int]] = {"+": set(), "-": set()}
        for line in changed_lines(change):
            text = "".join(line[1:].split())
            if len(text) >= _MIN_LINE and len(lines[line[0]]) < _MAX_LINES:
                lines[line[0]].add(crc32(text.encode("utf-8", "replace")))
        self.commit = commit
        self._added = array("L", lines["+"] - lines["-"])
        self._removed = array("L", lines["-"] - lines["+"])

    @property
    def added(self) -> set[int]:
        """The lines that were not there before."""
        return set(self._added)

    @property
    def removed(self) -> set[int]:
        """The lines that are not there any more."""
        return set(self._removed)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the title."""
        return frozenset(title_words(self.commit.title))

    def __iter__(self) -> Iterator[int]:
        yield from self._added
        yield from self._removed

    def __len__(self) -> int:
        return len(self._added) + len(self._removed)


def taken_back(
    queries: Sequence[EditedLines], earlier: Sequence[EditedLines]
) -> dict[str, list[TakenBack]]:
    """Return the earlier commits that each query undoes in part or whole, the likeliest first.

    A line that many commits have ties none of them.
    """
    wanted = set(chain.from_iterable(queries))
    by_line: dict[int, list[EditedLines]] = defaultdict(list)
    for edit in earlier:
        for line in edit:
            if line in wanted:
                by_line[line].append(edit)
    undone: dict[str, list[TakenBack]] = {}
    for query in queries:
        undoings: dict[str, _Undoing] = {}
        for line in query:
            if len(by_line[line]) <= _MAX_COMMITS:
                for edit in by_line[line]:
                    undoings.setdefault(edit.commit.sha, _Undoing(query, edit))
        likely = [undoing for undoing in undoings.values() if undoing.is_likely]
        likely.sort(key=lambda undoing: undoing.order)
        # A commit may take several back, but lines of many are only changed.
        kept = [*likely[:1], *(undoing for undoing in likely[1:_MAX_EACH] if undoing.is_whole)]
        undone[query.commit.sha] = [undoing.taken_back for undoing in kept]
    return undone


class _Undoing:
    """What a commit undoes of an earlier one."""

    def __init__(self, edit: EditedLines, earlier: EditedLines) -> None:
        self.edit = edit
        self.earlier = earlier
        self.removed = len(edit.removed & earlier.added)
        self.lines = self.removed + len(edit.added & earlier.removed)

    @property
    def taken_back(self) -> TakenBack:
        """The earlier commit with the number of its lines."""
        return TakenBack(self.earlier.commit, self.lines)

    @property
    def order(self) -> tuple[bool, float, str]:
        """Where it stands: titles with the same stem first, then by the share of lines of both."""
        share = 2 * self.lines / (len(self.edit) + len(self.earlier))
        return not self.has_same_stem, -share, self.earlier.commit.sha

    @property
    def is_whole(self) -> bool:
        """True where most lines of the earlier commit are undone."""
        return self.lines >= _MOST * len(self.earlier)

    @property
    def is_likely(self) -> bool:
        """True where most lines of one commit are concerned, or the titles have the same stem."""
        is_before = self.earlier.commit.at <= self.edit.commit.at
        if self.lines == 0 or not is_before or self.earlier.commit.sha == self.edit.commit.sha:
            return False
        if self.removed >= _MOST * max(1, len(self.edit.removed)):
            return True
        return self.is_whole or self.has_same_stem

    @cached_property
    def has_same_stem(self) -> bool:
        """True where two titles differ by one word each, as "Enable …" and "Disable …" do."""
        words = self.edit.words
        earlier_words = self.earlier.words
        if len(words & earlier_words) < _MIN_STEM:
            return False
        return max(len(words - earlier_words), len(earlier_words - words)) <= 1
