"""The reading and the search of a whole tree: its files are read, listed, and searched for words."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from agent.domain.commits import Change
from agent.domain.errors import UpstreamError
from agent.ports import Usage, Usages
from agent.triage.title_conventions import Area, area
from tools.diff.file_roles import is_for_users
from tools.git.diff_parser import versions_of
from tools.git.log import Opened

if TYPE_CHECKING:
    from tools.git.isolated_repository import View

_UNREADABLE = tuple(
    (
        b".png .jpg .jpeg .gif .bmp .ico .webp .pdf .woff .woff2 .ttf .json .zip .gz .xz "
        b".zst .bz2 .tar .whl .so .a .o .dll .lib .exe .bin .bc .gguf .onnx .pt "
        b".safetensors .npy .npz .mp3 .mp4 .wav"
    ).split()
)
"""Extensions of files without lines of code; git finds that out only after unpacking them."""
_MAX_BLOB_BYTES = 8_000_000  # A larger version of a file is not read
_MAX_PATHS = 1_000  # More paths cost git more than what it leaves out
_MAX_GREP_BYTES = 4_000_000  # Nobody needs all lines with a word that is everywhere
_MAX_LINE_BYTES = 2_000
_MAX_GREP_BYTES_OF_NAMES = 40_000_000  # When many names are searched for at once
_GREP = ("grep", "--threads=1", "-I", "-F", "-w")
_GREP_ANY = ("grep", "--threads=1", "-I", "-E", "-w")
# Three times as fast where names are common, but not every git was built with it.
_GREP_PERL = ("grep", "--threads=1", "-I", "-P", "--null")
# Only what matches is printed, so that a common name is not the end of the search.
_GREP_SPELLINGS = ("grep", "--threads=1", "-I", "-F", "-i", "-h", "-o")
_CAMEL_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GREP_STATUS = (0, 1)  # Lines were found, or none
_USAGE = re.compile(rb"[^\0\n]*?:([^\0]+)\0(\d+)\0([^\n]*)\n")
_TREE_ENTRY = re.compile(rb"\d+ blob ([0-9a-f]{40})\t")


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
        names: list[str] = []
        for pair in versions.values():
            names += [name for name in pair if name and "\n" not in name]
        sizes = await self._sizes(names)
        readable = [name for name, size in sizes.items() if size <= _MAX_BLOB_BYTES]
        contents = await self._contents_of(readable)
        blobs: dict[str, tuple[bytes | None, bytes | None]] = {}
        for path, (old, new) in versions.items():
            if max(sizes.get(old or "", 0), sizes.get(new or "", 0)) <= _MAX_BLOB_BYTES:
                blobs[path] = (contents.get(old or ""), contents.get(new or ""))
        return blobs

    async def _sizes(self, names: Sequence[str]) -> dict[str, int]:
        """Return the sizes of the blobs that are here."""
        objects = (await self._view()).objects
        sizes: dict[str, int] = {}
        for name, blob in zip(names, await objects.known(_encoded(names)), strict=True):
            if blob is not None and blob.kind == b"blob":
                sizes[name] = blob.size
        return sizes

    async def _contents_of(self, names: Sequence[str]) -> dict[str, bytes]:
        objects = (await self._view()).objects
        contents: dict[str, bytes] = {}
        for name, blob in zip(names, await objects.contents(_encoded(names)), strict=True):
            if blob is not None:
                contents[name] = blob.content
        return contents

    async def file(self, sha: str, path: str) -> str | None:
        """Return a file as it is at a commit, or None; what a partial clone lacks is fetched."""
        # Git would not take these for a path below the root.
        if "\n" in path or any(part in ("", ".", "..") for part in path.split("/")):
            return None
        name = f"{sha}:{path}".encode("utf-8", "replace")
        view = await self._view()
        (git_object,) = await view.objects.contents([name])
        if git_object is None:
            if not await _has_path(view, sha, path):
                return None
            entry = _TREE_ENTRY.match(await view.read(["ls-tree", sha, "--", path]))
            if entry is None:
                return None
            await self._fetch(entry[1])
            (git_object,) = await view.objects.contents([name])
        if git_object is None:
            problem = f"{path} at {sha[:12]}: its content is not in this repository"
            raise UpstreamError(problem, retryable=False)
        if git_object.kind != b"blob":
            return None
        return _text(git_object.content)

    async def lines_with(
        self, sha: str, words: Sequence[str], *, called: str = "", tests: bool = False
    ) -> tuple[tuple[str, str], ...]:
        """Return the lines of a commit's product code with one of these words, as path and line.

        With `called` only files of that name are searched; without it also benchmarks, scripts and
        examples. With `tests` the tests are searched instead. A partial clone is not searched.
        """
        if not words or (await self._open()).promisor is not None:
            return ()
        view = await self._view()
        areas: tuple[Area, ...] = (Area.PRODUCT, Area.BENCH)
        if tests:
            areas = (Area.TESTS,)
        elif called:
            areas = (Area.PRODUCT,)
        ending = f"/{called}".encode() if called else b""
        paths = await _code_paths(view, sha, ending, areas)
        return await _lines_in(view, sha, words, paths)

    async def document_lines(
        self, sha: str, words: Sequence[str]
    ) -> tuple[tuple[str, str], ...] | None:
        """Return the lines of a commit's documents and examples with one of these words.

        What is written for contributors is left out. None in a partial clone, which is not searched.
        """
        if (await self._open()).promisor is not None:
            return None
        view = await self._view()
        return await _lines_in(view, sha, words, await _document_paths(view, sha))

    async def usages(
        self, sha: str, name: str, *, path: str = "", limit: int = 200
    ) -> Usages | None:
        """Return the lines with an identifier, in one file or folder or in all.

        Return None in a partial clone, which cannot be searched.
        """
        if (await self._open()).promisor is not None:
            return None
        command = [*_GREP, "-n", "--null", "-e", name, sha, "--", *([path] if path else [])]
        output = b""
        async with (await self._view()).running(command) as git:
            while output.count(b"\n") <= limit and len(output) < _MAX_GREP_BYTES:
                piece = await git.read()
                if not piece:
                    finished = await git.finish()
                    if finished.code not in _GREP_STATUS:
                        raise UpstreamError(f"git grep: {finished.reason}", retryable=False)
                    break
                output += piece
        usages: list[Usage] = []
        for file, line, text in _USAGE.findall(output):
            shown_text = _text(text[:_MAX_LINE_BYTES])
            usages.append(Usage(path=_text(file), line=int(line), text=shown_text))
        return Usages(found=tuple(usages[:limit]), more=len(usages) > limit)

    async def usages_of(
        self, sha: str, names: Sequence[str], *, limit: int = 200
    ) -> Mapping[str, Usages] | None:
        """Return the lines that hold any of some identifiers, found in one search.

        What a partial clone lacks of the tree's text files is fetched first; return None if it
        cannot be.
        """
        if not names:
            return {}
        if not await self._has_tree(sha):
            return None
        # One pattern of alternatives: git tries several patterns one after the other on every line.
        alternatives = "|".join(_escaped(name) for name in names)
        command = [*_GREP_ANY, "-n", "--null", "-e", f"({alternatives})", sha, "--"]
        pieces: list[bytes] = []
        size = 0
        async with (await self._view()).running(command) as git:
            while size < _MAX_GREP_BYTES_OF_NAMES:
                piece = await git.read()
                if not piece:
                    break
                pieces.append(piece)
                size += len(piece)
        return _by_name(names, b"".join(pieces), limit)

    async def names_in_tree(
        self, sha: str, names: Sequence[str], paths: Sequence[str] = ()
    ) -> frozenset[str] | None:
        """Return which of some names stand in the text files or the paths of a commit.

        With `paths` only these files and folders are searched.

        Case, hyphens and underscores do not matter: `--max-batch` is `max_batch` and `maxBatch`.
        Return None in a partial clone, or where the lines with the names are too many to be read.
        """
        if not names:
            return frozenset()
        if (await self._open()).promisor is not None:
            return None
        view = await self._view()
        spellings: dict[str, None] = {}
        for name in names:
            spellings |= dict.fromkeys(_spellings(name))
        command = [*_GREP_SPELLINGS]
        for spelling in spellings:
            command += ["-e", spelling]
        pieces: list[bytes] = []
        size = 0
        async with view.running([*command, sha, "--", *paths]) as git:
            while piece := await git.read():
                pieces.append(piece)
                size += len(piece)
                if size > _MAX_GREP_BYTES:
                    return None
            finished = await git.finish()
            if finished.code not in _GREP_STATUS:
                raise UpstreamError(f"git grep: {finished.reason}", retryable=False)
        listing = await view.read(["ls-tree", "-r", "-z", "--name-only", sha, "--", *paths])
        text = without_joints(_text(b"".join(pieces) + listing))
        return frozenset(name for name in names if without_joints(name) in text)

    async def _has_tree(self, sha: str) -> bool:
        """Fetch what a partial clone lacks of a tree's text files; return False if that fails."""
        if (await self._open()).promisor is None:
            return True
        view = await self._view()
        listing = await view.read(["ls-tree", "-r", "-z", sha])
        blobs: list[bytes] = []
        for line in listing.split(b"\0"):
            entry = _TREE_ENTRY.match(line)
            if entry is not None and not line.lower().endswith(_UNREADABLE):
                blobs.append(entry[1])
        git_objects = await view.objects.known(blobs)
        missing: list[bytes] = []
        for blob, git_object in zip(blobs, git_objects, strict=True):
            if git_object is None:
                missing.append(blob)
        if not missing:
            return True
        try:
            await self._fetch(*missing)
        except UpstreamError:
            return False
        return True


