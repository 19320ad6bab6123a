"""Whole files of a commit and of its parent, read in one go."""

import re
from collections.abc import Sequence

from agent.domain import Change
from tools.git.view import View

_HEADER = re.compile(rb"^[0-9a-f]{40} (\w+) (\d+)$")


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
    """Ask one `git cat-file` for everything; what is missing or no file is left out."""
    if not names:
        return {}
    asked = "".join(f"{name}\n" for name in names).encode("utf-8", "replace")
    out = await view.read(["cat-file", "--batch"], stdin=asked)
    found: dict[str, bytes] = {}
    at = 0
    for name in names:
        end = out.index(b"\n", at)
        header = _HEADER.match(out[at:end])
        at = end + 1
        if header is None:
            continue
        size = int(header[2])
        if header[1] == b"blob":
            found[name] = out[at : at + size]
        at += size + 1
    return found
