"""Both versions of a changed file, as what they declare: from whole files where they are at hand, else from hunks."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from agent.domain.commits import FileChange, megabytes
from agent.domain.patch import Hunk, Patch, Side, read_patch
from tools.diff.declarations import Declaration, Language, Range, language_of, read_declarations
from tools.diff.manifests import ManifestEntry, Text, packages, python
from tools.diff.roles import is_generated, is_product, module_of

_INSIDE = b" \t\r\n)]}{#@:&|.*/+-"  # How a line may begin that does not begin a statement of the top level


_LONGEST = 20_000  # Bytes of a fragment beyond which it is read as it is: what comes as a whole file was not cut


def read_changed(
    text: bytes, language: Language, ranges: Sequence[Range]
) -> list[Declaration] | None:
    """Read what the changed lines of a whole file declare; None where a piece does not parse by itself."""
    found: list[Declaration] = []
    for first, piece, inside in _pieces(text.split(b"\n"), ranges):
        root = language.parse(piece)
        if root.has_error:
            return None
        found += shifted(read_declarations(piece, language, inside, root), first - 1)
    return found


def read_fragment(text: bytes, language: Language, ranges: Sequence[Range]) -> list[Declaration]:
    """Read what a hunk declares; where it does not parse as a whole, the pieces around its changed lines may."""
    root = language.parse(text)
    if len(text) > _LONGEST:
        return read_declarations(text, language, root=root)
    found: list[Declaration] = []
    for first, piece, inside in _pieces(text.split(b"\n"), ranges) if root.has_error else ():
        ended = _ended(piece, language)
        if ended is None:
            return read_declarations(text, language, root=root)
        found += shifted(read_declarations(*ended, ranges=inside), first - 1)
    return found if root.has_error else read_declarations(text, language, root=root)


def _ended(piece: bytes, language: Language) -> tuple[bytes, Language] | None:
    """End a piece that was cut inside a signature or a body, so that it parses; None where it does not."""
    opened = piece.count(b"(") - piece.count(b")")
    if language.name == "python":
        ending = b"    " + b")" * opened + b": pass\n" if opened > 0 else b"        pass\n"
    elif opened > 0:
        ending = b")" * opened + b" {}\n"
    else:
        ending = b"}" * max(piece.count(b"{") - piece.count(b"}"), 0) + b"\n"
    whole = next(
        (text for text in (piece, piece + ending) if not language.parse(text).has_error), None
    )
    return None if whole is None else (whole, language)


def shifted(declared: Sequence[Declaration], lines: int) -> list[Declaration]:
    """Count the lines of a piece as the file does."""
    return [
        replace(one, first=one.first + lines, last=one.last + lines, line=one.line + lines)
        for one in declared
    ]


def _pieces(
    lines: Sequence[bytes], ranges: Sequence[Range]
) -> Iterator[tuple[int, bytes, list[Range]]]:
    """Give each piece with its first line and the ranges in it, counted from its beginning."""
    spans: list[tuple[int, int, list[Range]]] = []
    for start, end in ranges:
        if spans and start <= spans[-1][1]:
            first, last, inside = spans[-1]
            inside.append((start, end))
            spans[-1] = (first, last if end <= last else _end(lines, end), inside)
        else:
            spans.append((_start(lines, start), _end(lines, end), [(start, end)]))
    for first, last, inside in spans:
        piece = b"\n".join(lines[first - 1 : last]) + b"\n"
        yield first, piece, [(start - first + 1, end - first + 1) for start, end in inside]


def _start(lines: Sequence[bytes], line: int) -> int:
    at = min(line, len(lines))
    while at > 1 and lines[at - 1][:1] in _INSIDE:
        at -= 1
    while at > 1 and lines[at - 2][:1] == b"@":
        at -= 1
    return max(at, 1)


def _end(lines: Sequence[bytes], line: int) -> int:
    """Go down to the line before the next statement; a comment or decorator belongs to the statement below it."""
    at = line + 1
    if lines[min(line, len(lines)) - 1].lstrip().startswith((b"/", b"*", b"#", b"@")):
        while at <= len(lines) and lines[at - 1][:1] in _INSIDE:
            at += 1
        at += 1
    while at <= len(lines) and lines[at - 1][:1] in _INSIDE:
        at += 1
    return min(at - 1, len(lines))


Blobs = Mapping[str, tuple[bytes | None, bytes | None]]
"""The old and the new content of a file, by its new path; None on the side where it does not exist."""
LARGEST_FILE = 2_000_000
_MAX_DECLARATIONS = 100_000  # Of one commit: tables in code have one on each line
LARGEST_COMMIT = 12_000_000  # Bytes that are parsed of one file and of one commit; what is beyond is listed as skipped


_SUBMODULE = re.compile(rb"Subproject commit [0-9a-f]{40,64}(?:-dirty)?\s*")
_READERS: tuple[tuple[str, Callable[[Text], Iterator[ManifestEntry]]], ...] = (
    (r"pyproject[^/]*\.toml", python.read_pyproject),
    (r"setup\.py", python.read_setup),
    (r"[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)", python.read_requirements),
    (r"requirements/(?:.+/)?[^/]+\.(?:txt|in)", python.read_requirements),
    (r"Cargo\.toml", packages.read_cargo),
    (r"package\.json", packages.read_package_json),
    (r"go\.mod", packages.read_go_mod),
    (r"CMakeLists\.txt|[^/]+\.cmake", packages.read_cmake),
    (
        r"(?:Docker|Container)file[^/]*|[^/]+\.(?:Docker|docker|Container)file",
        packages.read_dockerfile,
    ),
    (
        r"(?:[\w-]+[-_])?(?:version|VERSION)(?:\.txt)?|_?version\.py|__(?:version|about)__\.py",
        packages.read_version,
    ),
)
_BY_PATH = tuple((re.compile(rf"(?:.*/)?(?:{pattern})"), reader) for pattern, reader in _READERS)


def is_manifest(path: str) -> bool:
    """Tell a file that one of the readers reads."""
    return any(pattern.fullmatch(path) for pattern, _ in _BY_PATH)


def read_manifest(path: str, text: bytes) -> list[Declaration] | None:
    """Give what one version of a manifest declares, or a fragment of it; None for a file that is none."""
    if _SUBMODULE.fullmatch(text):
        # This is what git prints in the place of a submodule's content.
        return _declared(
            text,
            [ManifestEntry("dependency", path, 1, 1, parts={"version": text.split()[-1].decode()})],
        )
    reader = next((reader for pattern, reader in _BY_PATH if pattern.fullmatch(path)), None)
    if reader is None:
        return None
    # What a tool resolved says nothing of what the project asks for.
    if is_generated(path, text) or len(text) > LARGEST_FILE:
        return []
    return _declared(text, sorted(reader(Text(path, text)), key=lambda one: one.first))


def _declared(text: bytes, entries: Iterable[ManifestEntry]) -> list[Declaration]:
    starts = list(accumulate((len(row) + 1 for row in text.split(b"\n")), initial=0))
    counts: dict[tuple[str, str], int] = {}
    found: list[Declaration] = []
    for one in entries:
        position = counts[one.kind, one.owner] = counts.get((one.kind, one.owner), -1) + 1
        start, end = starts[one.first - 1], starts[one.last] - 1
        place = (one.kind, one.name, one.first, one.last, one.first, one.owner, one.parts)
        found.append(Declaration(*place, position=position, source=text, start=start, end=end))
    return found


@dataclass(frozen=True)
class Versions:
    """A changed file with what both of its versions declare."""

    file: FileChange
    patch: Patch
    old: Sequence[Declaration] = ()
    new: Sequence[Declaration] = ()
    texts: tuple[bytes, ...] = ()  # Both versions as a whole, where they are at hand

    @property
    def module(self) -> str:
        """The module of the file; both sides of a renamed file have the new name."""
        return module_of(self.file.path)

    def has_elsewhere(self, one: Declaration, side: Side) -> bool:
        """Tell whether the other version declares the same, in lines that did not change."""
        if not self.texts:
            return False
        text = self.texts[1 if side == "old" else 0]
        name = one.name.encode("utf-8", "replace")
        if name not in text or not re.search(rb"(?<!\w)%b(?!\w)" % re.escape(name), text):
            return False
        return (one.kind, one.path) in (self._all_new if side == "old" else self._all_old)

    @cached_property
    def _all_old(self) -> frozenset[tuple[str, str]]:
        return self._all(self.texts[0])

    @cached_property
    def _all_new(self) -> frozenset[tuple[str, str]]:
        return self._all(self.texts[1])

    def _all(self, text: bytes) -> frozenset[tuple[str, str]]:
        language = language_of(self.file.path)
        return (
            frozenset((one.kind, one.path) for one in read_declarations(text, language))
            if language
            else frozenset()
        )


def is_read(file: FileChange) -> bool:
    """Say whether a file is read for declarations: what users get is, tests, examples and documents are not."""
    return file.patch is not None and is_product(file.path)


def needs_blobs(file: FileChange) -> bool:
    """Say whether whole versions of a file tell more than its patch."""
    partly = file.status not in ("added", "removed")
    return (
        partly and is_read(file) and (language_of(file.path) is not None or is_manifest(file.path))
    )


def read_versions(
    files: Sequence[FileChange], blobs: Blobs, skipped: list[str], largest: int = LARGEST_COMMIT
) -> Iterator[Versions]:
    """Read every file that can declare something; what is too large or malformed is said."""
    bytes_left = largest
    declarations_left = _MAX_DECLARATIONS
    for file in files:
        if file.omitted and is_product(file.path):
            skipped.append(f"{file.path}: too large to be read ({megabytes(file.omitted)})")
        if not is_read(file):
            continue
        both = blobs.get(file.path, ())
        size = max(len(file.patch or ""), *(len(blob or b"") for blob in both), 0)
        bytes_left -= size
        if size > LARGEST_FILE or bytes_left < 0 or declarations_left < 0:
            skipped.append(f"{file.path}: too large to be read")
            yield Versions(file, Patch())
            continue
        patch = read_patch(file.patch)
        if patch.problem:
            skipped.append(f"{file.path}: {patch.problem}")
        versions = _read(file, patch, blobs.get(file.path))
        declarations_left -= len(versions.old) + len(versions.new)
        yield versions


def _read(
    file: FileChange, patch: Patch, blobs: tuple[bytes | None, bytes | None] | None
) -> Versions:
    old_path = file.previous_path or file.path
    if blobs is None or file.status in ("added", "removed"):
        return Versions(
            file, patch, _fragments(old_path, patch, "old"), _fragments(file.path, patch, "new")
        )
    paths, texts = (old_path, file.path), tuple(blob or b"" for blob in blobs)
    manifests = (read_manifest(path, text) or [] for path, text in zip(paths, texts, strict=True))
    old, new = (
        one + other for one, other in zip(manifests, _code(paths, texts, patch), strict=True)
    )
    return Versions(file, patch, old, new, texts)


def _code(
    paths: tuple[str, str], texts: tuple[bytes, ...], patch: Patch
) -> list[list[Declaration]]:
    """Read both versions of code where lines changed: by pieces, or both as a whole, so that they can be compared."""
    language = language_of(paths[1])
    ranges = (patch.ranges("old"), patch.ranges("new"))
    if language is None or not any(ranges):
        return [[], []]
    both = list(zip(texts, ranges, strict=True))
    if language.name != "cpp":
        # In C++ the namespaces around a piece are part of its names.
        pieces = [read_changed(text, language, lines) for text, lines in both]
        if (read := [one for one in pieces if one is not None]) == pieces:
            return read
    return [read_declarations(text, language, lines) for text, lines in both]


def _fragments(path: str, patch: Patch, side: Side) -> list[Declaration]:
    """Read one side of each hunk by itself; a file that came or went as a whole is one hunk."""
    return [one for hunk in patch.hunks for one in _fragment(path, hunk, side)]


def _fragment(path: str, hunk: Hunk, side: Side) -> list[Declaration]:
    lines = hunk.side(side)
    if not lines:
        return []
    text = ("\n".join(lines) + "\n").encode("utf-8", "replace")
    above = hunk.start(side) - 1
    found = shifted(read_manifest(path, text) or [], above)
    language = language_of(path)
    if language is None:
        return found
    if language.name == "python" and hunk.heading.endswith(":") and lines[0][:1] in (" ", "\t"):
        # The class or function that the hunk stands in, as git names it.
        text = f"{hunk.heading}\n".encode("utf-8", "replace") + text
        above -= 1
    changed = [(first - above, last - above) for first, last in Patch((hunk,)).ranges(side)]
    return found + shifted(read_fragment(text, language, changed), above)
