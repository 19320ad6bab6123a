"""The names that a commit changes, which are looked for in earlier commits that brought them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from agent.domain.base import Frozen
from agent.domain.commits import Change, FileChange, Headline
from agent.links.footprints import names_in
from agent.links.searchable_issues import is_name
from agent.triage.title_conventions import Area, area

_MAX_LISTED = 40  # Names of a file of which the occurrences are counted
_MAX_OCCURRENCES = 12  # In a file: a name that occurs more often says little
_MAX_LINES = 400  # Removed lines of a file that are read


class Birth(Frozen):
    """An earlier commit that brought names which a commit changes or takes out."""

    commit: Headline
    names: tuple[str, ...]


class RemovedLineNames(NamedTuple):
    """The names on the removed lines of a file, by its path before the commit."""

    path: str
    ended: tuple[str, ...]  # Those that no added line of the commit has
    changed: tuple[str, ...]  # The others

    def rarest(self, text: str, limit: int) -> list[str]:
        """Return the names that the old version of the file has least often, ended ones first.

        Of them flags come first: an identifier may be that of a library.
        """
        rarity: dict[str, tuple[bool, bool, int, int]] = {}
        for name in (*self.ended, *self.changed):
            occurrences = occurrences_in(text, name)
            if 0 < occurrences <= _MAX_OCCURRENCES:
                is_flag = name.startswith("--")
                rarity[name] = (name in self.changed, not is_flag, occurrences, -len(name))
        return sorted(rarity, key=lambda name: (rarity[name], name))[:limit]


def occurrences_in(text: str, name: str) -> int:
    """Return how often a text has a name that is not a part of another one."""
    if name not in text:
        return 0
    return len(re.findall(rf"(?<![\w-]){re.escape(name)}(?!\w)", text, re.ASCII))


def changed_names(change: Change) -> list[RemovedLineNames]:
    """Return the names that a change alters or takes out of the product, by file."""
    added: set[str] = set()
    for file in change.files:
        for line in _lines(file, "+"):
            added.update(names_in(line))
    files: list[RemovedLineNames] = []
    for file in change.files:
        if file.status == "added" or area(file.path) not in (Area.PRODUCT, Area.BENCH):
            continue
        names: dict[str, None] = {}
        for line in _lines(file, "-")[:_MAX_LINES]:
            for name in names_in(line):
                # `__init__` and `_emphasis_` are plain words between signs.
                if is_name(name.strip("_")):
                    names[name] = None
        ended = [name for name in names if name not in added]
        changed = [name for name in names if name in added]
        if names:
            path = file.previous_path or file.path
            files.append(
                RemovedLineNames(path, tuple(ended[:_MAX_LISTED]), tuple(changed[:_MAX_LISTED]))
            )
    return files


def _lines(file: FileChange, sign: str) -> Sequence[str]:
    lines = (file.patch or "").split("\n")
    return [line[1:] for line in lines if line.startswith(sign)]
