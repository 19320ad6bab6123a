"""Reading from a source what the facts of a change need: files, trees, the earlier commit."""

from collections.abc import Sequence

from agent.domain.commits import Change
from agent.domain.facts import FactSheet
from agent.domain.revert_messages import Lineage
from agent.domain.surface import SurfaceChange
from agent.ports import CloneSource, CodeSource, Study
from tools.diff.changed_file_declarations import Blobs, paths_of_blobs
from tools.diff.commit_facts import gather
from tools.diff.formatting_only_changes import layout_paths
from tools.diff.names_sought_in_trees import SurroundingTrees, TreeNames
from tools.diff.reverts_by_patch import PatchIds, find_partner, patch_ids

_MAX_BLOBS = 200
_MAX_PARTNER_FILES = 3  # Files of which the earlier commits are compared with a change


def paths_to_read(change: Change) -> list[str]:
    """Return the files of which whole versions show more than the patch."""
    paths = (*layout_paths(change), *paths_of_blobs(change.files))
    return list(dict.fromkeys(paths))[:_MAX_BLOBS]


def planned(change: Change) -> Study:
    """Return what studying a change will ask for, so that a source can read it with other changes."""
    return Study(
        change=change,
        read=tuple(paths_to_read(change)),
        lineage_paths=tuple(_lineage_paths(change)),
    )


async def study(code: CodeSource, change: Change, *, hunks: bool = False) -> FactSheet:
    """Return the facts of a change by whole files and the trees around them.

    With `hunks`, by the patch alone.
    """
    if hunks:
        partner = await partner_of(code, change)
        return gather(change, None, partner).sheet(surface=await surface_of(code, change))
    blobs, partner = await blobs_and_partner(code, planned(change))
    gathered = gather(change, blobs, partner)
    before = change.commit.parents[0] if change.commit.parents else None
    trees = await look_up(code, before, change.commit.sha, gathered.names)
    return gathered.sheet(trees, await surface_of(code, change))


async def blobs_and_partner(code: CodeSource, plan: Study) -> tuple[Blobs, Lineage | None]:
    """Return both versions of a change's files, and the earlier commit that it undoes or repeats."""
    blobs = await code.blobs(plan.change, plan.read)
    return blobs, await partner_of(code, plan.change)


async def look_up(
    code: CodeSource, before: str | None, after: str | None, names: TreeNames
) -> SurroundingTrees:
    """Return the lines of two trees that hold names; nothing where the source cannot search."""
    if before is None or after is None or not isinstance(code, CloneSource):
        return SurroundingTrees()
    lines_before: list[tuple[str, str]] = []
    if names.added:
        lines_before += await code.lines_with(before, sorted(names.added))
    if names.variables:
        # What only tests set or read before can have been set by users as well.
        lines_before += await code.lines_with(before, sorted(names.variables), tests=True)
    return SurroundingTrees(
        before=lines_before,
        after=await code.lines_with(after, sorted(names.removed)) if names.removed else (),
        documents=await _documents(code, (before, after), names),
    )


async def _documents(
    code: CloneSource, shas: Sequence[str], names: TreeNames
) -> Sequence[tuple[str, str]] | None:
    """Return the lines of documents that hold names; None where documents are not searched.

    Between two trees a name may come into the documents, and in one of several commits go again.
    """
    lines: list[tuple[str, str]] = []
    for sha in shas if names.published else ():
        found_lines = await code.document_lines(sha, sorted(names.published))
        if found_lines is None:
            return None
        lines += found_lines
    return lines


async def surface_of(code: CodeSource, change: Change) -> SurfaceChange | None:
    """Return what a commit does to the public paths of its packages; None where nobody can say."""
    if not isinstance(code, CloneSource):
        return None
    return (await code.surface_changes([change.commit.sha]))[change.commit.sha]


async def partner_of(code: CodeSource, change: Change) -> Lineage | None:
    """Return the earlier commit that a change undoes, brings back or copies, by their patches."""
    earlier = await code.before(change.commit.sha, _lineage_paths(change))
    ids: dict[str, PatchIds] = {}
    async for earlier_change in code.changes(earlier):
        ids[earlier_change.commit.sha] = patch_ids(earlier_change.files)
    return find_partner(patch_ids(change.files), ids)


def _lineage_paths(change: Change) -> list[str]:
    """Return the paths by which a commit that was undone is found: those that changed most."""
    files = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    paths: list[str] = []
    for file in files[:_MAX_PARTNER_FILES]:
        paths += [path for path in (file.path, file.previous_path) if path]
    return paths
