"""The facts of one commit, from its patches alone or with both versions of its files at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent.domain import Change, FileChange
from agent.facts import FactKind, FactSheet
from tools.diff.draft import Draft, Where
from tools.diff.files import file_facts
from tools.diff.grouping import Shown, group
from tools.diff.hunks import Patch, Side, read_patch
from tools.diff.languages import reader_for
from tools.diff.lineage import Lineage, read_lineage
from tools.diff.moves import join_moves
from tools.diff.proof import place_of
from tools.diff.reading import EMPTY, Reader, Reading, Source
from tools.diff.roles import Role, is_public_path, role
from tools.diff.sites import compare_sites
from tools.diff.symbols import compare_symbols

Blobs = Mapping[str, tuple[bytes | None, bytes | None]]
"""The old and the new content of a file, by its new path; None on the side where it does not exist."""

_PATCH_LIMIT = 2_000_000
_COMMIT_LIMIT = 8_000_000
_OF_NO_USER = (Role.TEST, Role.BENCHMARK, Role.EXAMPLE, Role.SCRIPT, Role.CI, Role.DOCUMENT, Role.DATA)
_WITH_THE_FILE = (FactKind.ERROR_ADDED, FactKind.ERROR_REMOVED, FactKind.DEPRECATED)
_DOCUMENTED = "docs"
_LINEAGE = {"revert": FactKind.REVERT, "reland": FactKind.RELAND, "cherry-pick": FactKind.CHERRY_PICK}


@dataclass(frozen=True)
class _Versions:
    """Both versions of a file as they were read."""

    file: FileChange
    patch: Patch
    old: Reading
    new: Reading


def read_facts(change: Change, blobs: Blobs | None = None) -> FactSheet:
    """Find what a commit changes for others, each fact with the lines that show it."""
    shown = [*_lineage(read_lineage(change.commit.message)), *file_facts(change.files)]
    skipped: list[str] = []
    spent = 0
    read: list[_Versions] = []
    for file in change.files:
        spent += len(file.patch or "")
        if spent > _COMMIT_LIMIT:
            skipped.append(f"{file.path}: the commit's patches together are over {_COMMIT_LIMIT} bytes")
        elif (versions := _read(file, None if blobs is None else blobs.get(file.path), skipped)) is not None:
            read.append(versions)
    for versions in read:
        shown += _compared(versions)
    shown += _unchanged_code(change.files, read)
    facts, left = group(join_moves(shown))
    return FactSheet(facts=tuple(facts), route="hunks" if blobs is None else "blobs", skipped=(*skipped, *left))


def paths_to_read(change: Change) -> list[str]:
    """Name the files of which whole versions would tell more than the patch."""
    return [f.path for f in change.files if f.patch and len(f.patch) <= _PATCH_LIMIT and reader_for(f.path)]


def _read(file: FileChange, blobs: tuple[bytes | None, bytes | None] | None, skipped: list[str]) -> _Versions | None:
    """Read both versions; what cannot be read is said."""
    reader = reader_for(file.path)
    if reader is None or file.patch is None:
        return None
    if len(file.patch) > _PATCH_LIMIT:
        skipped.append(f"{file.path}: its patch is over {_PATCH_LIMIT} bytes")
        return None
    patch = read_patch(file.patch)
    if patch.problem:
        skipped.append(f"{file.path}: {patch.problem}")
    old_path = file.previous_path or file.path
    old = _side(reader, old_path, patch, "old", None if blobs is None else blobs[0], blobs is not None)
    new = _side(reader, file.path, patch, "new", None if blobs is None else blobs[1], blobs is not None)
    skipped += [f"{file.path}: {problem}" for problem in dict.fromkeys((*old.problems, *new.problems))]
    # A file that only one side could read would seem to have lost, or won, everything.
    if bool(old.problems) != bool(new.problems) and patch.removed and patch.added:
        return None
    return _Versions(file, patch, old, new)


def _side(reader: Reader, path: str, patch: Patch, side: Side, blob: bytes | None, whole: bool) -> Reading:
    if whole:
        return EMPTY if blob is None else reader(Source(path, blob))
    return _joined([reader(fragment) for fragment in patch.fragments(side, path)])


def _joined(readings: Sequence[Reading]) -> Reading:
    """Put the readings of a file's fragments together."""
    if len(readings) == 1:
        return readings[0]
    exports = [reading.exports for reading in readings if reading.exports is not None]
    return Reading(
        symbols=tuple(symbol for reading in readings for symbol in reading.symbols),
        sites=tuple(site for reading in readings for site in reading.sites),
        exports=frozenset().union(*exports) if exports else None,
        code=" ".join(reading.code for reading in readings),
        problems=tuple(problem for reading in readings for problem in reading.problems),
    )


def _compared(versions: _Versions) -> Iterator[Shown]:
    """Compare, and keep only what a changed line shows."""
    path = versions.file.path
    used = role(path) not in _OF_NO_USER
    whole = versions.file.status in ("added", "removed")
    symbols = [] if whole else compare_symbols(versions.old, versions.new)
    sites = compare_sites(versions.old.sites, versions.new.sites, versions.patch.together)
    drafts = [replace(draft, public=draft.public and is_public_path(path)) for draft in symbols]
    # What a new or removed file declares and checks goes with the file; only what users can set is told by itself.
    drafts += [
        replace(draft, public=draft.public and used) for draft in sites if not (whole and draft.kind in _WITH_THE_FILE)
    ]
    for draft in drafts:
        # A document that now mentions a flag does not add it.
        if draft.detail == _DOCUMENTED and draft.kind is not FactKind.DEPRECATED:
            continue
        if (place := place_of(draft, path, versions.patch)) is not None:
            yield Shown(draft, place)


def _unchanged_code(files: Sequence[FileChange], read: Sequence[_Versions]) -> Iterator[Shown]:
    """Tell when every file says the same as before but for white space or comments."""
    if not read or len(read) != len(files) or any(one.old.code != one.new.code or not one.old.code for one in read):
        return
    changed = [line[1:].strip() for one in read for line in (*one.patch.removed.values(), *one.patch.added.values())]
    commented = any(line.startswith(("#", "//", "/*", "*", '"""')) for line in changed)
    kind = FactKind.ONLY_COMMENTS if commented else FactKind.ONLY_FORMATTING
    yield Shown(Draft(kind, f"{len(files)} files", public=False, where=Where()), None)


def _lineage(found: Sequence[Lineage]) -> Iterator[Shown]:
    """Tell what the message says of an earlier commit, the surest first; the message is the proof."""
    for one in found[:1]:
        name = one.sha or (f"{one.repo}#{one.number}" if one.number else one.subject)
        draft = Draft(_LINEAGE[one.kind], name, public=True, where=Where(), old=name, detail=one.subject or None)
        yield Shown(draft, None)
