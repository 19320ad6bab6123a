"""A short piece of a diff that shows a change where there is little else to tell."""

import re
from collections.abc import Iterator

from agent.domain import Change, FileChange

_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?|\.github|ci)/|(?:^|/)test_|\.(?:md|rst|txt|lock|json|csv)$"
)
_SAYS_LITTLE = re.compile(r"^[+-]\s*(?:#|//|\*|/\*|import\b|from\b.*\bimport\b|\"\"\"|[)}\]({\[,;]*$|$)")
_MOST, _LEAST = 12, 2


def short_change(change: Change) -> tuple[str, tuple[str, ...]] | None:
    """Choose a stretch of changed lines, best one that takes something away and puts something in its place."""
    files = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    found = [(file.path, lines) for file in files if not _BESIDE.search(file.path) for lines in _stretches(file)]
    exchanges = [one for one in found if {line[0] for line in one[1]} == {"+", "-"}]
    return next(iter([*exchanges, *found]), None)


def _stretches(file: FileChange) -> Iterator[tuple[str, ...]]:
    """Give the stretches of changed lines that are short and say something."""
    stretch: list[str] = []
    for line in (*(file.patch or "").split("\n"), ""):
        if line[:1] in ("+", "-"):
            stretch.append(line)
            continue
        telling = [one for one in stretch if not _SAYS_LITTLE.match(one)]
        if _LEAST <= len(stretch) <= _MOST and len(telling) >= _LEAST:
            yield tuple(stretch)
        stretch = []
