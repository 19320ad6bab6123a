"""What a Python file of the user's own takes from other packages: imported names, followed to where they are used."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_DECLARES = ("add_argument", "option", "argument", "Option", "Argument")
"""Functions that define an option of the user's own program: argparse, click, typer."""


@dataclass(frozen=True)
class Reference:
    """A dotted name that begins with an imported package, or with a dot where the object is of an unknown type."""

    name: str
    line: int
    call: bool = False
    keywords: Mapping[str, int] = field(default_factory=dict)
    """The lines of what is given by its name."""
    overrides: bool = False


@dataclass
class PythonFile:
    """The references of a file, and its texts."""

    references: list[Reference] = field(default_factory=list)
    texts: list[tuple[str, int]] = field(default_factory=list)


def read_python(source: str) -> PythonFile | None:
    """Read a file; None for what is no Python of this version."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reader = _Reader()
    for _ in range(2):
        # What a function takes may be assigned further down.
        for node in ast.walk(tree):
            reader.learn(node)
    reader.read(tree, "")
    return reader.found


class _Reader:
    """Follows local names to what they mean, in the whole file; an instance is known by the name of its class."""

    def __init__(self) -> None:
        self.found = PythonFile()
        self._known: dict[str, str] = {}

    def learn(self, node: ast.AST) -> None:
        """Note what an import, an assignment or an annotation says of a name."""
        if isinstance(node, ast.Import):
            whole = {one.asname or one.name.partition(".")[0]: one for one in node.names}
            self._known |= {name: one.name if one.asname else name for name, one in whole.items()}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            self._known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(ast.unparse(target), node.value)
        elif isinstance(node, ast.AnnAssign):
            self._bind(ast.unparse(node.target), node.annotation)
        elif isinstance(node, ast.arg) and node.annotation:
            self._bind(node.arg, node.annotation)
        elif isinstance(node, ast.withitem) and node.optional_vars:
            self._bind(ast.unparse(node.optional_vars), node.context_expr)

    def _bind(self, written: str, value: ast.AST) -> None:
        if meant := self._of(value):
            self._known.setdefault(written, meant)

    def _of(self, node: ast.AST, base: str = "") -> str:
        """Follow an expression to the dotted name it means; empty where that is not known."""
        if isinstance(node, ast.Await):
            return self._of(node.value, base)
        if isinstance(node, ast.Call):
            called = self._of(node.func, base)
            return called if called.rpartition(".")[2][:1].isupper() else ""
        if isinstance(node, ast.Attribute):
            owner = self._of(node.value, base)
            own = self._known.get(f"self.{node.attr}") if ast.unparse(node.value) == "self" else None
            return own or (f"{owner}.{node.attr}" if owner else "")
        if isinstance(node, ast.Name):
            return base if node.id in ("self", "cls") and base else self._known.get(node.id, "")
        # An annotation in quotation marks.
        return self._known.get(node.value, "") if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""

    def read(self, node: ast.AST, base: str) -> None:
        """Take down what a node refers to, then what is inside of it; `base` is what the class around it extends."""
        if isinstance(node, ast.Call):
            keywords = {one.arg or "**": one.lineno for one in node.keywords}
            self._refer(node.func, base, call=True, keywords=keywords)
        elif isinstance(node, ast.Attribute | ast.Name):
            if self._refer(node, base):
                return
        elif isinstance(node, ast.ClassDef):
            base = next((meant for one in node.bases if (meant := self._of(one))), "")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and base:
            self.found.references.append(Reference(f"{base}.{node.name}", node.lineno, overrides=True))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.found.texts.append((node.value, node.lineno))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            before = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module and not node.level else ""
            if before or isinstance(node, ast.Import):
                self.found.references += [Reference(before + one.name, one.lineno) for one in node.names]
        for child in _inside(node):
            self.read(child, base)

    def _refer(
        self, node: ast.expr, base: str, *, call: bool = False, keywords: Mapping[str, int] | None = None
    ) -> bool:
        """Take down a reference; whether it is known what the whole of it means."""
        meant, line = self._of(node, base), node.end_lineno or node.lineno
        name = meant or (f".{node.attr}" if isinstance(node, ast.Attribute) else "")
        if name:
            self.found.references.append(Reference(name, line, call=call, keywords=keywords or {}))
        return bool(meant)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Leave out documentation, and the options that a program defines itself."""
    own = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DECLARES
    for child in ast.iter_child_nodes(node):
        if not ((own or isinstance(node, ast.Expr)) and isinstance(child, ast.Constant)):
            yield child
