"""What a commit did to files as wholes: came, went, were renamed, or are of one sort only."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from agent.domain import FileChange
from agent.facts import FactKind, Place
from tools.diff.contents import telling
from tools.diff.draft import Draft, Where
from tools.diff.folders import Package, new_packages, renamed_folders
from tools.diff.grouping import Shown
from tools.diff.headers import HEADERS
from tools.diff.homes import Homes
from tools.diff.readers.manifest import is_submodule_patch
from tools.diff.rewritten import as_moved, without_empty
from tools.diff.roles import UPKEEP, Role, is_public_path, is_upkeep, may_be_offered, role, roles_of

_ONLY = {Role.TEST: FactKind.ONLY_TESTS, Role.DOCUMENT: FactKind.ONLY_DOCS, Role.CI: FactKind.ONLY_CI}
_NEWS = (Role.MODEL, Role.KERNEL, Role.OPERATOR, Role.SOURCE, Role.HEADER, Role.DEVICE_CONFIG)
_CONSTANT = re.compile(r"\n[+-]([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:: [^=\n]+)? = ")
_LIMIT = re.compile(
    r"\n\+(?:inline |static )*constexpr [\w:]+ (\w*(?:[Mm]ax|MAX|[Mm]in|MIN|[Ll]imit|LIMIT)\w*)\s*(?:=\s*|\{)-?\d"
)
"""What a header holds its users to."""
_MOST_LIMITS = 4
_SHADER = ".comp"
"""A shader of GLSL that computes: what it calls `main` is a kernel, and no program."""
# Each begins with a literal, which is found fast.
_NAMED = (r"\+class \w+Kernel(?:[A-Z][a-z]?\d+\w*)?[(:]", r"\+def \w*_kernel\(")
_SPOKEN = tuple(rf"{short}\.(?<!\w{short}\.)\w+\(" for short in ("tl", "cute", "pl", "T", "gl"))
_KERNEL = tuple(
    map(
        re.compile,
        (
            r"@(?:\w+\.)*(?:jit|kernel|autotune|prim_func|device_kernel)\b",
            "__global__",
            "pallas_call",
            *_NAMED,
            *_SPOKEN,
        ),
    )
)
_BESIDE = re.compile(r"(?:^|[_/])(?:utils?|helpers?|common|meta|warmup|configs?|types|registry)\.py$")
_LAUNCHED = tuple(map(re.compile, (r"@(?:\w+\.)*(?:kernel|prim_func|device_kernel)\b", *_NAMED)))
_MODEL = tuple(
    map(
        re.compile,
        (
            r"\+EntryClass\b",
            r"\+class \w*(?:Model|LM|ViT|MTP|Decoder|Tower|For[A-Z]\w*|(?:Transformer|[Ee]ncoder|Net|VAE)\w*)[(:]",
            r"\+class \w+\([^)]*\b(?:Supports[A-Z]|Is(?:Hybrid|AttentionFree)\b|\w+For[A-Z][a-z]+(?:LM|Generation)\b)",
            r"\+    def load_weights\(",
        ),
    )
)
"""How a model shows: by the names of its classes, by what it says that it can do, by how it takes its weights."""
_PROGRAM = re.compile(r"\n\+(?:int|auto|void) main\(")
_INSTALLED = {key: re.compile(rf"""\n\+\s*{key}\s*=\s*["']([\w.+-]+)["']""") for key in ("name", "version")}
_SHOWN_LINES = 3
_SHOWN_NAMES = 12


def file_facts(files: Sequence[FileChange], homes: Homes) -> Iterator[Shown]:
    """Tell what happened to files; many of one role that came or went together are one fact."""
    yield from _only(files)
    yield from _foreign(files)
    files = as_moved([file for file in files if not is_submodule_patch(file.patch or "")])
    folders = renamed_folders(files)
    files = without_empty(files)
    for old, new, count in folders:
        inside = [file for file in files if _went_along(file, old, new)]
        public = any(is_public_path(file.previous_path or file.path) for file in inside)
        draft = Draft(FactKind.FOLDER_RENAMED, new, public, Where(), old, new, f"{count} files")
        yield Shown(draft, Place(file=inside[0].path if inside else new, line=0, lines=()))
    yield from map(_package, new_packages(files))
    merged = {file.path: home for file in files if file.status == "removed" and (home := homes.merged(file))}
    taken = set(merged.values())
    for file in files:
        if file.status == "added":
            # What is told as renamed has not come besides.
            if file.path not in taken:
                yield _one(FactKind.FILE_ADDED, file, homes)
        elif file.path in merged and file.status == "removed":
            yield _moved(file, merged[file.path])
        elif file.status == "removed":
            yield _one(FactKind.FILE_REMOVED, file, homes)
        elif file.status == "renamed" and not _covered(file, folders):
            public = is_public_path(file.previous_path or file.path) and not _is_chance(file)
            # A module that became a package is still imported by the same name.
            package = file.path.startswith((file.previous_path or "").removesuffix(".py") + "/")
            breaking = False if package else None
            draft = Draft(
                FactKind.FILE_RENAMED, file.path, public, Where(), file.previous_path, file.path, breaking=breaking
            )
            yield Shown(draft, Place(file=file.path, line=0, lines=()))


def _is_chance(file: FileChange) -> bool:
    """Tell whether two empty files were paired: one that makes a package, and one among tests, say."""
    empty = file.patch is None and file.path.endswith("/__init__.py")
    return empty and role(file.path) is not role(file.previous_path or file.path)


def _only(files: Sequence[FileChange]) -> Iterator[Shown]:
    """Tell of a commit that touches nothing but what keeps a project going: tests, documents, CI, scripts."""
    roles = roles_of(files)
    if not roles or not roles <= UPKEEP.keys() or not all(is_upkeep(file.path) for file in files):
        return
    kind = _ONLY.get(min(roles), FactKind.ONLY_UPKEEP) if len(roles) == 1 else FactKind.ONLY_UPKEEP
    sorts = None if kind is not FactKind.ONLY_UPKEEP else ", ".join(UPKEEP[one] for one in UPKEEP if one in roles)
    draft = Draft(kind, f"{len(files)} files", public=False, where=Where(), detail=sorts)
    yield Shown(draft, _first(files))


def _package(package: Package) -> Shown:
    """Tell of a package that came as a whole, by the name under which it is installed."""
    manifest = package.manifest
    patch = manifest.patch or ""
    said = [found for key in ("name", "version") if (found := _INSTALLED[key].search(patch))]
    installed = " ".join(found[1] for found in said)
    lines = tuple(_line_at(patch, found.start() + 1) for found in said) or tuple(patch.split("\n", 3)[1:3])
    # The name of what is installed may have a hyphen; what is imported from it has not.
    public = is_public_path(f"{package.folder.replace('-', '_')}/x.py")
    draft = Draft(FactKind.FILE_ADDED, package.folder, public, Where(), None, installed or package.folder, "package")
    return Shown(draft, Place(file=manifest.path, line=1 if lines else 0, lines=lines))


def _moved(file: FileChange, home: str) -> Shown:
    """Tell of a file whose contents are in another one now."""
    draft = Draft(FactKind.FILE_RENAMED, home, is_public_path(file.path), Where(), file.path, home)
    return Shown(draft, Place(file=file.path, line=0, lines=()))


def _one(kind: FactKind, file: FileChange, homes: Homes) -> Shown:
    what = _role_by_content(file)
    public = what in _NEWS and (is_public_path(file.path) or what is not Role.SOURCE)
    if what is Role.HEADER:
        # One among the sources is for the sources.
        public = is_public_path(file.path) or may_be_offered(file.path)
    # A kernel or header that no user includes can go without breaking anybody; a module that users import cannot.
    if kind is FactKind.FILE_REMOVED:
        # Of a source without a patch there was nothing.
        public = is_public_path(file.path) and not (file.patch is None and file.path.endswith((".py", *HEADERS)))
    patch = file.patch or ""
    declared = telling(file.path, patch, _SHOWN_NAMES)
    defined = {found[1] for found in declared}
    if public and file.path.endswith(".py"):
        declared += islice(_CONSTANT.finditer(patch), _SHOWN_NAMES - len(declared))
    if public and file.path.endswith(HEADERS) and "constexpr" in patch:
        declared += islice(_LIMIT.finditer(patch), _MOST_LIMITS)
    names = list(dict.fromkeys(found[1] for found in declared)) if public else []
    old: str | None = None
    new: str | None = ", ".join(names) or file.path
    if kind is FactKind.FILE_REMOVED:
        # What new files have now is not gone, though the module is.
        moved = {name: home for name in names if (home := homes.of(name, file.path, came=True))}
        old = ", ".join(name for name in names if name not in moved) or file.path
        # A constant that a new file has as well says nothing of where the classes and functions went.
        heirs = [home for name, home in moved.items() if name in defined or not defined]
        # A trifle that is elsewhere now says nothing of the others.
        heirs = heirs if 2 * len(heirs) >= len(defined or names) else []
        new = ", ".join(dict.fromkeys(heirs)) or None
    lines = tuple(_line_at(patch, found.start() + 1) for found in declared[:_SHOWN_LINES])
    lines = lines or tuple(line for line in patch.split("\n", 3)[1:3] if line[:1] in ("+", "-"))
    place = Place(file=file.path, line=1 if lines else 0, lines=lines)
    return Shown(Draft(kind, file.path, public, Where(), old, new, what.value), place)


def _role_by_content(file: FileChange) -> Role:
    """Take a file for a kernel or a model only where it has one: helpers, tables and drivers live beside them."""
    what = role(file.path)
    if what not in (Role.KERNEL, Role.MODEL) or not file.patch:
        return what
    text = file.patch.replace("\n-", "\n+") if file.status == "removed" else file.patch
    if file.path.endswith(_SHADER):
        return what
    if not file.path.endswith(".py"):
        program = "main(" in text and _PROGRAM.search(text) is not None and "__global__" not in text
        return Role.SOURCE if program else what
    signs = _MODEL if what is Role.MODEL else _LAUNCHED if _BESIDE.search(file.path) else _KERNEL
    return what if any(sign.search(text) for sign in signs) else Role.SOURCE


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _covered(file: FileChange, folders: Sequence[tuple[str, str, int]]) -> bool:
    """Tell whether a renamed folder already speaks for this file."""
    before, name = file.previous_path or "", file.path.rpartition("/")[2]
    return before.rpartition("/")[2] == name and any(_went_along(file, old, new) for old, new, _ in folders)


def _went_along(file: FileChange, old: str, new: str) -> bool:
    return (file.previous_path or "").startswith(f"{old}/") and file.path.startswith(f"{new}/")


def _first(files: Sequence[FileChange]) -> Place | None:
    return Place(file=files[0].path, line=0, lines=()) if files else None


def _foreign(files: Sequence[FileChange]) -> Iterator[Shown]:
    """Tell of code that nobody wrote by hand here, once for each sort."""
    for kind, roles in (
        (FactKind.GENERATED, (Role.GENERATED, Role.LOCK)),
        (FactKind.VENDORED, (Role.VENDORED,)),
    ):
        found = [file for file in files if role(file.path) in roles and not is_submodule_patch(file.patch or "")]
        # A lock that came or went is told as the file that it is.
        found = [file for file in found if role(file.path) is not Role.LOCK or file.status not in ("added", "removed")]
        if found:
            draft = Draft(kind, f"{len(found)} files", public=False, where=Where())
            yield Shown(draft, _first(found))
