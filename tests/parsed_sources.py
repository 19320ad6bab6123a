"""The project's source files, each parsed once for all tests of a process."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def python_files(folder: str) -> tuple[Path, ...]:
    """Return the Python files below a folder of the project, or the one file that it names."""
    path = ROOT / folder
    if path.is_file():
        return (path,)
    # The cases hold files of made-up projects.
    return tuple(file for file in sorted(path.rglob("*.py")) if "cases" not in file.parts)


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a source file, as `ast.walk` yields them."""
    return tuple(ast.walk(syntax_tree(file)))


@cache
def syntax_tree(file: Path) -> ast.Module:
    """Parse a source file; callers must not change the tree."""
    return ast.parse(file.read_text("utf-8"))
