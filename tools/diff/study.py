"""The facts of a change, as closely as its source allows: with whole files, the trees around it, and what it undoes."""

from agent.domain import Change
from agent.facts import FactSheet
from agent.sources import CodeSource, SearchesTrees, Study
from tools.diff.lineage import Lineage, find_partner
from tools.diff.patch_id import patch_ids
from tools.diff.reach import Names, Trees
from tools.diff.sheet import gather, paths_to_read
from tools.diff.versions import Blobs

_PARTNER_FILES = 3


def planned(change: Change) -> Study:
    """Say what studying a change will ask for, so that a source can read it together with what others ask for."""
    return Study(change=change, read=tuple(paths_to_read(change)), telling=tuple(_telling_paths(change)))


async def study(code: CodeSource, change: Change, *, hunks: bool = False) -> FactSheet:
    """Read the facts with both versions of the files and the trees around them, or with `hunks` by the patch alone."""
    if hunks:
        return gather(change, None, await partner_of(code, change)).sheet()
    gathered = gather(change, *await blobs_and_partner(code, planned(change)))
    before = change.commit.parents[0] if change.commit.parents else None
    return gathered.sheet(await look_up(code, before, change.commit.sha, gathered.names))


async def blobs_and_partner(code: CodeSource, plan: Study) -> tuple[Blobs, Lineage | None]:
    """Get both versions of a change's files, and what it undoes: what finding its facts needs."""
    return await code.blobs(plan.change, plan.read), await partner_of(code, plan.change)


async def look_up(code: CodeSource, before: str | None, after: str | None, names: Names) -> Trees:
    """Find the lines of two trees that hold these names; where the source cannot look, nothing is known."""
    if before is None or after is None or not isinstance(code, SearchesTrees):
        return Trees()
    return Trees(
        before=await code.lines_with(before, sorted(names.come)) if names.come else (),
        after=await code.lines_with(after, sorted(names.gone)) if names.gone else (),
        exports=await code.lines_with(before, sorted(names.exported), called="__init__.py"),
        exports_after=await code.lines_with(after, sorted(names.exported), called="__init__.py"),
    )


async def partner_of(code: CodeSource, change: Change) -> Lineage | None:
    """Find the earlier commit that a change undoes, brings back or copies, by the patches of the same files."""
    earlier = await code.before(change.commit.sha, _telling_paths(change))
    ids = {one.commit.sha: patch_ids(one.files) async for one in code.changes(earlier)}
    return find_partner(patch_ids(change.files), ids)


def _telling_paths(change: Change) -> list[str]:
    """Choose the files by which a commit that was undone is found: those that changed most."""
    most = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    return [path for file in most[:_PARTNER_FILES] for path in (file.path, file.previous_path) if path]
