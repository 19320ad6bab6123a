"""The declarations of a changed file in both versions, read from whole files, else from hunks."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from agent.domain.commits import FileChange, megabytes
from agent.domain.patch import Hunk, Patch, Side, read_patch
from tools.diff.changed_runs import hidden_lines
from tools.diff.declaration_reader import (
    Declaration,
    Language,
    Range,
    language_of,
    read_declarations,
)
from tools.diff.file_roles import Role, is_beside_product, is_generated, is_product, module_of, role
from tools.diff.manifests import ManifestEntry, Text, non_python, python
from tools.diff.statement_texts import statements_with

_MAX_CUT = 20_000  # Bytes of a fragment that may be cut; a longer one came as a whole file


def read_changed(
    text: bytes, language: Language, ranges: Sequence[Range]
) -> list[Declaration] | None:
    """Return what the changed lines of a whole file declare; None where a piece does not parse."""
    declarations: list[Declaration] = []
    for piece in statements_with(text.split(b"\n"), ranges):
        root = language.parse(piece.text)
        if root.has_error or (piece.is_in_string and language.name == "python"):
            return None
        in_piece = read_declarations(piece.text, language, piece.ranges, root)
        declarations += shifted(in_piece, piece.first - 1)
    return declarations


def read_fragment(text: bytes, language: Language, ranges: Sequence[Range]) -> list[Declaration]:
    """Return what a hunk declares; where it does not parse, what the pieces around its changes do."""
    root = language.parse(text)
    if len(text) > _MAX_CUT or not root.has_error:
        return read_declarations(text, language, root=root)
    declarations: list[Declaration] = []
    for piece in statements_with(text.split(b"\n"), ranges):
        ended = _ended(piece.text, language)
        if ended is None:
            return read_declarations(text, language, root=root)
        in_piece = read_declarations(ended, language, piece.ranges)
        declarations += shifted(in_piece, piece.first - 1)
    return declarations


def _ended(piece: bytes, language: Language) -> bytes | None:
    """Return a piece that was cut inside a signature or a body with an end; None if it cannot parse."""
    opened = piece.count(b"(") - piece.count(b")")
    if language.name == "python":
        ending = b"    " + b")" * opened + b": pass\n" if opened > 0 else b"        pass\n"
    elif opened > 0:
        ending = b")" * opened + b" {}\n"
    else:
        ending = b"}" * max(piece.count(b"{") - piece.count(b"}"), 0) + b"\n"
    for text in (piece, piece + ending):
        if not language.parse(text).has_error:
            return text
    return None


def shifted(declarations: Sequence[Declaration], lines: int) -> list[Declaration]:
    """Return the declarations of a piece with the line numbers of the file."""
    moved: list[Declaration] = []
    for declaration in declarations:
        first = declaration.first + lines
        last = declaration.last + lines
        line = declaration.line + lines
        moved.append(replace(declaration, first=first, last=last, line=line))
    return moved


Blobs = Mapping[str, tuple[bytes | None, bytes | None]]
"""The old and the new content of a file, by its new path; None on the side where it does not exist."""
LARGEST_FILE = 2_000_000  # Bytes of a file that is parsed
_MAX_DECLARATIONS = 100_000  # Of one commit: tables in code have one on each line
LARGEST_COMMIT = (
    12_000_000  # Bytes that are parsed of a commit; what is beyond is listed as skipped
)
_SUBMODULE = re.compile(rb"Subproject commit [0-9a-f]{40,64}(?:-dirty)?\s*")
_PIN_LINE = re.compile(r"^[+-]Subproject commit [0-9a-f]{40}", re.MULTILINE)
_READERS: tuple[tuple[str, Callable[[Text], Iterator[ManifestEntry]]], ...] = (
    (r"pyproject[^/]*\.toml", python.read_pyproject),
    (r"setup(?:_\w+)?\.py", python.read_setup),
    (r"[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)", python.read_requirements),
    (r"requirements/(?:.+/)?[^/]+\.(?:txt|in)", python.read_requirements),
    (r"Cargo\.toml", non_python.read_cargo),
    (r"package\.json", non_python.read_package_json),
    (r"go\.mod", non_python.read_go_mod),
    (r"CMakeLists\.txt|[^/]+\.cmake", non_python.read_cmake),
    (
        r"(?:Docker|Container)file[^/]*|[^/]+\.(?:Docker|docker|Container)file",
        non_python.read_dockerfile,
    ),
    (
        r"(?:[\w-]+[-_])?(?:version|VERSION)(?:\.txt)?|_?version\.py|__(?:version|about|init)__\.py",
        non_python.read_version,
    ),
)
_BY_PATH = tuple((re.compile(rf"(?:.*/)?(?:{pattern})"), reader) for pattern, reader in _READERS)


def is_manifest(path: str) -> bool:
    """Return True for a file that one of the readers reads."""
    return _reader_of(path) is not None


def declares_entry_points(path: str) -> bool:
    """Return True for a manifest that can name programs, unlike a module with a version."""
    return _reader_of(path) not in (None, non_python.read_version)


def _reader_of(path: str) -> Callable[[Text], Iterator[ManifestEntry]] | None:
    for pattern, reader in _BY_PATH:
        if pattern.fullmatch(path):
            return reader
    return None


def read_manifest(path: str, text: bytes) -> list[Declaration] | None:
    """Return what a version of a manifest or a fragment of it declares; None for other files."""
    if _SUBMODULE.fullmatch(text):
        # This is what git prints in the place of a submodule's content.
        version = text.split()[-1].decode()
        entry = ManifestEntry("dependency", path, 1, 1, parts={"version": version})
        return _declared(text, [entry])
    reader = _reader_of(path)
    if reader is None:
        return None
    # What a tool resolved says nothing of what the project asks for.
    if is_generated(path, text) or len(text) > LARGEST_FILE:
        return []
    entries = sorted(reader(Text(path, text)), key=lambda entry: entry.first)
    return _declared(text, entries)


def _declared(text: bytes, entries: Iterable[ManifestEntry]) -> list[Declaration]:
    line_starts = list(accumulate((len(line) + 1 for line in text.split(b"\n")), initial=0))
    counts: Counter[tuple[str, str]] = Counter()
    declarations: list[Declaration] = []
    for entry in entries:
        family = (entry.kind, entry.owner)
        declarations.append(
            Declaration(
                kind=entry.kind,
                name=entry.name,
                first=entry.first,
                last=entry.last,
                line=entry.first,
                owner=entry.owner,
                parts=entry.parts,
                position=counts[family],
                source=text,
                start=line_starts[entry.first - 1],
                end=line_starts[entry.last] - 1,
            )
        )
        counts[family] += 1
    return declarations


class _DeclaredName(NamedTuple):
    """The kind of a declaration, and its name behind those of what it stands in."""

    kind: str
    path: str


@dataclass(frozen=True)
class Versions:
    """A changed file with what both of its versions declare."""

    file: FileChange
    patch: Patch
    old: Sequence[Declaration] = ()
    new: Sequence[Declaration] = ()
    texts: tuple[bytes, ...] = ()  # Both versions as a whole, where they are at hand
    hidden_old: Collection[int] = frozenset()  # Old lines that change nothing that users meet
    hidden_new: Collection[int] = frozenset()

    @property
    def module(self) -> str:
        """The module of the file; both sides of a renamed file have the new name."""
        return module_of(self.file.path)

    def has_elsewhere(self, declaration: Declaration, side: Side) -> bool:
        """Return True if the other version declares the same, in lines that did not change."""
        if not self.texts:
            return False
        other_text = self.texts[1 if side == "old" else 0]
        name = declaration.name.encode("utf-8", "replace")
        # Looking for the name first saves parsing the whole file.
        if name not in other_text:
            return False
        if not re.search(rb"(?<!\w)%b(?!\w)" % re.escape(name), other_text):
            return False
        other_names = self._all_new if side == "old" else self._all_old
        return _DeclaredName(declaration.kind, declaration.path) in other_names

    @cached_property
    def _all_old(self) -> frozenset[_DeclaredName]:
        return self._all(self.texts[0])

    @cached_property
    def _all_new(self) -> frozenset[_DeclaredName]:
        return self._all(self.texts[1])

    def _all(self, text: bytes) -> frozenset[_DeclaredName]:
        language = language_of(self.file.path)
        if language is None:
            return frozenset()
        declarations = read_declarations(text, language)
        return frozenset(_DeclaredName(entry.kind, entry.path) for entry in declarations)


def read_files(files: Sequence[FileChange]) -> list[FileChange]:
    """Return the files that are read for declarations: no test or document is.

    Of a commit that leaves the product alone, these are its examples, benchmarks and scripts.
    """
    product: list[FileChange] = []
    beside_product: list[FileChange] = []
    for file in files:
        if is_product(file.path) or _is_vendored_submodule(file):
            product.append(file)
        elif is_beside_product(file.path):
            beside_product.append(file)
    return [file for file in product or beside_product if file.patch is not None]


def _is_vendored_submodule(file: FileChange) -> bool:
    """Return True for the pin of a submodule: of what is vendored, the project chooses that itself."""
    return role(file.path) is Role.VENDORED and _PIN_LINE.search(file.patch or "") is not None


def paths_of_blobs(files: Sequence[FileChange]) -> list[str]:
    """Return the files of which whole versions show more than their patches."""
    paths: list[str] = []
    for file in read_files(files):
        if file.status in ("added", "removed"):
            continue
        if language_of(file.path) is not None or is_manifest(file.path):
            paths.append(file.path)
    return paths


def read_versions(
    files: Sequence[FileChange], blobs: Blobs, skipped: list[str], largest: int = LARGEST_COMMIT
) -> Iterator[Versions]:
    """Yield every file that can declare something; `skipped` gets what is too large or malformed."""
    bytes_left = largest
    declarations_left = _MAX_DECLARATIONS
    for file in files:
        if file.omitted and is_product(file.path):
            skipped.append(f"{file.path}: too large to be read ({megabytes(file.omitted)})")
    for file in read_files(files):
        size = _largest_size(file, blobs)
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


def _largest_size(file: FileChange, blobs: Blobs) -> int:
    """Return the size of the largest text of a file: its patch or a version."""
    sizes = [len(file.patch or "")]
    for blob in blobs.get(file.path, ()):
        sizes.append(len(blob or b""))
    return max(sizes)


def _read(
    file: FileChange, patch: Patch, blobs: tuple[bytes | None, bytes | None] | None
) -> Versions:
    old_path = file.previous_path or file.path
    if blobs is None or file.status in ("added", "removed"):
        old = _fragments(old_path, patch, "old")
        new = _fragments(file.path, patch, "new")
        return Versions(file, patch, old, new)
    old_text = blobs[0] or b""
    new_text = blobs[1] or b""
    code = _code(file.path, old_text, new_text, patch)
    old = (read_manifest(old_path, old_text) or []) + code.old
    new = (read_manifest(file.path, new_text) or []) + code.new
    # Now, while the trees of both texts are kept: until facts are made of them, many others are read.
    hidden_old = hidden_lines(file.path, old_text, new_text, patch.ranges("old"))
    hidden_new = hidden_lines(file.path, new_text, old_text, patch.ranges("new"))
    return Versions(file, patch, old, new, (old_text, new_text), hidden_old, hidden_new)


class _BothVersions(NamedTuple):
    """The declarations in both versions of a file where lines changed."""

    old: list[Declaration]
    new: list[Declaration]


def _code(path: str, old_text: bytes, new_text: bytes, patch: Patch) -> _BothVersions:
    """Return what both versions of code declare where lines changed.

    They are read by pieces, or both as a whole, so that they can be compared.
    """
    language = language_of(path)
    old_ranges = patch.ranges("old")
    new_ranges = patch.ranges("new")
    if language is None or not (old_ranges or new_ranges):
        return _BothVersions([], [])
    if language.name != "cpp":
        # In C++ the namespaces around a piece are part of its names.
        old_pieces = read_changed(old_text, language, old_ranges)
        new_pieces = read_changed(new_text, language, new_ranges)
        if old_pieces is not None and new_pieces is not None:
            return _BothVersions(old_pieces, new_pieces)
    old = read_declarations(old_text, language, old_ranges)
    new = read_declarations(new_text, language, new_ranges)
    return _BothVersions(old, new)


def _fragments(path: str, patch: Patch, side: Side) -> list[Declaration]:
    """Return what one side of each hunk declares; a file that is new or removed is one hunk."""
    declarations: list[Declaration] = []
    for hunk in patch.hunks:
        declarations += _fragment(path, hunk, side)
    return declarations


def _fragment(path: str, hunk: Hunk, side: Side) -> list[Declaration]:
    lines = hunk.side(side)
    if not lines:
        return []
    text = ("\n".join(lines) + "\n").encode("utf-8", "replace")
    above = hunk.start(side) - 1
    declarations = shifted(read_manifest(path, text) or [], above)
    language = language_of(path)
    if language is None:
        return declarations
    is_indented = lines[0][:1] in (" ", "\t")
    if language.name == "python" and hunk.heading.endswith(":") and is_indented:
        # The class or function that the hunk stands in, as git names it.
        text = f"{hunk.heading}\n".encode("utf-8", "replace") + text
        above -= 1
    changed = [(first - above, last - above) for first, last in Patch((hunk,)).ranges(side)]
    return declarations + shifted(read_fragment(text, language, changed), above)
