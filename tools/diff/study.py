"""The facts of a change, as closely as its source allows: with its whole files, and with what it undoes or repeats."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from agent.domain import Change
from agent.facts import FactSheet
from agent.sources import CodeSource, Study
from tools.diff.known import asked, recognise
from tools.diff.lineage import Lineage, find_partner
from tools.diff.patch_id import patch_ids
from tools.diff.sheet import gather, paths_to_read

_PARTNER_FILES = 3


@runtime_checkable
class SearchesTrees(Protocol):
    """A source of code that looks through all files of a commit at little cost."""

    async def lines_with(self, sha: str, words: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Find the lines of a commit's files that hold one of these words, each with the path of its file."""
        ...


def planned(change: Change) -> Study:
    """Say what studying a change will ask for, so that a source can read it together with what others ask for."""
    return Study(change=change, read=tuple(paths_to_read(change)), telling=tuple(_telling_paths(change)))


async def study(code: CodeSource, change: Change, plan: Study | None = None, *, hunks: bool = False) -> FactSheet:
    """Read the facts with both versions of the files at hand, or with `hunks` from the patch alone."""
    blobs = None if hunks else await code.blobs(change, plan.read if plan else paths_to_read(change))
    gathered = gather(change, blobs, await partner_of(code, change))
    if hunks or not change.commit.parents or not isinstance(code, SearchesTrees):
        return gathered.sheet()
    words = asked(gathered.shown)
    lines = await code.lines_with(change.commit.parents[0], words) if words else ()
    return gathered.sheet(recognise(gathered.shown, lines))


async def partner_of(code: CodeSource, change: Change) -> Lineage | None:
    """Find the earlier commit that a change undoes, brings back or copies, by the patches of the same files."""
    earlier = await code.before(change.commit.sha, _telling_paths(change))
    ids = {one.commit.sha: patch_ids(one.files) async for one in code.changes(earlier)}
    return find_partner(patch_ids(change.files), ids)


def _telling_paths(change: Change) -> list[str]:
    """Choose the files by which a commit that was undone is found: those that changed most."""
    most = sorted(change.files, key=lambda file: -(file.additions + file.deletions))
    return [path for file in most[:_PARTNER_FILES] for path in (file.path, file.previous_path) if path]
