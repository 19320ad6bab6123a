"""The Python declarations that are reachable for users, by the paths that they import."""

import ast
from collections.abc import Collection, Mapping
from functools import lru_cache

from agent.domain.surface import SurfaceChange
from tools.diff.file_roles import HIDDEN, module_of
from tools.diff.located_differences import Difference, FoundDeclaration
from tools.surface.records_made_by_users import is_exchanged, is_filled_in

_MAX_GUESSED_DEPTH = 2
"""Where nobody knows what a package exports, users import its modules, but not those deep inside."""
_MAX_MODULES_KEPT = 16
_SIDES = 2  # Texts of a file where both of its versions are at hand


def is_private(declared: FoundDeclaration) -> bool:
    """Return True for something that an underscore marks as private, or that stands in such."""
    for name in declared.path.split("."):
        is_special = name.startswith("__")
        # Dataclasses call `__post_init__` themselves.
        if (name.startswith("_") and not is_special) or name == "__post_init__":
            return True
    return False


def is_guessed_public(declared: FoundDeclaration) -> bool:
    """Return True for what users may well reach where nothing says what is exported."""
    if declared.kind == "field" and is_filled_in_field(declared):
        return True
    if declared.kind == "constant" and not declared.owner and declared.name.islower():
        return False  # A module's own object, such as its logger
    modules = module_of(declared.versions.file.path).split(".")
    if modules[-1] == "setup" or not all(name.isidentifier() for name in modules):
        return False  # Nobody imports what builds a package, or a folder with a dash in its name
    return len(modules) <= _MAX_GUESSED_DEPTH


def is_filled_in_field(declared: FoundDeclaration) -> bool:
    """Return True for a field of a record that users fill in or exchange with the project."""
    if declared.kind != "field":
        return False
    if is_filled_in(declared.owner.rpartition(".")[2]):
        return True
    for declaration in (*declared.versions.new, *declared.versions.old):
        if declaration.kind == "class" and declaration.path == declared.owner:
            return is_exchanged(declaration.parts.get("base", "").split(","))
    return False


def has_public_path(difference: Difference, surface: SurfaceChange) -> bool:
    """Return True if users can import what a difference is about, before or after it."""
    for declared in (difference.before, difference.after):
        if declared is None:
            continue
        top = declared.path.partition(".")[0]
        if surface.public_path(declared.file, top):
            return True
    return False


def is_in_public_function(declared: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    """Return True for something in the body of a function or class that users import."""
    if surface is None or not declared.is_python or is_private(declared):
        return False
    top = declared.owner.partition(".")[0]
    return bool(top) and bool(surface.public_path(declared.file, top))


def is_reached_by_users(declared: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    """Return True for something that a public function or class of its file does or leads to.

    Where nothing says what is public, everything without an underscore may be.
    """
    top = declared.owner.partition(".")[0]
    if not top or not declared.is_python:
        return True
    if surface is None or not surface.is_exporting(declared.file):
        return not is_private(declared)
    return _is_reached(top, declared, surface)


def is_value_of_users(constant: FoundDeclaration, surface: SurfaceChange | None) -> bool:
    """Return True for a constant that public code of its file uses, or no code of it at all."""
    if HIDDEN.search(constant.file.removesuffix(".py")):
        return False
    text = _text_of(constant)
    if surface is None or not surface.is_exporting(constant.file) or text is None:
        return True
    top = constant.path.partition(".")[0]
    return not _is_used_in_definitions(top, text) or _is_reached(top, constant, surface)


def _is_reached(top: str, declared: FoundDeclaration, surface: SurfaceChange) -> bool:
    """Return True if users reach a name of a module, by itself or through public definitions."""
    text = _text_of(declared)
    names = {top} if text is None else {top, *_uses_by_definition(text)}
    public: list[str] = []
    for name in names:
        if is_filled_in(name) or surface.public_path(declared.file, name):
            public.append(name)
    return top in public if text is None else _is_used_by(public, top, text)


def _text_of(declared: FoundDeclaration) -> bytes | None:
    """Return the version of a file that has a declaration; None where only hunks are at hand."""
    texts = declared.versions.texts
    if len(texts) < _SIDES:
        return None
    return texts[0] if declared.side == "old" else texts[1]


def _is_used_by(public: Collection[str], name: str, text: bytes) -> bool:
    """Return True if public definitions of a module use a name of it, directly or through others."""
    uses = _uses_by_definition(text)
    reached = set(public)
    waiting = [definition for definition in public if definition in uses]
    while waiting:
        for used in uses[waiting.pop()] - reached:
            reached.add(used)
            if used in uses:
                waiting.append(used)
    return name in reached


def _is_used_in_definitions(name: str, text: bytes) -> bool:
    """Return True if any function or class of a module uses a name."""
    return any(name in used for used in _uses_by_definition(text).values())


@lru_cache(_MAX_MODULES_KEPT)
def _uses_by_definition(text: bytes) -> Mapping[str, frozenset[str]]:
    """Return the names in each function and class of a module; none of what cannot be parsed."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    uses: dict[str, frozenset[str]] = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        uses[node.name] = uses.get(node.name, frozenset()) | names
    return uses
