"""Whom a difference concerns: what users import, include, set or run, and what only the project sees."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.surface import SurfaceChange
from tools.diff.composed_names import is_route_of_a_router, is_set_in_methods
from tools.diff.kinds import ROWS, Difference, FoundDeclaration, is_cmake, severity_of
from tools.diff.publicity import Lines, is_published, names_in_documents, needs_publication
from tools.diff.python_reach import (
    is_in_public_function,
    is_reached_by_users,
    python_severity,
)
from tools.diff.roles import HEADERS, HIDDEN, Role, is_product, is_public_header, role

if TYPE_CHECKING:
    from tools.diff.file_versions import Versions

_DEVICE = re.compile(rb"__device__|\b[A-Z]+_DEVICE\b")
"""How CUDA marks what only code on the device calls; a kernel is launched by others."""
_SET_ASIDE = re.compile(r"(?:^|[:/])(?:dev|build|test|tests|docs|lint|optional:)")
"""Sections of a manifest that are not installed with the project itself."""
_MENTIONED_ELSEWHERE: tuple[FactKind, ...] = (
    "env-added",
    "flag-added",
    "route-added",
    "metric-added",
    "env-removed",
    "flag-removed",
    "route-removed",
    "metric-removed",
)
"""Facts of names that other files may have had before or may still have."""
_REGISTRATIONS: tuple[FactKind, ...] = ("registered", "unregistered", "registration-changed")
_COMPILED_IN = ("Cargo.toml", "package.json", "go.mod")
_CONTAINER_FILE = re.compile(
    r"(?:.*/)?(?:(?:docker|container)file[^/]*|[^/]+\.(?:docker|container)file)", re.IGNORECASE
)
_VERSION_HEADER = re.compile(r"(?:^|/)version\.h(?:pp|xx|h)?$")
_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".go", *HEADERS)
_NATIVE_OR_RUST = (*_NATIVE, ".rs")
_UNREPORTED_IN_NATIVE = ("parameter", "field", "constant")
_REFERENCE = re.compile(r"[A-Za-z_]\w*|\(\s*([\"'])[\w.]+\1,\s*([\"'])\w+\2,?\s*\)")
_COMMENTED = ("#", "//", "*", "<!--")


@dataclass(frozen=True)
class SurroundingTrees:
    """Uses, in the trees around a commit, of names that it mentions; None without a tree."""

    before: Lines | None = None  # Lines of the tree before that have a name which seems to come
    after: Lines | None = None  # Lines of the tree after that have a name which seems to go
    documents: Lines | None = None  # Lines of documents of both that have a name which seems to go


@dataclass(frozen=True)
class TreeNames:
    """The names whose lines in whole trees decide what differences mean."""

    added: frozenset[str] = frozenset()  # Looked up in the tree before
    removed: frozenset[str] = frozenset()  # Looked up in the tree after
    published: frozenset[str] = frozenset()  # Looked up in the documents of both trees

    def __or__(self, other: "TreeNames") -> "TreeNames":
        """Join the names of several commits."""
        return TreeNames(
            self.added | other.added,
            self.removed | other.removed,
            self.published | other.published,
        )


def names_to_look_up(differences: Iterable[Difference]) -> TreeNames:
    """Return the names of a commit that are to be looked up in the trees around it."""
    added: set[str] = set()
    removed: set[str] = set()
    concerning: list[Difference] = []
    for difference in differences:
        if not is_product(difference.newest.versions.file.path):
            continue
        concerning.append(difference)
        if difference.kind in _REGISTRATIONS:
            table = difference.newest.parts.get("table", "")
            (added if difference.after is None else removed).add(table)
        if difference.newest.kind == "argument":
            added.add(difference.name)  # The tree before says whether users import the function
        if _is_looked_up(difference):
            name = difference.newest.name
            (removed if difference.after is None else added).add(name)
            if difference.kind == "flag-removed":
                removed.add(name.lstrip("-"))  # Options may be built from names without dashes
    published = set(names_in_documents(concerning))
    for names in (added, removed, published):
        names -= {name for name in names if not name.strip() or "\n" in name}
    return TreeNames(frozenset(added), frozenset(removed), frozenset(published))


def _is_looked_up(difference: Difference) -> bool:
    if difference.kind in (*_MENTIONED_ELSEWHERE, "unregistered") or _is_cmake_option(difference):
        return True
    return difference.kind == "symbol-removed" and _is_native(difference.newest)


def _is_cmake_option(difference: Difference) -> bool:
    return difference.kind == "config-key-removed" and is_cmake(difference.oldest.file)


def _is_native(declared: FoundDeclaration) -> bool:
    return declared.versions.file.path.endswith(_NATIVE_OR_RUST)


def is_certain(difference: Difference) -> bool:
    """Return False for differences of which text cannot say what they mean for users.

    Overloads and templates of native code have parameters that no caller writes by name, and its
    fields and constants belong to kernels more often than to users.
    """
    newest = difference.newest
    if not _is_native(newest) or newest.kind not in _UNREPORTED_IN_NATIVE:
        return True
    # A macro or a constant of a public header has a value that users compile in.
    return newest.kind == "constant" and difference.kind != "symbol-added" and not newest.owner


def is_still_there(
    difference: Difference, trees: SurroundingTrees, files: Sequence["Versions"]
) -> bool:
    """Return True for a name that was there before it seemed to come, or is there after it went."""
    if is_route_of_a_router(difference, files) or is_set_in_methods(difference):
        return True
    if _is_cmake_option(difference):
        return _is_read_by_cmake(difference.oldest.name, trees)
    if difference.kind not in _MENTIONED_ELSEWHERE:
        return False
    newest = difference.newest
    is_added = difference.after is not None
    lines = list((trees.before if is_added else trees.after) or ())
    if not is_added:
        # Without a tree at least the commit itself shows where the name went.
        for versions in files:
            added = versions.patch.lines("new").values()
            lines += [(versions.file.path, line[1:]) for line in added]
    own_file = newest.versions.file.path
    return _is_mentioned(lines, newest.name, {own_file}, difference.kind)


def _is_read_by_cmake(name: str, trees: SurroundingTrees) -> bool:
    """Return True for a variable that the project's files of CMake still have: it can still be set."""
    return any(is_cmake(path) and _holds(line, name) for path, line in trees.after or ())


