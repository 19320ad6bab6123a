"""Files of a whole tree: read, listed, and the lines in them that hold certain words."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from agent.domain.base import UpstreamError
from agent.domain.commits import Change
from agent.ports import Usage, Usages
from agent.triage.conventions import Area, area
from tools.git.log import Opened
from tools.git.patch import versions_of

if TYPE_CHECKING:
    from tools.git.view import View

_UNREADABLE = (
    *(
        b".png",
        b".jpg",
        b".jpeg",
        b".gif",
        b".bmp",
        b".ico",
        b".webp",
        b".pdf",
        b".woff",
        b".woff2",
        b".ttf",
        b".json",
    ),
    *(
        b".zip",
        b".gz",
        b".xz",
        b".zst",
        b".bz2",
        b".tar",
        b".whl",
        b".so",
        b".a",
        b".o",
        b".dll",
        b".lib",
        b".exe",
    ),
    *(
        b".bin",
        b".bc",
        b".gguf",
        b".onnx",
        b".pt",
        b".safetensors",
        b".npy",
        b".npz",
        b".mp3",
        b".mp4",
        b".wav",
    ),
)
"""How files end that have no lines of code; git finds that out only after unpacking them."""
_MAX_BLOB = 8_000_000  # Bytes of a version of a file that is read as a whole
_MOST_PATHS = 1_000  # More paths than that cost git more than what it leaves out


_MOST = 4_000_000  # Bytes of lines that are read; whoever looks for a word that is everywhere does not need all of them
_LONGEST = 2_000
_GREP = ("grep", "--threads=1", "-I", "-F", "-w")
_GREP_ANY = ("grep", "--threads=1", "-I", "-E", "-w")
_MOST_OF_NAMES = 40_000_000  # Bytes of lines that are read when many names are searched for
_SEARCHED = (0, 1)  # How `git grep` ends: with something found, with nothing
_USAGE = re.compile(rb"[^\0\n]*?:([^\0]+)\0(\d+)\0([^\n]*)\n")
_ENTRY = re.compile(rb"\d+ blob ([0-9a-f]{40})\t")


class Trees(Opened):
    """Reads and searches the files of commits."""

    async def _fetch(self, *blobs: bytes) -> None:
        raise NotImplementedError

    async def blobs(
        self, change: Change, paths: Sequence[str]
    ) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        """Return both versions of these files of a change; None for a version that is not there.

        A file of which a version is very large is left out.
        """
        versions = versions_of(change, paths)
        names = [name for pair in versions.values() for name in pair if name and "\n" not in name]
        objects = (await self._view()).objects
        sizes: dict[str, int] = {}
        for name, known in zip(names, await objects.known(_encoded(names)), strict=True):
            if known is not None and known.kind == b"blob":
                sizes[name] = known.size
        readable = [name for name, size in sizes.items() if size <= _MAX_BLOB]
        contents: dict[str, bytes] = {}
        for name, read in zip(readable, await objects.contents(_encoded(readable)), strict=True):
            if read is not None:
                contents[name] = read.content
        blobs: dict[str, tuple[bytes | None, bytes | None]] = {}
        for path, (old, new) in versions.items():
            if max(sizes.get(old or "", 0), sizes.get(new or "", 0)) <= _MAX_BLOB:
                blobs[path] = (contents.get(old or ""), contents.get(new or ""))
        return blobs

    async def file(self, sha: str, path: str) -> str | None:
        """Read a file as it stands at a commit, fetched where a partial clone lacks it; None where there is none."""
        # Git would take these for something else than a path below the root.
        if "\n" in path or any(part in ("", ".", "..") for part in path.split("/")):
            return None
        name = f"{sha}:{path}".encode("utf-8", "replace")
        view = await self._view()
        (found,) = await view.objects.contents([name])
        if found is None:
            blob = _ENTRY.match(await view.read(["ls-tree", sha, "--", path]))
            if blob is None:
                return None
            await self._fetch(blob[1])
            (found,) = await view.objects.contents([name])
            if found is None:
                raise UpstreamError(
                    f"{path} at {sha[:12]}: its content is not in this repository", retryable=False
                )
        return _text(found.content) if found.kind == b"blob" else None

    async def lines_with(
        self, sha: str, words: Sequence[str], *, called: str = ""
    ) -> tuple[tuple[str, str], ...]:
        """Find the lines of a commit's product code that hold one of these words; none in a partial clone.

        With `called` only in files of that name; without it also in benchmarks, scripts and examples.
        """
        if not words or (await self._open()).promisor is not None:
            return ()
        view = await self._view()
        areas = (Area.PRODUCT,) if called else (Area.PRODUCT, Area.BENCH)
        where = await _product_paths(view, sha, f"/{called}".encode() if called else b"", areas)
        named = [part for word in words for part in ("-e", word)]
        pieces: list[bytes] = []
        if not where:
            return ()
        async with view.running([*_GREP, "--null", *named, sha, "--", *where]) as git:
            while sum(map(len, pieces)) < _MOST and (piece := await git.read()):
                pieces.append(piece)
        found = (line.partition(b"\0") for line in b"".join(pieces).split(b"\n") if b"\0" in line)
        return tuple(
            (_text(name.partition(b":")[2]), _text(line[:_LONGEST])) for name, _, line in found
        )

    async def usages(
        self, sha: str, name: str, *, path: str = "", limit: int = 200
    ) -> Usages | None:
        """Find the lines that hold an identifier, in one file or folder or in all; None in a partial clone."""
        if (await self._open()).promisor is not None:
            return None
        command = [*_GREP, "-n", "--null", "-e", name, sha, "--", *([path] if path else [])]
        output = b""
        async with (await self._view()).running(command) as git:
            while output.count(b"\n") <= limit and len(output) < _MOST:
                if not (piece := await git.read()):
                    finished = await git.finish()
                    if finished.code not in _SEARCHED:
                        raise UpstreamError(f"git grep: {finished.reason}", retryable=False)
                    break
                output += piece
        found = [
            Usage(path=_text(where), line=int(line), text=_text(text[:_LONGEST]))
            for where, line, text in _USAGE.findall(output)
        ]
        return Usages(found=tuple(found[:limit]), more=len(found) > limit)

    async def usages_of(
        self, sha: str, names: Sequence[str], *, limit: int = 200
    ) -> Mapping[str, Usages] | None:
        """Find the lines that hold any of some identifiers in one search.

        What a partial clone lacks of the tree's text files is fetched first; None where it cannot be.
        """
        if not names:
            return {}
        if not await self._has_tree(sha):
            return None
        # One pattern of alternatives: git tries several patterns one after the other on every line.
        alternatives = "|".join(map(_escaped, names))
        pattern = f"({alternatives})"
        command = [*_GREP_ANY, "-n", "--null", "-e", pattern, sha, "--"]
        output: list[bytes] = []
        async with (await self._view()).running(command) as git:
            while sum(map(len, output)) < _MOST_OF_NAMES and (piece := await git.read()):
                output.append(piece)
        return _by_name(names, b"".join(output), limit)

    async def _has_tree(self, sha: str) -> bool:
        """Fetch what a partial clone lacks of the text files of a tree; False where that fails."""
        if (await self._open()).promisor is None:
            return True
        view = await self._view()
        listing = await view.read(["ls-tree", "-r", "-z", sha])
        blobs = [
            entry[1]
            for line in listing.split(b"\0")
            if (entry := _ENTRY.match(line)) and not line.lower().endswith(_UNREADABLE)
        ]
        present = await view.objects.known(blobs)
        missing = [blob for blob, known in zip(blobs, present, strict=True) if known is None]
        if not missing:
            return True
        try:
            await self._fetch(*missing)
        except UpstreamError:
            return False
        return True


def _by_name(names: Sequence[str], output: bytes, limit: int) -> dict[str, Usages]:
    """Sort the lines that git found by the names they hold, up to a limit each."""
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    hits: dict[str, list[Usage]] = {name: [] for name in names}
    for path, line, text in _USAGE.findall(output):
        line_text = _text(text[:_LONGEST])
        for name in dict.fromkeys(pattern.findall(line_text)):
            if len(hits[name]) <= limit:
                hits[name].append(Usage(path=_text(path), line=int(line), text=line_text))
    usages: dict[str, Usages] = {}
    for name, found in hits.items():
        usages[name] = Usages(found=tuple(found[:limit]), more=len(found) > limit)
    return usages


def _escaped(name: str) -> str:
    """Escape a name for POSIX's extended regular expressions."""
    return re.sub(r"([^\w-])", r"\\\1", name)


async def _product_paths(
    view: "View", sha: str, end: bytes, areas: Collection[Area]
) -> list[bytes]:
    """Name the files of product code in a tree that end so, by whole folders where all of a folder does.

    Data is left out: a third of some trees is tables of what ran fastest.
    """
    told = await view.run(["ls-tree", "-r", "-z", "--name-only", sha])
    every = [path for path in told.out.split(b"\0") if path]
    wanted = {
        path for path in every if path.endswith(end) and not path.lower().endswith(_UNREADABLE)
    }
    return _cover(every, {path for path in wanted if area(_text(path)) in areas})


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
    end = path.find(b"/")
    while end >= 0 and path[:end] in mixed:
        end = path.find(b"/", end + 1)
    return path if end < 0 else path[:end]


def _encoded(names: Iterable[str]) -> list[bytes]:
    return [name.encode("utf-8", "replace") for name in names]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
