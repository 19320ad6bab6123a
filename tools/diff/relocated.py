"""How functions and classes of Python that stand in another file now are declared otherwise there."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.audience import symbol_is_met
from tools.diff.draft import Where
from tools.diff.grouping import Shown
from tools.diff.homes import Homes
from tools.diff.hunks import Patch, read_patch, whole_file
from tools.diff.languages import reader_for
from tools.diff.proof import place_of
from tools.diff.reading import Reading
from tools.diff.symbols import compare_symbols
from tools.diff.versions import Versions

_KINDS = ("function", "class", "struct", "enum")
_TELLING = 8
"""Letters of a name that hardly two things of a commit have by chance."""
_MOST = 400_000
"""Characters of whole files that are parsed for this."""
_MOST_NAMES = 200


class _Home(NamedTuple):
    """A file that has, or had, a thing, and all that is declared there."""

    path: str
    patch: Patch
    reading: Reading

    def declared(self, name: str) -> Reading:
        """Give what is declared of one thing."""
        inside = f"{name}."
        return Reading(
            symbols=tuple(one for one in self.reading.symbols if one.name == name or one.name.startswith(inside))
        )


def relocated(read: Iterable[Versions], files: Sequence[FileChange], homes: Homes) -> Iterator[Shown]:
    """Compare what left one file with what came under its name to the only other one."""
    left, come = dict[str, list[_Home]](), dict[str, list[_Home]]()
    for versions in read:
        if versions.file.path.endswith(".py") and versions.file.status not in ("added", "removed"):
            before, after = (_outer(side) | _aliases(side) for side in (versions.old, versions.new))
            _note(left, versions, versions.old, before - after)
            _note(come, versions, versions.new, after - before)
    for versions in _whole(files, homes, left.keys(), come.keys()):
        side, reading = (come, versions.new) if versions.file.status == "added" else (left, versions.old)
        _note(side, versions, reading, _outer(reading) | _aliases(reading))
    both = [name for name in left if name in come and len(left[name]) == len(come[name]) == 1 and len(name) >= _TELLING]
    for name in both[:_MOST_NAMES]:
        if not _is_namesake(name, left[name][0], come[name][0]):
            yield from _compared(name, left[name][0], come[name][0])


def _is_namesake(name: str, one: _Home, other: _Home) -> bool:
    """Tell of two functions whether they have nothing but the name in common: no parameter, and not the body."""
    mine, its = (next(symbol for symbol in home.reading.symbols if symbol.name == name) for home in (one, other))
    if mine.params is None or its.params is None or (mine.shape and mine.shape == its.shape):
        return False
    before, after = ({param.name for param in symbol.params or ()} for symbol in (mine, its))
    return bool(before | after) and before.isdisjoint(after)


def _outer(reading: Reading) -> set[str]:
    return {symbol.name for symbol in reading.symbols if symbol.kind in _KINDS and "." not in symbol.name}


def _aliases(reading: Reading) -> set[str]:
    """Name what stands for a type: `Pair = tuple[int, int]`; an enumeration may have become a list of values."""
    return {symbol.name for symbol in reading.symbols if symbol.kind == "type" and "." not in symbol.name}


def _note(side: dict[str, list[_Home]], versions: Versions, reading: Reading, names: set[str]) -> None:
    home = _Home(versions.file.path, versions.patch, reading)
    for name in sorted(names):
        side.setdefault(name, []).append(home)


def _whole(files: Sequence[FileChange], homes: Homes, left: Iterable[str], come: Iterable[str]) -> Iterator[Versions]:
    """Read the files that came or went as wholes and share a name with what went or came elsewhere."""
    budget = _MOST
    shared = homes.shared(left, come) if files else ()
    for file in files:
        if file.path not in shared or not file.path.endswith(".py"):
            continue
        budget -= len(file.patch or "")
        patch = read_patch(file.patch)
        patch = replace(patch, telling=patch.hunks)
        source = whole_file(patch, "new" if file.status == "added" else "old", file.path)
        reader = reader_for(file.path)
        if budget < 0 or source is None or reader is None:
            continue
        reading = reader(replace(source, changed=None, near=None))
        yield Versions(file, patch, reading, reading)


def _compared(name: str, one: _Home, other: _Home) -> Iterator[Shown]:
    aliases = _aliases(one.declared(name)) & _aliases(other.declared(name))
    for draft in compare_symbols(one.declared(name), other.declared(name)):
        # What is new in a file that is new goes without saying.
        if draft.kind is FactKind.SYMBOL_ADDED or (draft.kind is FactKind.SYMBOL_REMOVED and "." not in draft.name):
            continue
        if draft.kind is FactKind.CONSTANT_CHANGED and draft.name not in aliases:
            continue
        home = one if draft.where.new is None else other
        where = Where(old=draft.where.old) if draft.where.new is None else Where(new=draft.where.new)
        shown = draft._replace(where=where, public=draft.public and symbol_is_met(draft, one.path))
        if (place := place_of(shown, home.path, home.patch)) is not None:
            yield Shown(shown, place)