async def _has_path(view: "View", sha: str, path: str) -> bool:
    """Return False if a folder is at hand in which a path would go on, and does not.

    The trees come from the process that stays running; `git ls-tree` would be one more.
    """
    folder = f"{sha}:"
    for name in path.split("/"):
        (tree,) = await view.objects.contents([folder.encode("utf-8", "replace")])
        if tree is None or tree.kind != b"tree":
            return True  # Nobody knows yet
        if b" %s\0" % name.encode("utf-8", "replace") not in tree.content:
            return False
        folder += f"{name}/"
    return True


def without_joints(name: str) -> str:
    """Return a name in lower case without hyphens and underscores."""
    return name.lower().replace("-", "").replace("_", "")


def _spellings(name: str) -> list[str]:
    """Return how a name may be written, with each of its words joined in the same way."""
    words = [word for word in re.split("[-_]", _CAMEL_BORDER.sub("_", name)) if word]
    return [name, *(joint.join(words) for joint in ("_", "-", ""))]


def _by_name(names: Sequence[str], output: bytes, limit: int) -> dict[str, Usages]:
    """Return the lines that git found by the names they hold, up to a limit each."""
    longest_first = sorted(names, key=len, reverse=True)
    alternatives = "|".join(re.escape(name) for name in longest_first)
    pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")
    usages: dict[str, list[Usage]] = {name: [] for name in names}
    for path, line, text in _USAGE.findall(output):
        line_text = _text(text[:_MAX_LINE_BYTES])
        for name in dict.fromkeys(pattern.findall(line_text)):
            if len(usages[name]) <= limit:
                usages[name].append(Usage(path=_text(path), line=int(line), text=line_text))
    limited: dict[str, Usages] = {}
    for name, lines in usages.items():
        limited[name] = Usages(found=tuple(lines[:limit]), more=len(lines) > limit)
    return limited


