"""Files of a whole tree: read, listed, and the lines in them that hold certain words."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from agent.domain.base import UpstreamError
from agent.domain.commits import Change
from agent.sources import Usage, Usages
from agent.triage.conventions import Area, area

if TYPE_CHECKING:
    from tools.git.view import View

_UNREADABLE = (
    *(b".png", b".jpg", b".jpeg", b".gif", b".bmp", b".ico", b".webp", b".pdf", b".woff", b".woff2", b".ttf"),
    *(b".zip", b".gz", b".xz", b".zst", b".bz2", b".tar", b".whl", b".so", b".a", b".o", b".dll", b".lib", b".exe"),
    *(b".bin", b".bc", b".gguf", b".onnx", b".pt", b".safetensors", b".npy", b".npz", b".mp3", b".mp4", b".wav"),
)
"""How files end that have no lines of text; git finds that out only after unpacking them."""
_MOST_PATHS = 1_000
"""More paths than that cost git more than what it leaves out."""


async def product_paths(
    view: "View", sha: str, fits: Callable[[bytes], bool] = lambda _: True, *, examples: bool = False
) -> list[bytes]:
    """Name the files of product code in a tree that fit, by whole folders where all of a folder does.

    With `examples` also those of benchmarks, scripts and examples.
    """
    areas = (Area.PRODUCT, Area.BENCH) if examples else (Area.PRODUCT,)
    told = await view.run(["ls-tree", "-r", "-z", "--name-only", sha])
    every = [path for path in told.out.split(b"\0") if path]
    return _cover(every, {path for path in every if fits(path) and _is_of(areas, path)})


def _is_of(areas: Collection[Area], path: bytes) -> bool:
    return not path.lower().endswith(_UNREADABLE) and area(path.decode("utf-8", "replace")) in areas


def _cover(every: Iterable[bytes], wanted: set[bytes]) -> list[bytes]:
    """Name the largest folders of which everything is wanted, and the files of the others."""
    mixed: set[bytes] = set()
    for path in every:
        if path not in wanted:
            folder = path.rpartition(b"/")[0]
            while folder and folder not in mixed:
                mixed.add(folder)
                folder = folder.rpartition(b"/")[0]
    named = dict.fromkeys(_outermost(path, mixed) for path in sorted(wanted))
    if len(named) > _MOST_PATHS:
        named = dict.fromkeys(path.partition(b"/")[0] for path in named)
    return list(named)


def _outermost(path: bytes, mixed: set[bytes]) -> bytes:
    """Name the outermost folder of a path that is not mixed, or the path itself."""
    end = path.find(b"/")
    while end >= 0 and path[:end] in mixed:
        end = path.find(b"/", end + 1)
    return path if end < 0 else path[:end]


_MOST = 4_000_000
"""Bytes of lines that are read; whoever looks for a word that is everywhere does not need all of them."""
_LONGEST = 2_000
_GREP = ("grep", "--threads=1", "-I", "-F", "-w")
_SEARCHED = (0, 1)
"""How `git grep` ends: with something found, with nothing."""
_USAGE = re.compile(rb"[^\0\n]*?:([^\0]+)\0(\d+)\0([^\n]*)\n")
_ENTRY = re.compile(rb"\d+ blob ([0-9a-f]{40})\t")


async def lines_with(
    view: "View", sha: str, words: Sequence[str], where: Sequence[bytes] = ()
) -> tuple[tuple[str, str], ...]:
    """Find the lines of a commit's files that hold one of these words, each with its path; `where` names some files."""
    if not words:
        return ()
    named = [part for word in words for part in ("-e", word)]
    pieces: list[bytes] = []
    async with view.running([*_GREP, "--null", *named, sha, "--", *where]) as git:
        while sum(map(len, pieces)) < _MOST and (piece := await git.read()):
            pieces.append(piece)
    found = (line.partition(b"\0") for line in b"".join(pieces).split(b"\n") if b"\0" in line)
    return tuple((_path(name), line[:_LONGEST].decode("utf-8", "replace")) for name, _, line in found)


async def usages(view: "View", sha: str, name: str, *, path: str, limit: int) -> Usages:
    """Find the lines of a commit's files that hold an identifier, up to a limit; `path` is one file or folder."""
    command = [*_GREP, "-n", "--null", "-e", name, sha, "--", *([path] if path else [])]
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


async def tree_paths(view: "View", sha: str) -> frozenset[str]:
    """Name all files of a commit."""
    listed = await view.read(["ls-tree", "-r", "-z", "--name-only", sha])
    return frozenset(path.decode("utf-8", "replace") for path in listed.split(b"\0") if path)


async def words_in(view: "View", sha: str, words: Sequence[str]) -> frozenset[str]:
    """Tell which of these words the files of a commit hold as whole words, in any case."""
    left, found = {word.casefold() for word in words}, set[str]()
    if not left:
        return frozenset()
    patterns = "\n".join(sorted(left)).encode()
    command = [*_GREP, "-i", "-h", "-o", "-f", "-", sha]
    async with view.running(command, stdin=patterns) as git:
        rest = b""
        # A word that is everywhere need not be read to its end.
        while left and (piece := await git.read()):
            lines = (rest + piece).split(b"\n")
            rest = lines.pop()
            seen = {line.decode("utf-8", "replace").casefold() for line in set(lines)} & left
            found, left = found | seen, left - seen
    return frozenset(found)


async def read_file(view: "View", sha: str, path: str, fetch: Callable[[bytes], Awaitable[None]]) -> str | None:
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
        await fetch(blob[1])
        (found,) = await view.objects.contents([name])
        if found is None:
            raise UpstreamError(f"{path} at {sha[:12]}: its content is not in this repository", retryable=False)
    return found.content.decode("utf-8", "replace") if found.kind == b"blob" else None


def _path(name: bytes) -> str:
    """Take the commit away that git writes before the path."""
    return name.partition(b":")[2].decode("utf-8", "replace")


async def read_blobs(
    view: "View", change: Change, paths: Sequence[str]
) -> dict[str, tuple[bytes | None, bytes | None]]:
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


async def _read(view: "View", names: Sequence[str]) -> dict[str, bytes]:
    """Read everything in one go; what is missing or no file is left out."""
    found = await view.objects.contents([name.encode("utf-8", "replace") for name in names])
    return {name: one.content for name, one in zip(names, found, strict=True) if one and one.kind == b"blob"}
