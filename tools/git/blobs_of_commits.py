"""The files of commits with their blobs, as git lists them, and which commits are here at all."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.git.diff_parser import RawEntry, read_entries
from tools.git.log import Framing

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

# Without renames git compares trees only and needs no blob.
_TREES_ONLY = ("--raw", "--no-abbrev", "--no-renames", "--diff-merges=first-parent")


async def present_commits(view: "View", shas: Sequence[str]) -> list[str]:
    """Return those that are commits here, each once."""
    hashes = [sha for sha in dict.fromkeys(shas) if re.fullmatch(r"[0-9a-f]{40}", sha)]
    git_objects = await view.objects.known([sha.encode() for sha in hashes])
    present: list[str] = []
    for sha, git_object in zip(hashes, git_objects, strict=True):
        if git_object is not None and git_object.kind == b"commit":
            present.append(sha)
    return present


async def entries_of(view: "View", shas: Sequence[str]) -> dict[str, list[RawEntry]]:
    """Return the files of these commits with their blobs, without commits whose trees are missing."""
    framing = Framing()
    selection = [*framing.options, *_TREES_ONLY, "--no-walk=unsorted", "--stdin"]
    entries: dict[str, list[RawEntry]] = {}
    async with view.running(
        selection, stdin="".join(f"{sha}\n" for sha in shas).encode("ascii")
    ) as git:
        async for record in framing.records(git.read):
            if not record.last or (await git.finish()).code == 0:
                sha = record.header[:40].decode("ascii")
                entries[sha] = read_entries(record.body)
    return entries
