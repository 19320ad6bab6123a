"""What a Python file of the user's own takes from other packages: imported names, followed to where they are used."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_DECLARES = ("add_argument", "option", "argument", "Option", "Argument")
"""Functions that define an option of the user's own program: argparse, click, typer."""


@dataclass(frozen=True)
class Reference:
    """A dotted name that begins with an imported package, and how it is called there."""

    name: str
    line: int
    call: bool = False
    keywords: Mapping[str, int] = field(default_factory=dict)
    """The lines of what is given by its name."""
    positional: int = 0
    overrides: bool = False


@dataclass
class PythonFile:
    """The references of a file, its texts, and the attributes of objects that are of an unknown type."""

    references: list[Reference] = field(default_factory=list)
    texts: list[tuple[str, int]] = field(default_factory=list)
    members: list[Reference] = field(default_factory=list)


def read_python(source: str) -> PythonFile | None:
    """Read a file; None for what is no Python of this version."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = _Bindings()
    for _ in range(2):
        # What a function takes may be assigned further down.
        for node in ast.walk(tree):
            names.learn(node)
    found = PythonFile()
    _read(tree, names, "", found)
    return found


class _Bindings:
    """Which local names mean what, in the whole file: an instance is known by the name of its class."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def learn(self, node: ast.AST) -> None:
        """Note what an import, an assignment or an annotation says of a name."""
        if isinstance(node, ast.Import):
            for one in node.names:
                self._known[one.asname or one.name.partition(".")[0]] = (
                    one.name if one.asname else one.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            self._known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, self.of(node.value))
        elif isinstance(node, ast.AnnAssign):
            self._bind(node.target, self.of(node.annotation))
        elif isinstance(node, ast.arg) and node.annotation:
            self._bind(ast.Name(node.arg), self.of(node.annotation))
        elif isinstance(node, ast.withitem) and node.optional_vars:
            self._bind(node.optional_vars, self.of(node.context_expr))

    def of(self, node: ast.AST, base: str = "") -> str:
        """Follow an expression to the dotted name it means; empty where that is not known."""
        if isinstance(node, ast.Await):
            return self.of(node.value, base)
        if isinstance(node, ast.Call):
            called = self.of(node.func, base)
            return called if called.rpartition(".")[2][:1].isupper() else ""
        if isinstance(node, ast.Attribute):
            known = self._known.get(_written(node))
            owner = self.of(node.value, base)
            return known or (f"{owner}.{node.attr}" if owner else "")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            # An annotation in quotation marks.
            return self._known.get(node.value, "")
        if isinstance(node, ast.Name):
            return base if node.id in ("self", "cls") and base else self._known.get(node.id, "")
        return ""

    def _bind(self, target: ast.AST, meant: str) -> None:
        if meant and (written := _written(target)) and written not in self._known:
            self._known[written] = meant


def _written(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    inside = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return f"self.{node.attr}" if inside and isinstance(node, ast.Attribute) else ""


def _read(node: ast.AST, names: _Bindings, base: str, found: PythonFile) -> None:
    """Take down what a node refers to, then what is inside of it; `base` is what the class around it extends."""
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        found.references += [Reference(f"{node.module}.{one.name}", one.lineno) for one in node.names]
    elif isinstance(node, ast.Import):
        found.references += [Reference(one.name, one.lineno) for one in node.names]
    elif isinstance(node, ast.Call):
        found.references += _called(node, names, base, found)
    elif isinstance(node, ast.Attribute | ast.Name):
        if meant := names.of(node, base):
            found.references.append(Reference(meant, node.end_lineno or node.lineno))
            return
        if isinstance(node, ast.Attribute):
            found.members.append(Reference(node.attr, node.end_lineno or node.lineno))
    elif isinstance(node, ast.ClassDef):
        base = next((meant for one in node.bases if (meant := names.of(one))), "")
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and base:
        found.references.append(Reference(f"{base}.{node.name}", node.lineno, overrides=True))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        found.texts.append((node.value, node.lineno))
    for child in _inside(node):
        _read(child, names, base, found)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Leave out documentation, the options that a program defines itself, and names that are assigned."""
    own = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DECLARES
    for child in ast.iter_child_nodes(node):
        prose = isinstance(node, ast.Expr) and isinstance(child, ast.Constant)
        if not prose and not (own and isinstance(child, ast.Constant)):
            yield child


def _called(node: ast.Call, names: _Bindings, base: str, found: PythonFile) -> Iterator[Reference]:
    """Give a call by what it calls; of an object of an unknown type only the method is known."""
    keywords = {one.arg or "**": one.lineno for one in node.keywords}
    line = node.func.end_lineno or node.lineno
    if meant := names.of(node.func, base):
        yield Reference(meant, line, call=True, keywords=keywords, positional=len(node.args))
    elif isinstance(node.func, ast.Attribute):
        found.members.append(Reference(node.func.attr, line, call=True, keywords=keywords))