def _grep_patterns(words: Iterable[str]) -> list[str]:
    """Return the options by which git finds lines with one of these words, in few patterns.

    Git tries each pattern on every line, so words share a pattern as its alternatives. It takes
    the longest alternative only, so a word and its beginning are in different patterns.
    """
    groups: list[list[str]] = []
    for word in sorted(set(words)):
        for group in groups:
            # In sorted order the latest word of a group is the only one that can begin this one.
            if not word.startswith(group[-1]):
                group.append(word)
                break
        else:
            groups.append([word])
    patterns: list[str] = []
    for group in groups:
        alternatives = "|".join(_escaped(word) for word in group)
        patterns += ["-e", f"({alternatives})"]
    return patterns


def _escaped(name: str) -> str:
    """Escape a name for regular expressions, both POSIX's extended and Perl's."""
    return re.sub(r"([^\w-])", r"\\\1", name)


async def _lines_in(
    view: "View", sha: str, words: Sequence[str], paths: Sequence[bytes]
) -> tuple[tuple[str, str], ...]:
    """Return the lines of some files and folders with one of these words, as path and line."""
    if not words or not paths:
        return ()
    where: list[str | bytes] = [sha, "--", *paths]
    output = await _first_output(view, [*_GREP_PERL, "-e", _perl_pattern(words), *where])
    if output is None:
        posix = [*_GREP_ANY, "--null", *_grep_patterns(words), *where]
        output = await _first_output(view, posix) or b""
    lines: list[tuple[str, str]] = []
    for record in output.split(b"\n"):
        name, separator, line = record.partition(b"\0")
        if separator:
            path = name.partition(b":")[2]
            lines.append((_text(path), _text(line[:_MAX_LINE_BYTES])))
    return tuple(lines)


