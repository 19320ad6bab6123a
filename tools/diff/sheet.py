"""The facts of one commit, from its patches alone or with both versions of its files at hand."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from agent.domain import Change, FileChange
from agent.facts import FactKind, FactSheet
from tools.diff.audience import site_is_met, symbol_is_met
from tools.diff.draft import Draft, Where
from tools.diff.files import arrivals, file_facts
from tools.diff.grouping import Shown, group
from tools.diff.hunks import Patch, Side, fragment, read_patch, whole_file
from tools.diff.interest import may_tell_whole, telling
from tools.diff.languages import reader_for
from tools.diff.lineage import Lineage, read_lineage
from tools.diff.moves import join_moves
from tools.diff.proof import place_of
from tools.diff.readers import manifest
from tools.diff.readers.manifest import is_submodule_patch
from tools.diff.reading import EMPTY, Reading, Source
from tools.diff.roles import Role, role
from tools.diff.sites import compare_sites
from tools.diff.symbols import compare_symbols
from tools.diff.unchanged import unchanged_code

Blobs = Mapping[str, tuple[bytes | None, bytes | None]]
"""The old and the new content of a file, by its new path; None on the side where it does not exist."""

_PATCH_LIMIT = 2_000_000
_COMMIT_LIMIT = 8_000_000
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


def read_facts(change: Change, blobs: Blobs | None = None, partner: Lineage | None = None) -> FactSheet:
    """Find what a commit changes for others, each fact with the lines that show it.

    `partner` is the earlier commit that the patch undoes, brings back or copies, where somebody looked for one.
    """
    shown = [*_lineage(read_lineage(change.commit.message), partner), *file_facts(change.files)]
    skipped: list[str] = []
    for file, patch in _patches(change.files, skipped):
        versions = _read(file, patch, None if blobs is None else blobs.get(file.path), skipped)
        if versions is not None:
            shown += _compared(versions)
    if not shown:
        shown += unchanged_code(change.files)
    facts, left = group(join_moves(shown, arrivals(change.files)))
    return FactSheet(facts=tuple(facts), route="hunks" if blobs is None else "blobs", skipped=(*skipped, *left))


def paths_to_read(change: Change) -> list[str]:
    """Name the files of which whole versions would tell more than the patch."""
    return [file.path for file, _ in _patches(change.files, []) if not _is_whole(file)]


def _patches(files: Sequence[FileChange], skipped: list[str]) -> Iterator[tuple[FileChange, Patch]]:
    """Give the files that can hold facts with those of their hunks that can; what is too large is said."""
    spent = 0
    for file in files:
        if file.patch is not None and is_submodule_patch(file.patch):
            patch = read_patch(file.patch)
            yield file, replace(patch, telling=patch.hunks)
            continue
        if file.patch is None or reader_for(file.path) is None or role(file.path) is Role.TEST:
            continue
        spent += len(file.patch)
        if len(file.patch) > _PATCH_LIMIT or spent > _COMMIT_LIMIT:
            skipped.append(f"{file.path}: too large to be read ({len(file.patch)} bytes of patch)")
            continue
        whole = _is_whole(file)
        if whole and not may_tell_whole(file.path, file.patch):
            continue
        patch = read_patch(file.patch)
        if patch.problem:
            skipped.append(f"{file.path}: {patch.problem}")
        worth = patch.hunks if whole else telling(file.path, file.patch, patch.hunks)
        if worth:
            yield file, replace(patch, telling=worth)


def _read(
    file: FileChange, patch: Patch, blobs: tuple[bytes | None, bytes | None] | None, skipped: list[str]
) -> _Versions | None:
    """Read both versions; what cannot be read is said."""
    old_path = file.previous_path or file.path
    if _is_whole(file):
        old, new = (_lone(whole_file(patch, side, file.path)) for side in ("old", "new"))
    # A submodule has no content of its own: the patch is all there is.
    elif blobs is None or blobs == (None, None):
        old, new = _hunk_by_hunk(old_path, file.path, patch)
    else:
        old, new = _whole(old_path, patch, "old", blobs[0]), _whole(file.path, patch, "new", blobs[1])
    skipped += [f"{file.path}: {problem}" for problem in dict.fromkeys((*old.problems, *new.problems))]
    # A file that only one side could read would seem to have lost, or won, everything.
    if bool(old.problems) != bool(new.problems) and patch.removed and patch.added:
        return None
    return _Versions(file, patch, old, new)


def _whole(path: str, patch: Patch, side: Side, blob: bytes | None) -> Reading:
    """Read one version of a file, with an eye to what the patch touches."""
    near = tuple(hunk.span(side) for hunk in patch.hunks)
    changed = patch.removed if side == "old" else patch.added
    return EMPTY if blob is None else _lone(Source(path, blob, changed=changed.keys(), near=near))


def _lone(source: Source | None) -> Reading:
    reader = None if source is None else reader_for(source.path) or manifest.read
    return EMPTY if source is None or reader is None else reader(source)


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
        touched = _is_touched(one, first)
        if not touched and (second is None or not second.changed):
            continue
        other = _lone(second)
        if touched or _is_touched(other, second):
            before.append(other if only_added else one)
            after.append(one if only_added else other)
    return _joined(before), _joined(after)


def _is_touched(reading: Reading, source: Source | None) -> bool:
    """Tell whether a changed line declares anything, or cannot be read."""
    if source is None or not source.changed:
        return False
    spans = [*((one.start, one.head) for one in reading.symbols), *((one.start, one.end) for one in reading.sites)]
    return bool(reading.problems) or any(not source.changed.isdisjoint(range(a, b + 1)) for a, b in spans)


def _joined(readings: Sequence[Reading]) -> Reading:
    """Put the readings of a file's fragments together."""
    if len(readings) == 1:
        return readings[0]
    exports = [reading.exports for reading in readings if reading.exports is not None]
    return Reading(
        symbols=tuple(symbol for reading in readings for symbol in reading.symbols),
        sites=tuple(site for reading in readings for site in reading.sites),
        exports=frozenset().union(*exports) if exports else None,
        problems=tuple(problem for reading in readings for problem in reading.problems),
    )


