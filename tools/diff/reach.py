"""Whom a difference concerns: what users import, include, set or run, and what only the project itself sees."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.facts import Fact, Severity
from agent.facts import FactKind as K
from tools.diff.compare import Difference
from tools.diff.kinds import ROWS, severity_of
from tools.diff.roles import is_product
from tools.diff.versions import Found

Lines = Sequence[tuple[str, str]]
"""Lines of a tree that hold a word, each with the path of its file."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl")
_HIDDEN = re.compile(r"(?:^|[./])(?:detail|details|internal|impl|private|_[^_/.][^/.]*)(?:[./]|$)")
"""Namespaces, folders and names that their own project alone uses, by the conventions of Python and C++."""
_SETTINGS = re.compile(r"(?:Config|Configuration|Args|Arguments|Options|Settings|Params|Request|Response)$")
"""Records that users fill in, by the names that everybody gives them."""
_LITERAL = re.compile(r"-?[\d._]+[a-zA-Z]*|\"[^\"]*\"|'[^']*'|True|False|None|true|false|\[[^()]*\]")
_SET_ASIDE = re.compile(r"(?:^|[:/])(?:dev|build|test|tests|docs|lint|optional:)")
"""Sections of a manifest that are not installed with the project itself."""
_TOLD_ELSEWHERE = (K.ENV_ADDED, K.FLAG_ADDED, K.ROUTE_ADDED, K.ENV_REMOVED, K.FLAG_REMOVED, K.ROUTE_REMOVED)
_COMMENTED = ("#", "//", "*", "<!--")


@dataclass(frozen=True)
class Trees:
    """What the trees before and after a commit say of the names that matter; None where no tree is at hand."""

    before: Lines | None = None
    after: Lines | None = None


def names_to_look_up(differences: Sequence[Difference]) -> list[str]:
    """List the names whose place in the whole tree decides what a difference means."""
    names = {
        one.found.one.owner.partition(".")[0] or one.found.one.name
        if ROWS[one.found.one.kind].symbol
        else one.found.one.name
        for one in differences
        if one.kind in _TOLD_ELSEWHERE or _may_be_exported(one)
    }
    # A private module may be given on as a whole: `from ._core import *`.
    names |= {stem for one in differences if _may_be_exported(one) and (stem := _stem(one.found)).startswith("_")}
    return sorted(name for name in names if name and "\n" not in name)


def is_still_there(difference: Difference, trees: Trees) -> bool:
    """Tell a name that other files read before it seemed to come, or still read after it seemed to go."""
    if difference.kind not in _TOLD_ELSEWHERE:
        return False
    lines = trees.before if difference.after else trees.after
    name, own = difference.found.one.name, difference.found.versions.file.path
    return any(_holds(line, name) and path != own and is_product(path) for path, line in lines or ())


def is_told_by(trees: Trees, fact: Fact) -> bool:
    """Tell a variable of a fact that other files of the trees read before it came or after it went."""
    lines = (trees.before if fact.kind is K.ENV_ADDED else trees.after) or ()
    own = {place.file for place in fact.places}
    return any(_holds(line, fact.name) and path not in own and is_product(path) for path, line in lines)


def severity(difference: Difference, trees: Trees) -> Severity:
    """Say what a difference means for those who depend on the project."""
    found = difference.found
    if not is_product(found.versions.file.path):
        return Severity.INTERNAL
    if not ROWS[found.one.kind].symbol:
        return _of_use(difference)
    meant = severity_of(difference.kind)
    if difference.kind is K.PARAMETER_ADDED and not {"=", "*"} & set(difference.new or "="):
        # Callers must give it.
        meant = Severity.BREAKING
    if difference.kind is K.PARAMETER_RENAMED and not found.versions.file.path.endswith((".py", ".pyi")):
        # Only in Python does a caller write the name of a parameter.
        return Severity.INTERNAL
    if difference.kind is K.PARAMETER_RENAMED and not found.versions.file.path.endswith((".py", ".pyi")):
        # Elsewhere callers do not write the names of parameters.
        return Severity.INTERNAL
    reached = _is_reached(difference, trees)
    if reached:
        # A method that goes from a class with bases may be inherited.
        inherits = difference.kind is K.SYMBOL_REMOVED and found.one.owner and _has_base(found)
        return Severity.BEHAVIOUR if inherits else meant
    if reached is None and meant is Severity.BREAKING:
        # Without the tree nobody can tell whether a package exports the name.
        return Severity.BEHAVIOUR
    literal = difference.kind is K.CONSTANT_CHANGED and found.one.name.isupper() and _is_literal(difference)
    return Severity.BEHAVIOUR if literal else Severity.INTERNAL


