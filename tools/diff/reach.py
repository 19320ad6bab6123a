"""Whom a difference concerns: what users import, include, set or run, and what only the project sees."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.surface import SurfaceChange
from tools.diff.kinds import ROWS, Difference, FoundDeclaration, is_python, severity_of
from tools.diff.python_reach import python_severity
from tools.diff.roles import HEADERS, HIDDEN, is_product, is_public_header

if TYPE_CHECKING:
    from tools.diff.file_versions import Versions

Lines = Sequence[tuple[str, str]]
"""Lines of a tree that hold a word, each behind the path of its file."""
_DEVICE = re.compile(rb"__device__|\b[A-Z]+_DEVICE\b")
"""How CUDA marks what only code on the device calls; a kernel is launched by others."""
_SET_ASIDE = re.compile(r"(?:^|[:/])(?:dev|build|test|tests|docs|lint|optional:)")
"""Sections of a manifest that are not installed with the project itself."""
_MENTIONED_ELSEWHERE: tuple[FactKind, ...] = (
    "env-added",
    "flag-added",
    "route-added",
    "env-removed",
    "flag-removed",
    "route-removed",
)
"""Facts of names that other files may have had before or may still have."""
_COMPILED_IN = ("Cargo.toml", "package.json", "go.mod")
_CONTAINER_FILE = re.compile(
    r"(?:.*/)?(?:(?:docker|container)file[^/]*|[^/]+\.(?:docker|container)file)", re.IGNORECASE
)
_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".go", *HEADERS)
_NEVER_CERTAIN: tuple[FactKind, ...] = ("signature-changed", "base-changed", "error-changed")
_NATIVE_OR_RUST = (*_NATIVE, ".rs")
_COMMENTED = ("#", "//", "*", "<!--")


@dataclass(frozen=True)
class SurroundingTrees:
    """What the trees around a commit say of names that it mentions; None where no tree is at hand."""

    before: Lines | None = None  # Lines of the tree before that have a name which seems to come
    after: Lines | None = None  # Lines of the tree after that have a name which seems to go


@dataclass(frozen=True)
class TreeNames:
    """The names whose places in whole trees decide what differences mean."""

    come: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def __or__(self, other: "TreeNames") -> "TreeNames":
        """Join the names of several commits."""
        return TreeNames(self.come | other.come, self.gone | other.gone)


def names_to_look_up(differences: Iterable[Difference]) -> TreeNames:
    """Return the names of a commit that are to be looked up in the trees around it."""
    come: set[str] = set()
    gone: set[str] = set()
    for difference in differences:
        name = difference.found.one.name
        if difference.kind not in _MENTIONED_ELSEWHERE or not name or "\n" in name:
            continue
        if is_product(difference.found.versions.file.path):
            (come if difference.after else gone).add(name)
    return TreeNames(frozenset(come), frozenset(gone))


def is_certain(difference: Difference) -> bool:
    """Return False for differences of which text cannot say what they mean for users.

    Types of Python are remarks, bases may bring what they replace, and overloads and templates of
    native code have parameters that no caller writes by name.
    """
    if difference.kind in _NEVER_CERTAIN:
        return False
    found = difference.found
    is_native = found.versions.file.path.endswith(_NATIVE_OR_RUST)
    return not (is_native and found.one.kind in ("parameter", "field"))


def is_still_there(
    difference: Difference, trees: SurroundingTrees, files: Sequence["Versions"]
) -> bool:
    """Return True for a name that was there before it seemed to come, or is there after it went."""
    if difference.kind not in _MENTIONED_ELSEWHERE:
        return False
    lines = list((trees.before if difference.after else trees.after) or ())
    if difference.after is None:
        # Without a tree at least the commit itself shows where the name went.
        for versions in files:
            added = versions.patch.lines("new").values()
            lines += [(versions.file.path, line[1:]) for line in added]
    own_file = difference.found.versions.file.path
    return _is_mentioned(lines, difference.found.one.name, {own_file}, difference.kind)


def is_told_by(trees: SurroundingTrees, fact: Fact) -> bool:
    """Return True for a variable that the trees read before it came, or after it went."""
    lines = (trees.before if fact.kind == "env-added" else trees.after) or ()
    own_files = {place.file for place in fact.places}
    return _is_mentioned(lines, fact.name, own_files, fact.kind)


def _is_mentioned(lines: Lines, name: str, own_files: Collection[str], kind: FactKind) -> bool:
    """Find a name in other files of the product.

    A variable that went may still be a string of its own file, which an alias reads.
    """
    strings = (f'"{name}"', f"'{name}'") if kind == "env-removed" else ()
    for path, line in lines:
        if not is_product(path) or not _holds(line, name):
            continue
        if path not in own_files or any(string in line for string in strings):
            return True
    return False


def severity(difference: Difference, surface: SurfaceChange | None) -> Severity:
    """Say what a difference means for those who depend on the project."""
    found = difference.found
    if not is_product(found.versions.file.path):
        return Severity.INTERNAL
    if not ROWS[found.one.kind].symbol:
        return _severity_of_use(difference)
    if is_python(found):
        return python_severity(difference, surface)
    if difference.kind == "parameter-renamed":
        return Severity.INTERNAL  # Only in Python does a caller write the name of a parameter
    if not _is_reached(difference.before or found):
        return Severity.INTERNAL
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and not {"=", "*"} & set(difference.new or "="):
        meant = Severity.BREAKING  # Callers must pass it
    if meant is Severity.BREAKING and found.versions.file.path.endswith(_NATIVE_OR_RUST):
        # Who compiles against the project is not in sight, so nothing is certain to break.
        return Severity.BEHAVIOUR
    return meant


def _severity_of_use(difference: Difference) -> Severity:
    """Say what a difference means in something that users set, install or run into."""
    one = difference.found.one
    path = difference.found.versions.file.path
    if difference.kind == "error-changed" or (one.kind == "dependency" and _is_aside(difference)):
        return Severity.INTERNAL
    is_of_image = one.kind == "config" and "docker" in path.lower()
    if is_of_image and difference.kind != "config-key-changed":
        return Severity.INTERNAL
    is_native_call = one.kind in ("registration", "error") and path.endswith(_NATIVE)
    if is_native_call and difference.kind != "limit-changed":
        return Severity.INTERNAL  # What a package of the same project calls, users do not meet
    if difference.kind == "unregistered":
        is_private_table = one.parts.get("table", "").startswith("_")
        if one.local or is_private_table:
            # Not every private table is a registry, and a function's own table is its business.
            return Severity.BEHAVIOUR
    if difference.kind == "flag-choices-changed":
        dropped = set(_items(difference.old)) - set(_items(difference.new))
        if dropped:
            return Severity.BREAKING
    return severity_of(difference.kind)


def _is_aside(difference: Difference) -> bool:
    """Return True if a dependency is none of those that users install with the project."""
    path = difference.found.versions.file.path
    if _SET_ASIDE.search(difference.found.one.owner) or path.endswith(_COMPILED_IN):
        return True
    # What an image installs beside the project is not required by it; a version that it pins is
    # the one that runs there.
    return bool(_CONTAINER_FILE.fullmatch(path)) and difference.kind != "dependency-changed"


def _items(text: str | None) -> list[str]:
    return [item.strip() for item in (text or "").strip("[](){} ").split(",") if item.strip()]


def _is_reached(found: FoundDeclaration) -> bool:
    """Return True if users of native or compiled code may reach a symbol."""
    path = found.versions.file.path
    one = found.one
    if one.name.startswith("_") or HIDDEN.search(one.path):
        return False
    if path.endswith(HEADERS):
        return is_public_header(path) and not _is_device_code(found)
    if path.endswith(".go"):
        names = one.owner if one.kind == "parameter" else one.path
        return all(name[:1].isupper() for name in names.split(".")) and not HIDDEN.search(path)
    if not _is_marked_public(found):
        return False
    if path.endswith(".rs"):
        return True
    return path.endswith(("index.ts", "index.js"))


def _is_marked_public(found: FoundDeclaration) -> bool:
    """Return True for what its language marks as public, by itself or by what it stands in.

    Rust marks fields and methods too.
    """
    one = found.one
    is_rust = found.versions.file.path.endswith(".rs")
    if "public" in one.parts or not one.owner or (is_rust and one.kind in ("field", "function")):
        return "public" in one.parts
    return any(other.path == one.owner and "public" in other.parts for other in found.declared)


def _is_device_code(found: FoundDeclaration) -> bool:
    one = found.one
    path = one.path if one.kind == "function" else one.owner
    for other in found.declared:
        if other.kind != "function" or other.path != path:
            continue
        head = other.source[other.start : other.end].partition(b"(")[0]
        if _DEVICE.search(head):
            return True
    return False


def _holds(line: str, name: str) -> bool:
    """Return True if a line of code has a name as a whole word; a comment has it only in passing."""
    if line.lstrip().startswith(_COMMENTED):
        return False
    start = line.find(name)
    while start >= 0:
        end = start + len(name)
        if not _is_word(line[start - 1 : start]) and not _is_word(line[end : end + 1]):
            return True
        start = line.find(name, end)
    return False


def _is_word(sign: str) -> bool:
    return bool(sign) and (sign.isalnum() or sign in ("_", "-"))
