"""The endpoints for files: directories, trees and blobs."""

import base64
from urllib.parse import quote

from evals.github_server.code import resolve
from evals.github_server.objects import TreeEntry
from evals.github_server.shapes import Call, node_id
from evals.github_server.wire import Answer, Json, Refusal, not_found

MAX_ENTRIES = 1000
MAX_TREE = 100_000
MAX_INLINE = 1_000_000
MAX_BLOB = 100_000_000
_KINDS = {"160000": "submodule", "120000": "symlink"}


def get_contents(call: Call) -> Answer:
    """`GET contents/{path}`: a file with its content, or a directory with its entries."""
    path = call.args.get("path", "").strip("/")
    wanted = call.request.query.get("ref") or call.hosted.repo.default_branch
    if call.hosted.git.view.tip is None:
        raise Refusal(404, "This repository is empty.")
    try:
        found = resolve(call.hosted, wanted)
    except Refusal as refusal:
        raise Refusal(404, f"No commit found for the ref {wanted}") from refusal
    entry = _walk(call, found.tree, path)
    if entry.kind == "tree":
        entries = call.hosted.git.tree(entry.sha)[:MAX_ENTRIES]
        shown = [_entry(call, item, f"{path}/{item.path}".strip("/"), found.sha, listed=True) for item in entries]
        return Answer.json(shown)
    return _file(call, entry, path, found.sha)


def _walk(call: Call, tree: str, path: str) -> TreeEntry:
    entry = TreeEntry("040000", "tree", tree, None, "")
    for name in path.split("/") if path else []:
        entries = call.hosted.git.tree(entry.sha) if entry.kind == "tree" else []
        found = next((item for item in entries if item.path == name), None)
        if found is None:
            raise not_found()
        entry = found
    return entry


def _file(call: Call, entry: TreeEntry, path: str, ref: str) -> Answer:
    body = _entry(call, entry, path, ref, listed=False)
    if entry.kind == "commit":
        return Answer.json(body | {"submodule_git_url": _submodule(call, path, ref)})
    if (entry.size or 0) > MAX_BLOB:
        raise Refusal(403, "This API returns blobs up to 100 MB in size.")
    content = _blob(call, entry.sha)
    if call.request.media() == "raw":
        return Answer.text(content, "raw")
    if entry.mode == "120000":
        return Answer.json(body | {"target": content.decode("utf-8", "replace")})
    whole = len(content) <= MAX_INLINE
    # Above 1 MB GitHub leaves the content out and says so by the encoding.
    return Answer.json(body | {"content": _base64(content) if whole else "", "encoding": "base64" if whole else "none"})


def _submodule(call: Call, path: str, ref: str) -> str | None:
    """Find where a submodule comes from; without a line in `.gitmodules` nobody knows."""
    command = ["config", "-z", "--blob", f"{ref}:.gitmodules", "--get-regexp", r"^submodule\..*\.(path|url)$"]
    try:
        output = call.hosted.git.run(*command).decode("utf-8", "replace")
    except Refusal:
        return None
    settings = dict(pair.split("\n", 1) for pair in output.split("\0") if "\n" in pair)
    names = [key.removesuffix(".path") for key, value in settings.items() if key.endswith(".path") and value == path]
    return settings.get(f"{names[0]}.url") if names else None


def _blob(call: Call, sha: str) -> bytes:
    [found] = call.hosted.git.objects([sha])
    if found is None or found[1] != "blob":
        raise not_found()
    return found[2]


def _base64(content: bytes) -> str:
    return base64.encodebytes(content).decode()


def _entry(call: Call, entry: TreeEntry, path: str, ref: str, *, listed: bool) -> Json:
    kind = _KINDS.get(entry.mode, "dir" if entry.kind == "tree" else "file")
    url = f"{call.here}/contents/{quote(path)}?ref={ref}"
    page = f"{call.there}/{'tree' if kind == 'dir' else 'blob'}/{ref}/{quote(path)}"
    objects = f"{call.here}/git/{'trees' if kind == 'dir' else 'blobs'}/{entry.sha}"
    git_url = None if kind == "submodule" else objects
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "size": entry.size or 0,
        "url": url,
        "html_url": page,
        "git_url": git_url,
        "download_url": f"{call.there}/raw/{ref}/{quote(path)}" if kind == "file" else None,
        # In lists the older version of the API calls a submodule a file, for clients that know no better.
        "type": "file" if kind == "submodule" and listed and not _new(call) else kind,
        "_links": {"self": url, "git": git_url, "html": page},
    }


def _new(call: Call) -> bool:
    return call.request.headers.get("x-github-api-version") == "2026-03-10"


def get_tree(call: Call) -> Answer:
    """`GET git/trees/{sha}`: a tree by its own hash or by anything that names a commit."""
    git, name = call.hosted.git, call.args["tree_sha"]
    _ = call.hosted.tip
    sha = git.resolve(name) or name
    [found] = git.objects([f"{sha}^{{tree}}"])
    if found is None:
        raise not_found()
    entries = git.tree(found[0], recursive=call.request.query.get("recursive") is not None)
    body = {
        "sha": found[0],
        "url": f"{call.here}/git/trees/{found[0]}",
        "tree": [_line(call, entry) for entry in entries[:MAX_TREE]],
        "truncated": len(entries) > MAX_TREE,
    }
    return Answer.json(body)


def _line(call: Call, entry: TreeEntry) -> Json:
    line: Json = {"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
    if entry.size is not None:
        line["size"] = entry.size
    if entry.kind != "commit":
        line["url"] = f"{call.here}/git/{entry.kind}s/{entry.sha}"
    return line


def get_blob(call: Call) -> Answer:
    """`GET git/blobs/{sha}`: the content of a file by its hash."""
    sha = call.args["file_sha"]
    content = _blob(call, sha)
    if call.request.media() == "raw":
        return Answer.text(content, "raw")
    body = {
        "sha": sha,
        "node_id": node_id("Blob", sha),
        "size": len(content),
        "url": f"{call.here}/git/blobs/{sha}",
        "content": _base64(content),
        "encoding": "base64",
    }
    return Answer.json(body)
