"""Both versions of a changed file as they are read: from whole contents, from hunks, or from a patch that is all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.domain import FileChange
from tools.diff.conditions import opens_condition
from tools.diff.demands import refusing_lines
from tools.diff.hunks import Patch, Side, fragment, whole_file
from tools.diff.interest import may_tell_whole
from tools.diff.languages import reader_for
from tools.diff.readers import manifest
from tools.diff.reading import EMPTY, Reading, Site, Source, Symbol
from tools.diff.worth import is_whole

Contents = tuple[bytes | None, bytes | None]
Blobs = Mapping[str, Contents]
"""The old and the new content of a file, by its new path; None on the side where it does not exist."""

_BLOB_LIMIT = 12_000_000
"""Bytes of whole files of a commit that are parsed; of the files behind them only the hunks are."""


@dataclass(frozen=True)
class Versions:
    """Both versions of a file as they were read."""

    file: FileChange
    patch: Patch
    old: Reading
    new: Reading
    whole: bool = False
    """Whether all of both versions was read, and not only their hunks."""


class Shelf:
    """The whole contents at hand, given out as long as they are not too much to parse."""

    def __init__(self, blobs: Blobs | None) -> None:
        self._blobs = blobs or {}
        self._left = _BLOB_LIMIT

    def take(self, path: str) -> Contents | None:
        """Give both contents of a file; None where its hunks must do."""
        contents = self._blobs.get(path, (None, None))
        size = sum(len(content) for content in contents if content is not None)
        self._left -= size
        return contents if size and self._left >= 0 else None


def read_versions(file: FileChange, patch: Patch, shelf: Shelf, skipped: list[str]) -> Versions | None:
    """Read both versions; what cannot be read is said."""
    old_path = file.previous_path or file.path
    contents = None if is_whole(file) else shelf.take(file.path)
    if is_whole(file):
        side: Side = "new" if file.status == "added" else "old"
        only = _newcomer(file, patch) if side == "new" else _lone(whole_file(patch, side, file.path))
        old, new = (EMPTY, only) if side == "new" else (only, EMPTY)
    elif contents is None:
        old, new = _hunk_by_hunk(old_path, file.path, patch)
    else:
        old, new = read_whole(old_path, patch, "old", contents[0]), read_whole(file.path, patch, "new", contents[1])
    skipped += [_named(file.path, problem) for problem in dict.fromkeys((*old.problems, *new.problems))]
    # A file that only one side could read would seem to have lost, or won, everything.
    if bool(old.problems) != bool(new.problems) and patch.removed and patch.added:
        return None
    return Versions(file, patch, old, new, contents is not None)


def _newcomer(file: FileChange, patch: Patch) -> Reading:
    """Read a new file; one that lets its users set nothing is read for what it refuses."""
    source = whole_file(patch, "new", file.path)
    near = refusing_lines(file.path, patch) if patch.refusing else ()
    reading = _lone(source if source is None or not near else replace(source, near=near))
    if may_tell_whole(file.path, file.patch or ""):
        return reading
    return replace(reading, sites=tuple(site for site in reading.sites if site.kind == "error"))


def _named(path: str, problem: str) -> str:
    return problem if problem.startswith(path) else f"{path}: {problem}"


def read_whole(path: str, patch: Patch, side: Side, blob: bytes | None) -> Reading:
    """Read one version of a file, with an eye to what the patch touches."""
    near = tuple(hunk.span(side) for hunk in patch.hunks)
    changed = patch.removed if side == "old" else patch.added
    return EMPTY if blob is None else _lone(Source(path, blob, changed=changed.keys(), near=near))


def _lone(source: Source | None) -> Reading:
    if source is None:
        return EMPTY
    # What nobody reads, but was given here, is a submodule: one line that pins it.
    reader = reader_for(source.path) or manifest.read
    return reader(source)


def _hunk_by_hunk(old_path: str, new_path: str, patch: Patch) -> tuple[Reading, Reading]:
    """Read both sides of the hunks; of a hunk whose changed lines declare nothing, neither side counts."""
    before: list[Reading] = []
    after: list[Reading] = []
    for hunk in patch.telling:
        old, new = fragment(hunk, "old", old_path), fragment(hunk, "new", new_path)
        # Where all was added the new side tells whether the old one matters, and the other way round.
        only_added = old is None or not old.changed
        first, second = (new, old) if only_added else (old, new)
        one = _lone(first)
        touched = _touched(one, first)
        if second is None or not second.changed:
            if not touched and not one.problems and not opens_condition(hunk):
                continue
            other = _untouched(one, touched) if _stand_there(touched, first) else _lone(second)
        else:
            other = _lone(second)
            if not (touched or one.problems or other.problems or _touched(other, second)):
                continue
        one, other = _without_cut(one, other, first), _without_cut(other, one, second)
        before.append(other if only_added else one)
        after.append(one if only_added else other)
    return _joined(before), _joined(after)


def _without_cut(reading: Reading, other: Reading, source: Source | None) -> Reading:
    """Leave out a signature that began before the hunk, and so on both sides, where only one of them could be read."""
    if source is None or not source.heading or not reading.symbols or reading.symbols[0].params is None:
        return reading
    name = reading.symbols[0].name
    cut = reading.symbols[0].start == source.first_line and f" {name}(" in source.heading
    if not cut or any(symbol.name == name for symbol in other.symbols):
        return reading
    return replace(reading, symbols=reading.symbols[1:])


def _touched(reading: Reading, source: Source | None) -> list[Symbol | Site]:
    """List what a changed line declares."""
    if source is None or not source.changed:
        return []
    changed = source.changed
    found: list[Symbol | Site] = [
        one for one in reading.symbols if not changed.isdisjoint(range(one.start, one.head + 1))
    ]
    found += [one for one in reading.sites if not changed.isdisjoint(range(_begin(one), one.end + 1))]
    return found


def _begin(site: Site) -> int:
    """Give the first line that has to do with a site: the condition of an error stands right above it."""
    return site.start - 1 if site.kind == "error" and site.guard else site.start


def _stand_there(touched: Sequence[Symbol | Site], source: Source | None) -> bool:
    """Tell whether all lines that declare it changed, and so nothing of it was on the other side."""
    if source is None or source.changed is None:
        return False
    spans = (range(one.start, (one.head if isinstance(one, Symbol) else one.end) + 1) for one in touched)
    return all(line in source.changed for span in spans for line in span)


def _untouched(reading: Reading, touched: Sequence[Symbol | Site]) -> Reading:
    """Leave out what is touched: the other side of a hunk that only added, or only removed, has all the rest."""
    ids = {id(one) for one in touched}
    return replace(
        reading,
        symbols=tuple(one for one in reading.symbols if id(one) not in ids),
        sites=tuple(one for one in reading.sites if id(one) not in ids),
        imports=reading.imports - {one.name for one in touched},
    )


def _placed(symbol: Symbol, hunk: int) -> Symbol:
    return symbol if not hunk or symbol.params is None or "." in symbol.name else symbol._replace(hunk=hunk)


def _joined(readings: Sequence[Reading]) -> Reading:
    """Put the readings of a file's fragments together."""
    if len(readings) == 1:
        return readings[0]
    exports = [reading.exports for reading in readings if reading.exports is not None]
    return Reading(
        symbols=tuple(_placed(one, hunk) for hunk, reading in enumerate(readings) for one in reading.symbols),
        sites=tuple(site for reading in readings for site in reading.sites),
        exports=frozenset().union(*exports) if exports else None,
        imports=frozenset().union(*(reading.imports for reading in readings)),
        overloaded=any(reading.overloaded for reading in readings),
        generics=frozenset().union(*(reading.generics for reading in readings)),
        includes=frozenset().union(*(reading.includes for reading in readings)),
        offered=any(reading.offered for reading in readings),
        problems=tuple(problem for reading in readings for problem in reading.problems),
    )
