"""Files that stand elsewhere now with much the same words, where git saw one file go and another one come."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from agent.domain import FileChange

_MOST = 200_000
_MOST_OF_IT = 0.8
_FEW = 30
_WORD = re.compile(r"\w+")
_PACKAGE = "__init__.py"


def as_moved(files: Sequence[FileChange]) -> list[FileChange]:
    """Take a file that went for renamed where the only one of its name that came says nearly the same."""
    went, came = (dict(_unique(files, status)) for status in ("removed", "added"))
    homes = {name: came[name] for name in went.keys() & came.keys() if _says_the_same(went[name], came[name])}
    gone = {id(went[name]) for name in homes}
    old = {id(came[name]): went[name].path for name in homes}
    return [
        file.model_copy(update={"status": "renamed", "previous_path": old[id(file)]}) if id(file) in old else file
        for file in files
        if id(file) not in gone
    ]


def without_empty(files: Sequence[FileChange]) -> list[FileChange]:
    """Leave out empty modules that went; where there are any, git pairs what is empty as it pleases."""
    hollow = {id(file) for file in files if _is_empty(file)}
    if not hollow:
        return list(files)
    return [
        file
        for file in files
        if not (id(file) in hollow and file.status == "removed") and not (file.status == "renamed" and _is_bare(file))
    ]


def _unique(files: Iterable[FileChange], status: str) -> Iterable[tuple[str, FileChange]]:
    found = [(file.path.rpartition("/")[2], file) for file in files if file.status == status and file.patch]
    counts = Counter(name for name, _ in found)
    return ((name, file) for name, file in found if counts[name] == 1 and name != _PACKAGE)


def _says_the_same(one: FileChange, other: FileChange) -> bool:
    sides = [file.patch or "" for file in (one, other)]
    if max(map(len, sides)) > _MOST:
        return False
    before, after = (Counter(_WORD.findall(side)) for side in sides)
    most = max(before.total(), after.total())
    return most >= _FEW and (before & after).total() >= _MOST_OF_IT * most


def _is_empty(file: FileChange) -> bool:
    changed = file.status in ("added", "removed") and file.path.rpartition("/")[2] == _PACKAGE
    return changed and not file.patch and file.unreadable is None


def _is_bare(file: FileChange) -> bool:
    """Tell whether a package's own module has another path and not a line that differs."""
    names = {(path or "").rpartition("/")[2] for path in (file.path, file.previous_path)}
    return names == {_PACKAGE} and not file.patch
