"""Which definitions of a Python module users reach: the public ones, and what these use."""

import ast
from collections.abc import Collection, Mapping
from functools import lru_cache

_MAX_MODULES_KEPT = 16


def is_reached(name: str, text: bytes, public: Collection[str]) -> bool:
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


def definitions_of(text: bytes) -> Collection[str]:
    """Return the functions and classes of a module."""
    return _uses_by_definition(text).keys()


def is_used_in_definitions(name: str, text: bytes) -> bool:
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
