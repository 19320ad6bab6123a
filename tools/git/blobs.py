"""Whole files of a commit and of its parent, read in one go."""

from collections.abc import Sequence

from agent.domain import Change
from tools.git.view import View


async def read_blobs(view: View, change: Change, paths: Sequence[str]) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Read both versions of these files of a change; a version that is not there is None."""
    files = {file.path: file for file in change.files}
    parent = change.commit.parents[0] if change.commit.parents else None
    names: list[str | None] = []
    for path in paths:
        file = files[path]
        before = None if parent is None or file.status == "added" else f"{parent}:{file.previous_path or path}"
        after = None if file.status == "removed" else f"{change.commit.sha}:{path}"
        names += [before, after]
    found = await _read(view, [name for name in names if name is not None and "\n" not in name])
    blobs = [None if name is None else found.get(name) for name in names]
    return {path: (blobs[2 * place], blobs[2 * place + 1]) for place, path in enumerate(paths)}


async def _read(view: View, names: Sequence[str]) -> dict[str, bytes]:
    """Read everything in one go; what is missing or no file is left out."""
    found = await view.objects.contents([name.encode("utf-8", "replace") for name in names])
    return {name: one.content for name, one in zip(names, found, strict=True) if one and one.kind == b"blob"}
