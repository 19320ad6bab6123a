"""Work that comes back in part after it was undone, and nobody says so: the same files, some of the same lines."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import timedelta
from typing import NamedTuple

from agent.areas import Area, area
from agent.domain import Change
from agent.lists import listed
from agent.weaving.parts import read_part

SOON = timedelta(days=14)
"""So long after a revert somebody may take its subject up again."""
_ENOUGH_LINES, _LONG = 3, 24
_NEARLY_ALL, _MOST, _LIKE = 0.95, 0.8, 0.6
_WORD = re.compile(r"[A-Za-z]+[0-9]*|[\u4e00-\u9fff]{2,}")
_SUBSTANCE = re.compile(r"\w.*\w")
_PLAIN = listed("revert fix add support the for and with from kernel model perf feat use using bugfix refactor")


class Retake(NamedTuple):
    """What comes back, by hashes."""

    doer: str
    original: str
    undoing: str
    whole: bool
    """Nearly all of it does, and not only a part."""


def code_paths(change: Change) -> frozenset[str]:
    """List the files of a change that are neither tests nor documents."""
    return frozenset(file.path for file in change.files if area(file.path) is Area.PRODUCT)


def takes_up(change: Change, original: Change, undoing: Change) -> bool:
    """Tell whether a change brings back a part of what another one undid: all its files, and lines of it."""
    paths = code_paths(undoing)
    if (
        not paths
        or not paths <= code_paths(change)
        or read_part(change.commit.title) != read_part(original.commit.title)
    ):
        return False
    if not _subjects(change.commit.title) & _subjects(original.commit.title):
        return False
    came, went = shared_lines(change, original)
    gone = {line for _, line in _lines(undoing, "-")}
    again = [line for line in came if line in gone]
    return any(len(line) >= _LONG for line in again) and len(again) + len(went) >= _ENOUGH_LINES


def comes_back(change: Change, original: Change) -> bool:
    """Tell whether a change brings nearly all the lines again that another one had brought."""
    brought = set(_lines(original, "+"))
    return len(brought) >= _ENOUGH_LINES and len(brought & set(_lines(change, "+"))) >= _NEARLY_ALL * len(brought)


def puts_back(change: Change, original: Change) -> bool:
    """Tell whether a change takes out lines that another one brought, and brings little but what that one took out."""
    brought, gone = set(_lines(change, "+")), set(_lines(original, "-"))
    return bool(mended_lines(change, original)) and len(brought & gone) >= _MOST * len(brought)


def undoes_all(change: Change, original: Change) -> bool:
    """Tell whether a change takes out every line that another one brought, and brings every line that it took out."""
    brought, gone = set(_lines(original, "+")), set(_lines(original, "-"))
    return bool(brought) and brought <= set(_lines(change, "-")) and gone <= set(_lines(change, "+"))


def shared_lines(one: Change, other: Change) -> tuple[frozenset[str], frozenset[str]]:
    """List the lines that two changes both bring, and those that both take out, file by file."""
    both = [frozenset(line for _, line in set(_lines(one, sign)) & set(_lines(other, sign))) for sign in ("+", "-")]
    return both[0], both[1]


def mended_lines(one: Change, other: Change) -> frozenset[str]:
    """List the lines that one change takes out and another one had brought."""
    return frozenset(line for _, line in set(_lines(one, "-")) & set(_lines(other, "+")))


def written_anew(one: Change, other: Change) -> bool:
    """Tell whether the lines that one change takes out were written by another one, and not only moved by it."""
    mended = mended_lines(one, other)
    gone = {line for _, line in _lines(other, "-")}
    came = mended - gone
    if not mended or len(came) < _MOST * len(mended):
        return False
    words = {frozenset(_WORD.findall(line)) for line in gone}
    new = [line for line in came if not _has_like(frozenset(_WORD.findall(line)), words)]
    return len(new) >= len(mended) / 2


def _has_like(one: frozenset[str], others: Set[frozenset[str]]) -> bool:
    """Tell whether a line says nearly what one of others did: something in it was renamed."""
    return any(len(one & other) >= _LIKE * max(1, len(one | other)) for other in others if not one.isdisjoint(other))


def _lines(change: Change, sign: str) -> Iterator[tuple[str, str]]:
    for file in change.files:
        for line in (file.patch or "").split("\n"):
            if line.startswith(sign) and _SUBSTANCE.search(line, 1):
                yield file.path, " ".join(line[1:].split())


def _subjects(title: str) -> frozenset[str]:
    """Give the words of a title in pieces, as far as they name something."""
    words = (word.lower() for word in _WORD.findall(re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", title)))
    return frozenset(word for word in words if len(word) > 3 and word not in _PLAIN)


def candidates(today: Sequence[Change], undoings: Mapping[str, Change]) -> Iterator[tuple[Change, Change]]:
    """Pair changes with the reverts shortly before them that touched no other files of code."""
    for change in today:
        paths = code_paths(change)
        for undoing in undoings.values():
            apart = change.commit.committed_at - undoing.commit.committed_at
            if timedelta(0) < apart <= SOON and code_paths(undoing) and code_paths(undoing) <= paths:
                yield change, undoing