async def _first_output(view: "View", command: Sequence[str | bytes]) -> bytes | None:
    """Return what a search prints, up to a limit; None if it failed before it printed anything."""
    output = b""
    async with view.running(command) as git:
        while len(output) < _MAX_GREP_BYTES:
            piece = await git.read()
            if not piece:
                is_refused = not output and (await git.finish()).code not in _GREP_STATUS
                return None if is_refused else output
            output += piece
    return output


def _perl_pattern(words: Iterable[str]) -> str:
    """Return a pattern for lines with one of these words."""
    alternatives = "|".join(_escaped(word) for word in sorted(set(words)))
    return rf"(?<!\w)(?:{alternatives})(?!\w)"


async def _document_paths(view: "View", sha: str) -> list[bytes]:
    """Return the documents and examples of a tree, as whole folders where possible."""
    finished = await view.run(["ls-tree", "-r", "-z", "--name-only", sha])
    all_paths = [path for path in finished.out.split(b"\0") if path]
    searched: set[bytes] = set()
    for path in all_paths:
        if not path.lower().endswith(_UNREADABLE) and is_for_users(_text(path)):
            searched.add(path)
    return cover(all_paths, searched)


async def _code_paths(view: "View", sha: str, end: bytes, areas: Collection[Area]) -> list[bytes]:
    """Return the code of a tree in some areas and with this ending, as whole folders where possible.

    Data is left out: a third of some trees is tables of what ran fastest.
    """
    finished = await view.run(["ls-tree", "-r", "-z", "--name-only", sha])
    all_paths = [path for path in finished.out.split(b"\0") if path]
    searched: set[bytes] = set()
    for path in all_paths:
        if not path.endswith(end) or path.lower().endswith(_UNREADABLE):
            continue
        if area(_text(path)) in areas:
            searched.add(path)
    return cover(all_paths, searched)


def cover(all_paths: Iterable[bytes], searched: set[bytes]) -> list[bytes]:
    """Return the largest folders with nothing but searched files, and the files of the others."""
    mixed: set[bytes] = set()
    for path in all_paths:
        if path not in searched:
            folder = path.rpartition(b"/")[0]
            while folder and folder not in mixed:
                mixed.add(folder)
                folder = folder.rpartition(b"/")[0]
    cover = dict.fromkeys(_outermost(path, mixed) for path in sorted(searched))
    if len(cover) > _MAX_PATHS:
        cover = dict.fromkeys(path.partition(b"/")[0] for path in cover)
    return list(cover)


def _outermost(path: bytes, mixed: set[bytes]) -> bytes:
    end = path.find(b"/")
    while end >= 0 and path[:end] in mixed:
        end = path.find(b"/", end + 1)
    return path if end < 0 else path[:end]


def _encoded(names: Iterable[str]) -> list[bytes]:
    return [name.encode("utf-8", "replace") for name in names]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