def is_read_elsewhere(trees: SurroundingTrees, fact: Fact) -> bool:
    """Return True for a variable that the trees read before it came, or after it went."""
    lines = (trees.before if fact.kind == "env-added" else trees.after) or ()
    own_files = {location.file for location in fact.places}
    return _is_mentioned(lines, fact.name, own_files, fact.kind)


def _is_mentioned(lines: Lines, name: str, own_files: Collection[str], kind: FactKind) -> bool:
    """Return True if another file has a name, or for a variable its own file as a string.

    A variable that went may still be a string of its own file, which an alias reads; one that
    seems to come may have been read there in another way, or been set by scripts and images.
    """
    is_variable = kind in ("env-added", "env-removed")
    strings = (f'"{name}"', f"'{name}'") if is_variable else ()
    if kind == "flag-removed":
        bare_name = name.lstrip("-")
        strings = (f'"{bare_name}"', f"'{bare_name}'")
    for path, line in lines:
        is_string = kind == "flag-removed" and any(string in line for string in strings)
        if not _counts_as_mention(path, kind) or not (is_string or _holds(line, name)):
            continue
        if path not in own_files or any(string in line for string in strings):
            return True
    return False


def _counts_as_mention(path: str, kind: FactKind) -> bool:
    if kind == "env-added":
        return role(path) is not Role.DOCUMENT
    return is_product(path)


