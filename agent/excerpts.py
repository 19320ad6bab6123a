"""A short piece of a diff that shows a change where there is little else to tell."""

import re
from collections.abc import Iterator

from agent.domain import Change, FileChange

_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?|\.github|ci)/|(?:^|/)test_|\.(?:md|rst|txt|lock|json|csv)$"
)
_SAYS_LITTLE = re.compile(r"^[+-]\s*(?:#|//|\*|/\*|import\b|from\b.*\bimport\b|\"\"\"|[)}\]({\[,;]*$|$)")
_MOST, _FEW = 12, 2


def short_change(change: Change) -> tuple[str, tuple[str, ...]] | None:
    """Choose a stretch of changed lines, best one that takes something away and puts something in its place."""
    found = _short_stretches(change)
    exchanges = [one for one in found if {line[0] for line in one[1] if not _SAYS_LITTLE.match(line)} == {"+", "-"}]
    return next(iter([*exchanges, *sorted(found, key=lambda one: len(one[1]) < _FEW)]), None)


def _short_stretches(change: Change) -> list[tuple[str, tuple[str, ...]]]:
    """List the short stretches of changed lines of code, those of the files with most changes first."""
    files = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    return [(file.path, lines) for file in files if not _BESIDE.search(file.path) for lines in _stretches(file)]


def is_code(path: str) -> bool:
    """Tell a file whose lines say something by themselves from a table of data."""
    return not path.endswith((".json", ".csv", ".lock", ".txt", ".svg", ".ipynb"))


def _stretches(file: FileChange) -> Iterator[tuple[str, ...]]:
    """Give the stretches of changed lines that are short and say something."""
    stretch: list[str] = []
    for line in (*(file.patch or "").split("\n"), ""):
        if line[:1] in ("+", "-"):
            stretch.append(line)
            continue
        telling = [one for one in stretch if not _SAYS_LITTLE.match(one)]
        if telling and len(stretch) <= _MOST:
            yield _trimmed(stretch)
        stretch = []


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    """Leave out blank lines at the ends."""
    telling = [place for place, line in enumerate(lines) if line[1:].strip()]
    return tuple(lines[telling[0] : telling[-1] + 1])
