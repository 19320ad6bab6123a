"""Modules of a Rust crate that nobody outside of it can name: `mod routes;`, without `pub`, in its root."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MODULE = re.compile(r"^(.*\bsrc|src)/(?!(?:lib|main|mod|bin)\b)(\w+)(?:/.*)?\.rs$")
_ROOTS = ("lib.rs", "main.rs")


class Module(NamedTuple):
    """A module that stands at the root of a crate, in whose folder or file something is declared."""

    root: str
    name: str


def module_of(path: str) -> Module | None:
    """Find the outermost module that a file of Rust belongs to; None for the root itself and other languages."""
    found = _MODULE.match(path)
    return Module(found[1], found[2]) if found else None


def words(module: Module) -> Iterator[str]:
    """Give what the lines hold by which a root takes a module in, or gives on what it has."""
    yield from (f"{before}{module.name}" for before in ("mod ", "use ", "crate::", "self::"))


def is_hidden(module: Module, lines: Iterable[tuple[str, str]]) -> bool:
    """Tell whether the root of the crate, by its lines, keeps a module for itself and gives on nothing of it."""
    roots = [f"{module.root}/{file}" for file in _ROOTS]
    own = [line.strip() for path, line in lines if path in roots]
    declared = [line for line in own if line.endswith(f"mod {module.name};")]
    given_on = any(line.startswith("pub use ") and f"{module.name}::" in line for line in own)
    return bool(declared) and not given_on and not any(line.startswith("pub mod ") for line in declared)
