"""Whom a difference concerns: what users import, include, set or run, and what only the project itself sees."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.facts import Fact, FactKind, Severity
from tools.diff.kinds import ROWS, Difference, FoundDeclaration, is_python, severity_of
from tools.diff.roles import HEADERS, HIDDEN, is_product, is_public_header, module_of

if TYPE_CHECKING:
    from tools.diff.file_versions import Versions

Lines = Sequence[
    tuple[str, str]
]  # Lines of a tree that hold a word, each with the path of its file
_DEVICE = re.compile(rb"__device__|\b[A-Z]+_DEVICE\b")
"""How CUDA marks what only code on the device calls; a kernel is launched by others."""
_SETTINGS = re.compile(
    r"(?:Config|Configuration|Args|Arguments|Options|Settings|Params|Request|Response)$"
)
"""Records that users fill in, by the names that everybody gives them."""
_LITERAL = re.compile(
    r"-?[\d._]+[a-zA-Z]*|\"[^\"]*\"|'[^']*'|True|False|None|true|false|\[[^()]*\]"
)
_SET_ASIDE = re.compile(r"(?:^|[:/])(?:dev|build|test|tests|docs|lint|optional:)")
"""Sections of a manifest that are not installed with the project itself."""
_EXPORTS = re.compile(r"\bimport\b|^\s*[\"']?\w+[\"']?(?: as \w+)?,?\s*(?:#.*)?$")
"""A line of an `__init__.py` that gives a name on: an import, or one name of a list."""
_TOLD_ELSEWHERE = (
    "env-added",
    "flag-added",
    "route-added",
    "env-removed",
    "flag-removed",
    "route-removed",
)
_DEEPEST = 2
_COMPILED_IN = ("Cargo.toml", "package.json", "go.mod")
_CONTAINER_FILE = re.compile(
    r"(?:.*/)?(?:(?:docker|container)file[^/]*|[^/]+\.(?:docker|container)file)", re.IGNORECASE
)
_NATIVE = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".go", *HEADERS)
_RECORD = re.compile(r"(?:BaseModel|Struct|TypedDict)$")
"""Bases of records that are exchanged with others: pydantic, msgspec, typing."""
_COMMENTED = ("#", "//", "*", "<!--")


@dataclass(frozen=True)
class SurroundingTrees:
    """What the trees around a commit say of the names that matter; None where no tree is at hand."""

    before: Lines | None = None  # Lines of the tree before that have a name which seems to come
    after: Lines | None = None  # Lines of the tree after that have a name which seems to go
    exports: Lines | None = None  # Lines of the packages' `__init__.py` before
    exports_after: Lines | None = None


@dataclass(frozen=True)
class TreeNames:
    """The names whose places in whole trees decide what differences mean."""

    come: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    exported: frozenset[str] = frozenset()

    def __or__(self, other: "TreeNames") -> "TreeNames":
        """Join the names of several commits."""
        return TreeNames(
            self.come | other.come, self.gone | other.gone, self.exported | other.exported
        )


def names_to_look_up(differences: Iterable[Difference]) -> TreeNames:
    """List the names of a commit that are to be looked up."""
    come: set[str] = set()
    gone: set[str] = set()
    exported: set[str] = set()
    for one in differences:
        name = one.found.one.name
        if (
            one.kind in _TOLD_ELSEWHERE
            and name
            and "\n" not in name
            and is_product(one.found.versions.file.path)
        ):
            (come if one.after else gone).add(name)
        elif _may_be_exported(one):
            for found in (one.before, one.after):
                if found is not None:
                    # A private module may be given on as a whole: `from ._core import *`.
                    stem = _stem(found)
                    exported |= {
                        found.one.path.partition(".")[0],
                        *([stem] if stem.startswith("_") else []),
                    }
    # Whether a package exports anything at all, its imports say.
    return TreeNames(
        frozenset(come), frozenset(gone), frozenset(exported | {"import"} if exported else ())
    )


def is_still_there(
    difference: Difference, trees: SurroundingTrees, files: Sequence["Versions"]
) -> bool:
    """Tell a name that was read before it seemed to come, or is still read after it seemed to go."""
    if difference.kind not in _TOLD_ELSEWHERE:
        return False
    lines = list((trees.before if difference.after else trees.after) or ())
    if difference.after is None:
        # Without a tree at least the commit itself shows where the name went.
        lines += [
            (one.file.path, line[1:]) for one in files for line in one.patch.lines("new").values()
        ]
    return _is_read(
        lines, difference.found.one.name, {difference.found.versions.file.path}, difference.kind
    )


def is_told_by(trees: SurroundingTrees, fact: Fact) -> bool:
    """Tell a variable of a fact that the trees read before it came or after it went."""
    lines = (trees.before if fact.kind == "env-added" else trees.after) or ()
    return _is_read(lines, fact.name, {place.file for place in fact.places}, fact.kind)


def _is_read(lines: Lines, name: str, own: Collection[str], kind: FactKind) -> bool:
    """Find a name in other files; a variable that went also as a string of its own file, which an alias may read."""
    strings = (f'"{name}"', f"'{name}'") if kind == "env-removed" else ()
    return any(
        is_product(path)
        and _holds(line, name)
        and (path not in own or any(one in line for one in strings))
        for path, line in lines
    )


def severity(difference: Difference, trees: SurroundingTrees) -> Severity:
    """Say what a difference means for those who depend on the project."""
    found = difference.found
    if not is_product(found.versions.file.path):
        return Severity.INTERNAL
    if not ROWS[found.one.kind].symbol:
        return _of_use(difference)
    meant = severity_of(difference.kind)
    if difference.kind == "parameter-added" and not {"=", "*"} & set(difference.new or "="):
        # Callers must give it.
        meant = Severity.BREAKING
    if difference.kind == "parameter-renamed" and not is_python(found):
        # Only in Python does a caller write the name of a parameter.
        return Severity.INTERNAL
    reached = _is_reached(difference, trees)
    if difference.kind == "symbol-moved" and _is_given_on(difference, trees):
        return Severity.INTERNAL
    if reached:
        # A method that goes from a class with bases may be inherited, a parameter may go through `**kwargs`.
        inherits = difference.kind == "symbol-removed" and found.one.owner and _bases(found)
        passed_on = difference.kind == "parameter-removed" and _takes_anything(found)
        return Severity.BEHAVIOUR if inherits or passed_on else meant
    if reached is None:
        return Severity.BEHAVIOUR if meant is Severity.BREAKING else meant
    public = found.one.name.isupper() and found.one.name[0] != "_"
    literal = difference.kind == "constant-changed" and public and _is_literal(difference)
    return Severity.BEHAVIOUR if literal else Severity.INTERNAL


def _of_use(difference: Difference) -> Severity:
    one = difference.found.one
    path = difference.found.versions.file.path
    if difference.kind == "error-changed" or (one.kind == "dependency" and _is_aside(difference)):
        return Severity.INTERNAL
    if (
        one.kind == "config"
        and "docker" in path.lower()
        and difference.kind != "config-key-changed"
    ):
        return Severity.INTERNAL
    if (
        one.kind in ("registration", "error")
        and path.endswith(_NATIVE)
        and difference.kind != "limit-changed"
    ):
        # What a package of the same project calls, users do not meet.
        return Severity.INTERNAL
    if difference.kind == "unregistered" and (
        one.local or one.parts.get("table", "").startswith("_")
    ):
        # Not every private table is a registry, and what a function registers is its own business.
        return Severity.BEHAVIOUR
    if difference.kind == "flag-choices-changed" and set(_items(difference.old)) - set(
        _items(difference.new)
    ):
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


def _is_literal(difference: Difference) -> bool:
    return all(
        side is not None and _LITERAL.fullmatch(side) for side in (difference.old, difference.new)
    )


def _may_be_exported(difference: Difference) -> bool:
    """Tell a Python name that is public by itself; whether a package exports it only the tree knows."""
    found = difference.found
    return (
        is_python(found)
        and ROWS[found.one.kind].symbol
        and is_product(found.versions.file.path)
        and not _is_private(found)
    )


def _is_private(found: FoundDeclaration) -> bool:
    names = found.one.path.split(".")
    # Dataclasses call `__post_init__` themselves.
    return any(
        (name.startswith("_") and not name.startswith("__")) or name == "__post_init__"
        for name in names
    )


def _is_reached(difference: Difference, trees: SurroundingTrees) -> bool | None:
    """Tell whether users reach a symbol; None where only all of a crate would say which modules of it are public."""
    found = difference.before or difference.found
    path, one = found.versions.file.path, found.one
    if _is_private(found) or HIDDEN.search(one.path):
        return False
    if path.endswith((".py", ".pyi")):
        if one.kind == "field" and (
            _SETTINGS.search(one.owner.rpartition(".")[2]) or _is_record(found)
        ):
            return True
        return _is_exported(found, trees)
    if path.endswith(HEADERS):
        return is_public_header(path) and not _is_device_code(found)
    if path.endswith(".go"):
        names = one.owner if one.kind == "parameter" else one.path
        return all(name[:1].isupper() for name in names.split(".")) and not HIDDEN.search(path)
    if not _is_marked_public(found):
        return False
    if path.endswith(".rs"):
        # A module right below the root of a crate.
        return True if path.rpartition("/")[0].endswith("src") else None
    return path.endswith(("index.ts", "index.js"))


def _is_marked_public(found: FoundDeclaration) -> bool:
    """Tell what its language marks as public, by itself or by what it stands in; Rust marks fields and methods too."""
    one, rust = found.one, found.versions.file.path.endswith(".rs")
    if "public" in one.parts or not one.owner or (rust and one.kind in ("field", "function")):
        return "public" in one.parts
    return any("public" in other.parts and other.path == one.owner for other in found.declared)


def _is_exported(found: FoundDeclaration, trees: SurroundingTrees) -> bool:
    """Tell whether a package gives a name to its users: in an `__init__.py`, or by the `__all__` of its module."""
    top = found.one.path.partition(".")[0]
    path = found.versions.file.path
    if found.one.kind == "constant" and not found.one.owner and top.islower():
        # A module's own object, such as its logger.
        return False
    if _is_package(path):
        return True
    lines = trees.exports if found.side == "old" else trees.exports_after
    if lines is None:
        return module_of(path).count(".") < _DEEPEST
    package, stem = path.split("/", 1)[0], _stem(found)
    own = [
        line for where, line in lines if _is_package(where) and where.split("/", 1)[0] == package
    ]
    if not any(_holds(line, "import") for line in own):
        # Of a package that exports nothing users import the modules.
        return module_of(path).count(".") < _DEEPEST
    return any(
        (_EXPORTS.search(line) and _holds(line, top)) or ("import *" in line and _holds(line, stem))
        for line in own
    )


def _is_given_on(difference: Difference, trees: SurroundingTrees) -> bool:
    """Return True for a moved name that its package still exports."""
    old, new = difference.before, difference.after
    if (
        old is None
        or new is None
        or any(one.versions.file.path.endswith("__init__.py") for one in (old, new))
    ):
        return False
    return bool(trees.exports and _is_exported(old, trees) and _is_exported(new, trees))


def _is_package(path: str) -> bool:
    """Return True for the `__init__.py` of a package or of one directly below it; deeper ones are internal."""
    return path.endswith("__init__.py") and module_of(path).count(".") < _DEEPEST


def _stem(found: FoundDeclaration) -> str:
    return found.module.rpartition(".")[2]


def _holds(line: str, name: str) -> bool:
    """Tell a line of code that has a name as a whole word; a comment has it only in passing."""
    if line.lstrip().startswith(_COMMENTED):
        return False
    at = line.find(name)
    while at >= 0:
        end = at + len(name)
        if not _is_word(line[at - 1 : at]) and not _is_word(line[end : end + 1]):
            return True
        at = line.find(name, end)
    return False


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in ("_", "-") if sign else False


def _is_device_code(found: FoundDeclaration) -> bool:
    function = found.one.kind == "function"
    own = (
        [found.one] if function else [one for one in found.declared if one.path == found.one.owner]
    )
    heads = (
        one.source[one.start : one.end].partition(b"(")[0] for one in own if one.kind == "function"
    )
    return any(_DEVICE.search(head) for head in heads)


def _takes_anything(found: FoundDeclaration) -> bool:
    own = (
        one
        for one in found.versions.new
        if one.kind == "parameter" and one.owner == found.one.owner
    )
    return any(one.name.startswith("**") for one in own)


def _bases(found: FoundDeclaration) -> str:
    declared = (*found.versions.new, *found.versions.old)
    return next(
        (
            one.parts.get("base", "")
            for one in declared
            if one.kind == "class" and one.path == found.one.owner
        ),
        "",
    )


def _is_record(found: FoundDeclaration) -> bool:
    return any(_RECORD.search(base.strip()) for base in _bases(found).split(","))