def _compared(versions: _Versions) -> Iterator[Shown]:
    """Compare, and keep only what a changed line shows."""
    path, patch = versions.file.path, versions.patch
    whole = _is_whole(versions.file)
    symbols = [] if whole else compare_symbols(versions.old, versions.new)
    symbols = [draft for draft in symbols if draft.kind is not FactKind.SYMBOL_REMOVED or not _imported(draft, patch)]
    sites = compare_sites(versions.old.sites, versions.new.sites, patch.together)
    # What a new or removed file declares and checks goes with the file, and so it is with a function that went; only
    # what users can set is told by itself.
    gone = {draft.name for draft in symbols if draft.kind is FactKind.SYMBOL_REMOVED}
    drafts = [replace(draft, public=symbol_is_met(draft, path)) for draft in symbols]
    drafts += [
        replace(draft, public=site_is_met(draft, path))
        for draft in sites
        if draft.kind not in _WITH_THE_FILE or not (whole or _is_within(draft.detail, gone))
    ]
    for draft in drafts:
        # A document that now mentions a flag does not add it.
        if draft.detail == _DOCUMENTED and draft.kind is not FactKind.DEPRECATED:
            continue
        if (place := place_of(draft, path, patch)) is not None:
            yield Shown(draft, place)


def _imported(draft: Draft, patch: Patch) -> bool:
    """Tell whether a name that is no longer defined here is imported here now: for users it never left."""
    name = draft.name
    return any(
        (name in line and ("import " in line or line[1:].strip().rstrip(",") == name)) for line in patch.added.values()
    )


def _is_whole(file: FileChange) -> bool:
    """Tell whether the patch holds all there is of a file, on its only side."""
    return file.status in ("added", "removed")


def _is_within(scope: str | None, names: Set[str]) -> bool:
    """Tell whether a scope is one of these symbols or lies inside one: what it checks comes and goes with it."""
    parts = (scope or "").split(".")
    return any(".".join(parts[:size]) in names for size in range(1, len(parts) + 1))


def _lineage(said: Sequence[Lineage], partner: Lineage | None) -> Iterator[Shown]:
    """Tell of the earlier commit: the surest that the message says, else what the patch shows; both agree mostly."""
    one = said[0] if said else partner
    if one is None:
        return
    sha = one.sha or (partner.sha if partner is not None and partner.kind == one.kind else "")
    named = f"{one.repo}#{one.number}" if one.number else ""
    name = named or sha or one.subject
    proof = "message" if said else "patch"
    if said and partner is not None and partner.kind == one.kind:
        proof = "message and patch"
    draft = Draft(_LINEAGE[one.kind], name, public=True, where=Where(), old=sha or None, detail=proof)
    yield Shown(draft, None)
