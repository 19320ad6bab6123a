"""Names of a commit that are sought in the trees around it: they decide what differences mean."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from agent.domain.facts import Fact, FactKind
from tools.diff.composed_names import is_route_of_a_router, is_set_in_methods
from tools.diff.documented_names import Lines, names_in_documents
from tools.diff.facts_by_declaration_kind import is_cmake
from tools.diff.file_roles import NATIVE_OR_RUST, Role, is_product, module_of, role
from tools.diff.located_differences import Difference, FoundDeclaration

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions


@dataclass(frozen=True)
class SurroundingTrees:
    """Uses, in the trees around a commit, of names that it mentions; None without a tree."""

    before: Lines | None = None  # Lines of the tree before that have a name which seems to come
    after: Lines | None = None  # Lines of the tree after that have a name which seems to go
    documents: Lines | None = None  # Lines of documents of both that have a name which seems to go

    @cached_property
    def digest(self) -> str:
        """A hash of all lines; those of a window are the same for each of its commits."""
        # A recorded answer has a list where the live one has a tuple.
        texts = [_comparable(self.before), _comparable(self.after), _comparable(self.documents)]
        return sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _comparable(lines: Lines | None) -> list[tuple[str, str]] | None:
    return None if lines is None else [(path, line) for path, line in lines]


@dataclass(frozen=True)
class TreeNames:
    """The names whose lines in whole trees decide what differences mean."""

    added: frozenset[str] = frozenset()  # Looked up in the tree before
    removed: frozenset[str] = frozenset()  # Looked up in the tree after
    published: frozenset[str] = frozenset()  # Looked up in the documents of both trees
    variables: frozenset[str] = frozenset()  # Looked up in the tests of the tree before, too

    def __or__(self, other: "TreeNames") -> "TreeNames":
        """Join the names of several commits."""
        return TreeNames(
            self.added | other.added,
            self.removed | other.removed,
            self.published | other.published,
            self.variables | other.variables,
        )


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
_OF_ONE_PROGRAM: tuple[FactKind, ...] = ("flag-added", "route-added")
"""Facts of names that are new in one program though another one of the repository has them."""
_PROGRAM_DEPTH = 2  # Names of packages by which programs of one repository are told apart
_REGISTRATIONS: tuple[FactKind, ...] = ("registered", "unregistered", "registration-changed")
COMMENT_SIGNS = ("#", "//", "*", "<!--")


def names_to_look_up(differences: Iterable[Difference]) -> TreeNames:
    """Return the names of a commit that are to be looked up in the trees around it."""
    added: set[str] = set()
    removed: set[str] = set()
    variables: set[str] = set()
    concerning: list[Difference] = []
    for difference in differences:
        if not is_product(difference.newest.versions.file.path):
            continue
        concerning.append(difference)
        newest = difference.newest
        is_gone = difference.after is None
        if difference.kind in _REGISTRATIONS:
            # A table that lost a name must have been looked up in the tree before.
            tables = added if is_gone else removed
            tables.add(newest.parts.get("table", ""))
        if newest.kind == "argument":
            added.add(difference.name)  # The tree before says whether users import the function
        if _is_looked_up(difference):
            names = removed if is_gone else added
            names.add(newest.name)
        if difference.kind == "env-added":
            variables.add(newest.name)
        if difference.kind == "choices-changed":
            removed.update(_removed_choices(difference))
        if difference.kind == "flag-removed":
            removed.add(newest.name.lstrip("-"))  # Options may be built from names without dashes
    published = names_in_documents(concerning)
    return TreeNames(
        _searchable(added), _searchable(removed), _searchable(published), _searchable(variables)
    )


def _searchable(names: Iterable[str]) -> frozenset[str]:
    """Return the names that git can look for: on one line, and not blank."""
    return frozenset(name for name in names if name.strip() and "\n" not in name)


def _is_looked_up(difference: Difference) -> bool:
    if difference.kind in (*_MENTIONED_ELSEWHERE, "unregistered") or _is_cmake_option(difference):
        return True
    return difference.kind == "symbol-removed" and is_native(difference.newest)


def _is_cmake_option(difference: Difference) -> bool:
    return difference.kind == "config-key-removed" and is_cmake(difference.oldest.file)


def is_native(declared: FoundDeclaration) -> bool:
    """Return True for something in C, C++, CUDA, Go or Rust."""
    return declared.versions.file.path.endswith(NATIVE_OR_RUST)


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
    if difference.kind in _OF_ONE_PROGRAM:
        program = _program_of(own_file)
        lines = [(path, line) for path, line in lines if _program_of(path) == program]
    return _is_mentioned(lines, newest.name, {own_file}, difference.kind)


def is_option_of_another(difference: Difference, trees: SurroundingTrees) -> bool:
    """Return True for an option that went, but that a benchmark or a script takes as well.

    Documents that name it may speak of that program.
    """
    if difference.kind != "flag-removed":
        return False
    name = difference.oldest.name
    others = [line for path, line in trees.after or () if path != difference.oldest.file]
    return any(f'"{name}"' in line or f"'{name}'" in line for line in others)


def _program_of(path: str) -> tuple[str, ...]:
    """Return the package and the part of it in which a file stands: a server, a command."""
    return tuple(module_of(path).split(".")[:_PROGRAM_DEPTH])


def _removed_choices(difference: Difference) -> list[str]:
    """Return the strings that a `Literal` does not allow any more."""
    return [quoted.strip("'\"") for quoted in (difference.old or "").split(", ") if quoted]


def is_choice_left(difference: Difference, trees: SurroundingTrees) -> bool:
    """Return True where code may still take a value that a `Literal` does not name any more."""
    if trees.after is None:
        return True
    strings: list[str] = []
    for choice in _removed_choices(difference):
        strings += [f'"{choice}"', f"'{choice}'"]
    for path, line in trees.after:
        if not is_product(path):
            continue
        if any(string in line for string in strings):
            return True
    return False


def _is_read_by_cmake(name: str, trees: SurroundingTrees) -> bool:
    """Return True for a variable that the project's files of CMake still have: it can still be set."""
    return any(is_cmake(path) and holds_word(line, name) for path, line in trees.after or ())


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
    strings = _strings_of(name, kind)
    for path, line in lines:
        if not _counts_as_mention(path, kind):
            continue
        has_string = any(string in line for string in strings)
        has_name = holds_word(line, name) or (has_string and kind == "flag-removed")
        if has_name and (has_string or path not in own_files):
            return True
    return False


def _strings_of(name: str, kind: FactKind) -> tuple[str, ...]:
    """Return how a string has the name of a variable, or of a removed flag without its dashes."""
    if kind == "flag-removed":
        name = name.lstrip("-")
    elif kind not in ("env-added", "env-removed"):
        return ()
    return (f'"{name}"', f"'{name}'")


def _counts_as_mention(path: str, kind: FactKind) -> bool:
    if kind == "env-added":
        return role(path) is not Role.DOCUMENT
    return is_product(path)


def holds_word(line: str, name: str) -> bool:
    """Return True if a line of code has a name as a whole word; a comment has it only in passing."""
    if line.lstrip().startswith(COMMENT_SIGNS):
        return False
    start = line.find(name)
    while start >= 0:
        end = start + len(name)
        if not _is_word_sign(line[start - 1 : start]) and not _is_word_sign(line[end : end + 1]):
            return True
        start = line.find(name, end)
    return False


def _is_word_sign(sign: str) -> bool:
    return bool(sign) and (sign.isalnum() or sign in ("_", "-"))
