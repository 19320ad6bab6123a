"""Files of a whole tree, and the lines in them that hold certain words."""

import re
from collections.abc import Mapping, Sequence

from agent.errors import UpstreamError
from agent.sources import Usage, Usages
from tools.git.missing import fetch_blobs
from tools.git.remote import patiently
from tools.git.repository import Repository
from tools.git.view import View

_MOST = 4_000_000
"""Bytes of lines that are read; whoever looks for a word that is everywhere does not need all of them."""
_LONGEST = 2_000
_SEARCHED = (0, 1)
"""How `git grep` ends: with something found, with nothing."""
_USAGE = re.compile(rb"[^\0\n]*?:([^\0]+)\0(\d+)\0([^\n]*)\n")
_ENTRY = re.compile(rb"\d+ blob ([0-9a-f]{40})\t")


async def lines_with(
    view: View, sha: str, words: Sequence[str], where: Sequence[bytes] = ()
) -> tuple[tuple[str, str], ...]:
    """Find the lines of a commit's files that hold one of these words, each with its path; `where` names some files."""
    if not words:
        return ()
    named = [part for word in words for part in ("-e", word)]
    pieces: list[bytes] = []
    async with view.running(["grep", "--threads=1", "-I", "-F", "-w", "--null", *named, sha, "--", *where]) as git:
        while sum(map(len, pieces)) < _MOST and (piece := await git.read()):
            pieces.append(piece)
    found = (line.partition(b"\0") for line in b"".join(pieces).split(b"\n") if b"\0" in line)
    return tuple((_path(name), line[:_LONGEST].decode("utf-8", "replace")) for name, _, line in found)


async def usages(view: View, sha: str, name: str, *, path: str, limit: int) -> Usages:
    """Find the lines of a commit's files that hold an identifier, up to a limit; `path` is one file or folder."""
    command = [
        "grep",
        "--threads=1",
        "-I",
        "-F",
        "-w",
        "-n",
        "--null",
        "-e",
        name,
        sha,
        "--",
        *([path] if path else []),
    ]
    output = b""
    async with view.running(command) as git:
        while output.count(b"\n") <= limit and len(output) < _MOST:
            if not (piece := await git.read()):
                finished = await git.finish()
                if finished.code not in _SEARCHED:
                    raise UpstreamError(f"git grep: {finished.reason}", retryable=False)
                break
            output += piece
    found = [
        Usage(path=where.decode("utf-8", "replace"), line=int(line), text=text[:_LONGEST].decode("utf-8", "replace"))
        for where, line, text in _USAGE.findall(output)
    ]
    return Usages(found=tuple(found[:limit]), more=len(found) > limit)


async def tree_paths(view: View, sha: str) -> frozenset[str]:
    """Name all files of a commit."""
    listed = await view.read(["ls-tree", "-r", "-z", "--name-only", sha])
    return frozenset(path.decode("utf-8", "replace") for path in listed.split(b"\0") if path)


async def words_in(view: View, sha: str, words: Sequence[str]) -> frozenset[str]:
    """Tell which of these words the files of a commit hold as whole words, in any case."""
    left, found = {word.casefold() for word in words}, set[str]()
    if not left:
        return frozenset()
    patterns = "\n".join(sorted(left)).encode()
    command = ["grep", "--threads=1", "-I", "-F", "-w", "-i", "-h", "-o", "-f", "-", sha]
    async with view.running(command, stdin=patterns) as git:
        rest = b""
        # A word that is everywhere need not be read to its end.
        while left and (piece := await git.read()):
            lines = (rest + piece).split(b"\n")
            rest = lines.pop()
            seen = {line.decode("utf-8", "replace").casefold() for line in set(lines)} & left
            found, left = found | seen, left - seen
    return frozenset(found)


async def read_file(repository: Repository, view: View, sha: str, path: str, environ: Mapping[str, str]) -> str | None:
    """Read a file as it stands at a commit, fetched where a partial clone lacks it; None where there is none."""
    # Git would take these for something else than a path below the root.
    if "\n" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return None
    name = f"{sha}:{path}".encode("utf-8", "replace")
    (found,) = await view.objects.contents([name])
    if found is None:
        blob = _ENTRY.match(await view.read(["ls-tree", sha, "--", path]))
        if blob is None:
            return None
        if repository.promisor is not None:
            await patiently(lambda: fetch_blobs(repository, [blob[1]], environ))
        (found,) = await view.objects.contents([name])
        if found is None:
            raise UpstreamError(f"{path} at {sha[:12]}: its content is not in this repository", retryable=False)
    return found.content.decode("utf-8", "replace") if found.kind == b"blob" else None


def _path(name: bytes) -> str:
    """Take the commit away that git writes before the path."""
    return name.partition(b":")[2].decode("utf-8", "replace")
