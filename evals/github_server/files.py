"""How the files of a diff are listed: with their patches until the budget of one answer is spent."""

from collections.abc import Sequence
from urllib.parse import quote

from evals.github_server.diffs import FileDiff
from evals.github_server.shapes import Call
from evals.github_server.wire import Json

# One answer carries about this much patch, and one file at most this much (GitHub's "repository limits").
PATCH_BYTES, PATCH_LINES = 1_000_000, 20_000
FILE_BYTES, FILE_LINES = 500_000, 20_000


def files(call: Call, sha: str, entries: Sequence[FileDiff], *, counts_survive: bool) -> list[Json]:
    """Show files until the patch budget of one answer is spent; the others have no patch, as on GitHub.

    `counts_survive`: a commit still tells how many lines such a file changed, a comparison says 0.
    """
    shown: list[Json] = []
    size = lines = 0
    spent = False
    for entry in entries:
        too_big = entry.size > FILE_BYTES or entry.lines > FILE_LINES
        if not too_big:
            spent = spent or size + entry.size > PATCH_BYTES or lines + entry.lines > PATCH_LINES
        if entry.patch is not None and not spent and not too_big:
            size, lines = size + entry.size, lines + entry.lines
        cut = entry.patch is not None and (spent or too_big)
        shown.append(_file(call, sha, entry, patch=not cut, counts=counts_survive or not spent or entry.patch is None))
    return shown


def _file(call: Call, sha: str, entry: FileDiff, *, patch: bool, counts: bool) -> Json:
    path = quote(entry.path)
    shown: Json = {
        "sha": entry.sha,
        "filename": entry.path,
        "status": entry.status,
        "additions": entry.additions if counts else 0,
        "deletions": entry.deletions if counts else 0,
        "changes": entry.additions + entry.deletions if counts else 0,
        "blob_url": f"{call.there}/blob/{sha}/{path}",
        "raw_url": f"{call.there}/raw/{sha}/{path}",
        "contents_url": f"{call.here}/contents/{path}?ref={sha}",
    }
    if patch and entry.patch is not None:
        shown["patch"] = entry.patch
    if entry.previous is not None:
        shown["previous_filename"] = entry.previous
    return shown
