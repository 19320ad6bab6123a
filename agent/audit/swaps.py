"""Lines of a diff that differ in one value only."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from agent.evidence import CommitEvidence


def swapped(commit: CommitEvidence, old: str, new: str) -> Iterator[str]:
    """Find the added lines that are a removed one with one value in the place of another."""
    for file in commit.change.files:
        removed: list[str] = []
        added: set[str] = set()
        for line in (*(file.patch or "").split("\n"), "@@"):
            if line.startswith("@@"):
                yield from (shown for one in removed if (shown := _value(old).sub(lambda _: new, one)) in added)
                removed, added = [], set()
            elif line[:1] == "-" and _value(old).search(line):
                removed.append(_even(line[1:]))
            elif line[:1] == "+":
                added.add(_even(line[1:]))


def replaced(commit: CommitEvidence, old: str, names: Collection[str] | None = None) -> Iterator[str]:
    """Find what lines, or those alone that have one of these names, have now in the place of a value."""
    for file in commit.change.files:
        for hunk in (file.patch or "").split("\n@@"):
            lines = hunk.split("\n")
            added = [_even(line[1:]) for line in lines if line[:1] == "+"]
            for line in lines:
                found = _value(old).search(_even(line[1:])) if line[:1] == "-" else None
                if found is None or (names is not None and not any(name in line for name in names)):
                    continue
                before, after = map(re.escape, (found.string[: found.start()], found.string[found.end() :]))
                yield from (one[1] for text in added if (one := re.fullmatch(rf"{before}(\w[\w.+-]*){after}", text)))


def has_now(commit: CommitEvidence, value: str, names: Collection[str]) -> bool:
    """Tell whether an added line has a value and one of these names."""
    lines = (line for file in commit.change.files for line in (file.patch or "").split("\n") if line[:1] == "+")
    return any(_value(value).search(line) and any(name in line for name in names) for line in lines)


def _even(line: str) -> str:
    return " ".join(line.split()).replace("''", '""')


@lru_cache(maxsize=256)
def _value(value: str) -> re.Pattern[str]:
    if value == '""':
        return re.compile('(?<!["\\w])""(?!["\\w])')
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\w)")
