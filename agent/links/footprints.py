"""Footprints of commits: the words, files and names by which related commits are found."""

import re
from collections.abc import Iterable, Iterator
from sys import intern

from agent.domain.base import Frozen, RepoId
from agent.domain.commits import Change, Headline
from agent.domain.references import without_pull_numbers
from agent.links.searchable_issues import terms

# A flag, or an identifier of at least four characters: shorter ones say little.
_IDENTIFIER = re.compile(r"(?<![\w-])(?:--[a-z][\w-]{2,60}|[A-Za-z_]\w{3,60})", re.ASCII)
_MAX_LINE = 400  # Characters of a changed line: longer ones are generated or data
_MAX_LINES = 3_000  # Changed lines that are read of one commit
_MAX_NAMES = 600  # Identifiers that are kept of each side of a diff


class Footprint(Frozen):
    """A commit by its title words, its files, and the identifiers of its changed lines.

    Everything is sorted, so that equal footprints are the same question to a recorded source.
    """

    commit: Headline
    repo: RepoId | None = None  # None if only the title was read
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # With the earlier paths of files that were renamed
    added_paths: tuple[str, ...] = ()  # Those of them that the commit creates
    added: tuple[str, ...] = ()  # Identifiers on added lines
    removed: tuple[str, ...] = ()  # Identifiers on removed lines

    @property
    def births(self) -> set[str]:
        """The files and identifiers that the commit may introduce: it only adds them."""
        return {*self.added_paths, *self.added} - set(self.removed)


def title_footprint(commit: Headline, paths: Iterable[str] = ()) -> Footprint:
    """Return the footprint of a commit of which only the title and perhaps the files are known."""
    return Footprint(commit=commit, words=title_words(commit.title), paths=tuple(sorted(paths)))


def footprint_of(change: Change, commit: Headline) -> Footprint:
    """Return the footprint of a commit whose diff was read."""
    paths: set[str] = set()
    created: set[str] = set()
    for file in change.files:
        paths.add(file.path)
        if file.previous_path:
            paths.add(file.previous_path)
        if file.status == "added":
            created.add(file.path)
    added: dict[str, None] = {}
    removed: dict[str, None] = {}
    for line in changed_lines(change):
        side = added if line[0] == "+" else removed
        if len(side) < _MAX_NAMES:
            # Most names recur in hundreds of commits.
            side.update((intern(name), None) for name in names_in(line[1:]))
    return Footprint(
        commit=commit,
        repo=change.commit.repo,
        words=title_words(commit.title),
        paths=tuple(sorted(paths)),
        added_paths=tuple(sorted(created)),
        added=tuple(sorted(added)),
        removed=tuple(sorted(removed)),
    )


def names_in(line: str) -> list[str]:
    """Return the flags and identifiers on a line of code, in their order."""
    return _IDENTIFIER.findall(line)


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title, sorted, without the numbers of pull requests."""
    return tuple(sorted(terms(without_pull_numbers(title))))


def changed_lines(change: Change) -> Iterator[str]:
    """Yield the added and removed lines of a commit with their signs, up to a limit."""
    lines_left = _MAX_LINES
    for file in change.files:
        for line in (file.patch or "").split("\n"):
            if line[:1] not in ("+", "-"):
                continue
            if lines_left == 0:
                return
            lines_left -= 1
            yield line[:_MAX_LINE]