def severity(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference means for those who depend on the project."""
    newest = difference.newest
    if _is_submodule(newest):
        # Wherever it is kept, what a project is built with changes.
        return severity_of(difference.kind)
    if not is_product(newest.versions.file.path):
        return Severity.INTERNAL
    if newest.kind == "argument":
        return _severity_of_argument(difference, trees)
    if not ROWS[newest.kind].symbol:
        meant = _severity_of_use(difference, surface, trees)
        is_told = _is_told_to_users(difference, trees)
        return Severity.MAY_BREAK if meant is Severity.BREAKING and not is_told else meant
    if newest.is_python:
        return python_severity(difference, surface)
    if newest.versions.file.path.endswith(_NATIVE_OR_RUST):
        return _native_severity(difference, surface, trees)
    return _script_severity(difference)


def _is_submodule(declared: FoundDeclaration) -> bool:
    """Return True for the pin of a submodule that is not there for tests or documents only."""
    path = declared.versions.file.path
    is_pin = declared.kind == "dependency" and declared.name == path
    return is_pin and (is_product(path) or role(path) is Role.VENDORED)


def _is_told_to_users(difference: Difference, trees: SurroundingTrees) -> bool:
    """Return False for a setting that no document or example names, as far as the tree shows."""
    if not needs_publication(difference) or trees.documents is None:
        return True
    return is_published(difference, trees.documents)


def _severity_of_argument(difference: Difference, trees: SurroundingTrees) -> Severity:
    """Return what another argument means of a native function that a Python package gives on."""
    if not _is_given_on(difference.name, trees):
        return Severity.INTERNAL
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and "default" not in difference.newest.parts:
        meant = Severity.BREAKING
    if not difference.is_certain:
        return Severity.MAY_BREAK
    return meant


def _is_given_on(name: str, trees: SurroundingTrees) -> bool:
    """Return True if a package of the tree before names something in its `__init__.py`."""
    # A call of the function, or of a method with its name, is a use by the package itself.
    given_name = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w(.])")
    for path, line in trees.before or ():
        is_package = path.endswith("__init__.py") and is_product(path)
        if is_package and _holds(line, name) and given_name.search(line):
            return True
    return False


def _script_severity(difference: Difference) -> Severity:
    """Return what a difference in TypeScript or JavaScript means: its exports are its surface."""
    oldest = difference.oldest
    if difference.kind == "parameter-renamed":
        return Severity.INTERNAL  # Only in Python does a caller write the name of a parameter
    if not oldest.file.endswith(("index.ts", "index.js")) or not _is_marked_public(oldest):
        return Severity.INTERNAL
    if oldest.name.startswith("_") or HIDDEN.search(oldest.path):
        return Severity.INTERNAL
    if difference.kind == "parameter-added" and _must_be_passed(difference):
        return Severity.BREAKING
    return severity_of(difference.kind)


def _must_be_passed(difference: Difference) -> bool:
    return not {"=", "*"} & set(difference.new or "=")


def _native_severity(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference in C++, CUDA, Go or Rust means.

    A header is public where documents or examples include it, and something is certain to break
    only where its name is gone from all headers.
    """
    oldest = difference.oldest
    meant = severity_of(difference.kind)
    if difference.kind == "constant-changed" and _VERSION_HEADER.search(oldest.file):
        return Severity.BEHAVIOUR
    if not _is_reached(oldest):
        return Severity.INTERNAL
    is_header = oldest.file.endswith(HEADERS)
    is_documented = surface is not None and surface.is_documented_header(oldest.file)
    if not is_documented and (meant is Severity.ADDITIVE or (is_header and surface is not None)):
        return Severity.INTERNAL  # Documents and examples show that users do without it
    if meant is not Severity.BREAKING:
        return meant
    is_specialized = "<" in oldest.path  # The template without its special case may be there
    if not is_header or is_specialized:
        return Severity.MAY_BREAK
    if difference.kind != "symbol-removed" or trees.after is None:
        return Severity.MAY_BREAK
    for path, line in trees.after:
        if path.endswith(HEADERS) and _holds(line, oldest.name):
            return Severity.MAY_BREAK
    return Severity.BREAKING


def _severity_of_use(
    difference: Difference, surface: SurfaceChange | None, trees: SurroundingTrees
) -> Severity:
    """Return what a difference means in something that users set, install or run into."""
    newest = difference.newest
    path = newest.versions.file.path
    if newest.kind == "dependency" and _is_aside(difference):
        return Severity.INTERNAL
    is_of_image = newest.kind == "config" and "docker" in path.lower()
    if is_of_image and difference.kind != "config-key-changed":
        return Severity.INTERNAL
    if newest.kind == "error":
        return _severity_of_error(difference, surface)
    if newest.kind == "registration":
        if path.endswith(_NATIVE):
            return Severity.INTERNAL  # What a package of the same project calls, users do not meet
        return _severity_of_registration(difference, trees)
    if difference.kind == "flag-choices-changed":
        removed = set(_items(difference.old)) - set(_items(difference.new))
        return Severity.BREAKING if removed else Severity.BEHAVIOUR
    if newest.kind == "env" and _is_private_variable(difference.oldest.name):
        return Severity.INTERNAL
    is_of_removed_file = newest.versions.file.status == "removed"
    if difference.kind in ("contents-removed", "package-renamed") or is_of_removed_file:
        # Whether anybody ran a program that was deleted as a whole is not in sight.
        return Severity.MAY_BREAK
    return severity_of(difference.kind)


def _is_private_variable(name: str) -> bool:
    """Return True for a variable that its project keeps to itself, by its name."""
    return name.startswith("_") or "INTERNAL" in name.split("_")


def _severity_of_error(difference: Difference, surface: SurfaceChange | None) -> Severity:
    """Return what an error means: users run into those that public functions raise or lead to.

    An assertion is told only in the public function itself.
    """
    newest = difference.newest
    if newest.versions.file.path.endswith(_NATIVE):
        # What a package of the same project calls, users do not meet, but they meet its limits.
        is_met = difference.kind == "limit-changed" and "static" not in newest.name.lower()
        return Severity.BEHAVIOUR if is_met else Severity.INTERNAL
    if difference.kind == "limit-changed":
        return Severity.BEHAVIOUR
    is_on_the_way = is_in_public_function if newest.name == "assert" else is_reached_by_users
    is_met = is_on_the_way(newest, surface)
    return Severity.BEHAVIOUR if is_met else Severity.INTERNAL


def _severity_of_registration(difference: Difference, trees: SurroundingTrees) -> Severity:
    """Return what another name in a registry means; a table counts where input is looked up in it."""
    newest = difference.newest
    is_operator = "::" in newest.name and difference.kind == "registered"
    if is_operator or newest.declaration.local or "{" in newest.name:
        return Severity.INTERNAL  # Users call the function around an operator
    if HIDDEN.search(newest.module):
        return Severity.INTERNAL
    table = newest.parts.get("table", "")
    if table:
        lines = trees.before if difference.after is None else trees.after
        is_registry = all(_is_reference(side) for side in _registered_values(difference))
        if lines is None or not is_registry or not _is_table_looked_up(table, lines):
            return Severity.INTERNAL
    meant = severity_of(difference.kind)
    if meant is not Severity.BREAKING:
        return meant
    # Another file may register the name in a way that no query knows.
    strings = (f'"{newest.name}"', f"'{newest.name}'")
    for path, line in trees.after or ():
        if is_product(path) and any(string in line for string in strings):
            return Severity.MAY_BREAK
    return Severity.MAY_BREAK if trees.after is None or table else meant


def _registered_values(difference: Difference) -> list[str]:
    sides = (difference.before, difference.after)
    return [side.parts.get("value", "") for side in sides if side is not None]


def _is_reference(value: str) -> bool:
    """Return True for a class or function, or for the strings that name its module and itself."""
    return _REFERENCE.fullmatch(" ".join(value.split())) is not None


def _is_table_looked_up(table: str, lines: Lines) -> bool:
    """Return True if code looks a name up in a table that is not written there as a string."""
    word = re.escape(table)
    look_up = re.compile(
        rf"(?<!\w){word}(?:\[\s*[^\s\"'\d\]]|\.get\(\s*[^\s\"'\d)]|\.keys\(|\.items\()"
        rf"|\bin\s+(?:\w+\.)?{word}(?!\w)|\*\*(?:\w+\.)?{word}(?!\w)"
    )
    for path, line in lines:
        code = line.lstrip()
        # A line that begins with two stars merges a table, one star goes on with a comment.
        is_comment = code.startswith(_COMMENTED) and not code.startswith("**")
        if is_product(path) and not is_comment and look_up.search(line):
            return True
    return False


def _is_aside(difference: Difference) -> bool:
    """Return True if a dependency is none of those that users install with the project."""
    path = difference.newest.versions.file.path
    if _SET_ASIDE.search(difference.newest.owner) or path.endswith(_COMPILED_IN):
        return True
    # What an image installs beside the project is not required by it; a version that it pins is
    # the one that runs there.
    return bool(_CONTAINER_FILE.fullmatch(path)) and difference.kind != "dependency-changed"


def _items(text: str | None) -> list[str]:
    return [item.strip() for item in (text or "").strip("[](){} ").split(",") if item.strip()]


def _is_reached(declared: FoundDeclaration) -> bool:
    """Return True if users of native or compiled code may reach a symbol."""
    path = declared.file
    if declared.name.startswith("_") or HIDDEN.search(declared.path):
        return False
    if path.endswith(HEADERS):
        # A removed header says what happens to its declarations.
        is_in_removed_file = declared.versions.file.status == "removed"
        return is_public_header(path) and not is_in_removed_file and not _is_device_code(declared)
    if path.endswith(".go"):
        names = declared.owner if declared.kind == "parameter" else declared.path
        return all(name[:1].isupper() for name in names.split(".")) and not HIDDEN.search(path)
    return path.endswith(".rs") and _is_marked_public(declared)


def _is_marked_public(declared: FoundDeclaration) -> bool:
    """Return True for what its language marks as public, by itself or by what it stands in.

    Rust marks fields and methods too.
    """
    is_rust = declared.file.endswith(".rs")
    if "public" in declared.parts or not declared.owner:
        return "public" in declared.parts
    if is_rust and declared.kind in ("field", "function"):
        return False
    owners = [sibling for sibling in declared.siblings if sibling.path == declared.owner]
    return any("public" in owner.parts for owner in owners)


def _is_device_code(declared: FoundDeclaration) -> bool:
    path = declared.path if declared.kind == "function" else declared.owner
    for declaration in declared.siblings:
        if declaration.kind != "function" or declaration.path != path:
            continue
        source = declaration.source[declaration.start : declaration.end]
        if _DEVICE.search(source.partition(b"(")[0]):
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
