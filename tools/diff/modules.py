"""By which name users import or include a file."""

from functools import lru_cache

_ROOTS = ("src", "python", "lib")
"""Folders that hold packages and are not part of their names."""


@lru_cache(maxsize=20_000)
def module_of(path: str) -> str:
    """Name the module that a Python file is; a file of another language is named by its path.

    `pkg/tracing.py` and `pkg/tracing/__init__.py` are the same module.
    """
    base, dot, extension = path.rpartition(".")
    if not dot or extension not in ("py", "pyi"):
        return path
    parts = base.split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    while len(parts) > 1 and parts[0] in _ROOTS:
        parts = parts[1:]
    return ".".join(parts)