def _of_use(difference: Difference) -> Severity:
    """Judge what users set, run into or install."""
    one = difference.found.one
    aside = one.kind == "dependency" and _SET_ASIDE.search(one.owner)
    image = one.kind == "config" and "docker" in difference.found.versions.file.path.lower()
    if aside or difference.kind is K.ERROR_CHANGED or (image and difference.kind is not K.CONFIG_CHANGED):
        return Severity.INTERNAL
    if difference.kind is K.FLAG_CHOICES and set(_items(difference.old)) - set(_items(difference.new)):
        return Severity.BREAKING
    return severity_of(difference.kind)


def _items(text: str | None) -> list[str]:
    return [item.strip() for item in (text or "").strip("[](){} ").split(",") if item.strip()]


def _is_literal(difference: Difference) -> bool:
    return all(side is not None and _LITERAL.fullmatch(side) for side in (difference.old, difference.new))


def _may_be_exported(difference: Difference) -> bool:
    """Tell a Python name that is public by itself; whether a package exports it only the tree knows."""
    found = difference.found
    python = found.versions.file.path.endswith((".py", ".pyi"))
    return python and ROWS[found.one.kind].symbol and is_product(found.versions.file.path) and not _is_private(found)


def _is_private(found: Found) -> bool:
    names = found.one.path.split(".")
    return any(name.startswith("_") and not name.startswith("__") for name in names)


def _is_reached(difference: Difference, trees: Trees) -> bool | None:
    """Tell whether users reach a symbol; None where that cannot be known."""
    found = difference.before or difference.found
    path, one = found.versions.file.path, found.one
    if _is_private(found) or _HIDDEN.search(one.path):
        return False
    if path.endswith((".py", ".pyi")):
        if one.kind == "field" and _SETTINGS.search(one.owner.rpartition(".")[2]):
            return True
        return _is_exported(found, trees)
    if path.endswith(_HEADERS):
        return is_public_header(path)
    if path.endswith(".go"):
        return one.name[:1].isupper() and not _HIDDEN.search(path)
    return "public" in one.parts and path.endswith(("src/lib.rs", "index.ts", "index.js"))


def _is_exported(found: Found, trees: Trees) -> bool | None:
    """Tell whether a package gives a name to its users: in an `__init__.py`, or by the `__all__` of its module."""
    top = found.one.path.partition(".")[0]
    path = found.versions.file.path
    if path.endswith("__init__.py") or found.one.kind == "export":
        return True
    declared = (*found.versions.old, *found.versions.new)
    if any(one.kind == "export" and one.name == top for one in declared):
        return True
    if trees.before is None:
        return None
    package, stem = path.split("/", 1)[0], _stem(found)
    for where, line in trees.before:
        if where.split("/", 1)[0] == package and where.endswith(".py"):
            given = "import *" in line and _holds(line, stem) if stem.startswith("_") else False
            if where.endswith("__init__.py") and (given or _holds(line, top)):
                return True
            if f"{top} as {top}" in line:
                return True
    return False


def _stem(found: Found) -> str:
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


def is_public_header(path: str) -> bool:
    """Tell a header that users include."""
    return path.endswith(_HEADERS) and "include/" in path and is_product(path) and not _HIDDEN.search(path)


def _has_base(found: Found) -> bool:
    return any(
        one.kind == "class" and one.path == found.one.owner and "base" in one.parts for one in found.versions.new
    )
