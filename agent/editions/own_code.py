"""Where the user's own code uses what a change removes, renames or alters; nothing here reads files or leaves them."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.domain.base import RepoId
from agent.domain.facts import Fact, FactKind, Severity

K = FactKind
MOST_PLACES = 3
_SETTING = ("flag-", "env-", "route-", "config-key-", "unregistered")
_SYMBOL = ("symbol-", "field-", "enum-member-", "constant-", "base-", "signature-", "deprecated")
_GONE = (K.PARAMETER_REMOVED, K.PARAMETER_RENAMED)
_HANDED_ON = ("Args", "Arguments")
"""Records of everything that a program can be started with: its interfaces take their fields by name."""
_OWN_FIELDS = ("Config", "Options", "Settings", "Params", "Request", "Response", *_HANDED_ON)
_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|/[\w{}./-]*[\w}]|[A-Za-z_][\w.-]*\w|[A-Za-z_]")
_DECLARES = ("add_argument", "option", "argument", "Option", "Argument")
"""Functions that define an option of the user's own program: argparse, click, typer."""
_BUILTIN = frozenset(name for kind in (dict, list, str, set, bytes, Exception) for name in dir(kind))
"""Methods that objects of an unknown type have anyway."""


def concerns(fact: Fact) -> bool:
    """Tell a fact after which code that was written before may need a change; what is new is in nobody's code."""
    added = fact.kind.endswith("-added") and not (fact.kind is K.PARAMETER_ADDED and fact.severity is Severity.BREAKING)
    return fact.kind.startswith((*_SETTING, *_SYMBOL, "parameter-", "file-re")) and not added


def used_name(fact: Fact) -> str:
    """Name what is used, as code has it that was written before."""
    return f"{_sought(fact)}({_parameter(fact)})" if fact.kind.startswith("parameter-") else _sought(fact)


def projects_of(repo: RepoId, facts: Iterable[Fact]) -> frozenset[str]:
    """Name what code says that uses a repository: its own name, its packages, its public headers' folders."""
    modules = (fact.module.partition("include/")[2] or fact.module for fact in facts)
    tops = {re.split(r"[./]", module)[0].lower() for module in modules}
    return frozenset({repo.rpartition("/")[2].lower(), *(top for top in tops if len(top) > 3)})


def names_project(text: str, projects: Iterable[str]) -> bool:
    """Tell a file that has anything to do with a project: flags and common words mean nothing elsewhere."""
    low = text.lower()
    return any(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", low) for name in projects if name in low)


def find_uses(facts: Sequence[Fact], path: str, text: str) -> Iterator[tuple[Fact, int]]:
    """Find the lines of one file that use what the facts are about, each fact in its first few places."""
    python = read_python(text) if path.endswith((".py", ".pyi")) else None
    lines = enumerate(text.splitlines(), start=1)
    code = ((line, number) for number, line in lines if not line.lstrip().startswith(("#", "//")))
    tokens = _tokens(python.texts if python else code)
    for fact in facts:
        found = {*tokens.get(_flag_of(fact), ())}
        if fact.kind.startswith(_SETTING):
            found |= {*_setting_lines(fact, tokens, python)}
        elif python:
            found |= {*_python_lines(fact, python)}
        yield from ((fact, line) for line in sorted(found)[:MOST_PLACES])


def _flag_of(fact: Fact) -> str:
    """Give the flag that a field of a program's arguments is set by."""
    owner, _, name = _sought(fact).rpartition(".")
    return f"--{name.replace('_', '-')}" if fact.kind.startswith("field-") and owner.endswith(_HANDED_ON) else ""


def _sought(fact: Fact) -> str:
    """Give the name that code has which was written before the change."""
    if fact.kind.endswith("-renamed") and fact.old and not fact.kind.startswith(("parameter-", "file-")):
        owner = fact.name.rpartition(".")[0] if fact.kind.startswith(_SYMBOL) else ""
        return f"{owner}.{fact.old}" if owner else fact.old
    return fact.name.removesuffix(".__init__")


def _tokens(lines: Iterable[tuple[str, int]]) -> Mapping[str, list[int]]:
    """Find the words of lines; a text over several lines is named by its first."""
    found: dict[str, list[int]] = defaultdict(list)
    for text, first in lines:
        for offset, line in enumerate(text.split("\n")):
            for token in _TOKEN.findall(line):
                found[_plain(token)].append(first + offset)
    return found


def _plain(token: str) -> str:
    """Write a flag one way: programs take dashes and underscores alike, and `--no-` before a switch."""
    return "--" + token[2:].replace("_", "-").removeprefix("no-") if token.startswith("--") else token


def _setting_lines(fact: Fact, tokens: Mapping[str, list[int]], python: "PythonFile | None") -> Iterator[int]:
    name = _sought(fact)
    if fact.kind.startswith(("config-key-", "unregistered")) and not re.search(r"[a-z][_.-]?[A-Z_.-]", name):
        # A single common word.
        return
    yield from tokens.get(_plain(name), ())
    if python and fact.kind.startswith("env-"):
        yield from (one.line for one in python.references if one.name.rpartition(".")[2] == name)
    if fact.kind.startswith("route-"):
        yield from (line for token, lines in tokens.items() if token.endswith(name) for line in lines)


def _python_lines(fact: Fact, file: "PythonFile") -> Iterator[int]:
    """Find references to a name; of a parameter, the calls that give one which is gone, or lack one which is new."""
    sought, keyword = _sought(fact), _parameter(fact)
    owner, _, name = sought.rpartition(".")
    has_owner = bool(owner) and any(_means(one.name, fact.module, owner) for one in file.references)
    top = fact.module.partition(".")[0] if owner.endswith(_HANDED_ON) else ""
    for one in file.references:
        if fact.kind.startswith("file-"):
            used = _within(one.name, fact.module)
        elif keyword:
            named = one.name.endswith(f".{sought}") and _means(one.name, fact.module, sought)
            named = named or (has_owner and one.name == f".{name}" and fact.kind in _GONE)
            used = one.call and named and (keyword in one.keywords) is (fact.kind in _GONE)
        else:
            # A member of an object of unknown type counts where the file knows the class.
            member = has_owner and one.name == f".{name}" and name not in _BUILTIN
            used = member or _means(one.name, fact.module, sought, exact=fact.kind is K.SYMBOL_MOVED)
        if used:
            yield one.keywords.get(keyword, one.line)
        elif fact.kind.startswith("field-") and name in one.keywords:
            handed_on = _within(one.name, top) and not one.name.endswith(_OWN_FIELDS)
            if handed_on or _means(one.name, fact.module, owner):
                yield one.keywords[name]


def _parameter(fact: Fact) -> str:
    own = fact.old if fact.kind is K.PARAMETER_RENAMED else fact.detail
    return own or "" if fact.kind.startswith("parameter-") else ""


def _means(name: str, module: str, path: str, *, exact: bool = False) -> bool:
    """Tell whether a dotted name is this one of the module, or as a package above gives it on."""
    head, found, _ = f"{name}.".partition(f".{path}.")
    return bool(found) and (head == module if exact else _within(module, head))


def _within(name: str, package: str) -> bool:
    return bool(package) and (name == package or name.startswith(f"{package}."))


@dataclass(frozen=True)
class Reference:
    """A dotted name that begins with an imported package, or with a dot where the object is of an unknown type."""

    name: str
    line: int
    call: bool = False
    keywords: Mapping[str, int] = field(default_factory=dict)  # The lines of what is given by its name


def read_python(source: str) -> "PythonFile | None":
    """Read a file; None for what is no Python of this version."""
    try:
        return PythonFile(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class PythonFile:
    """What a file takes from other packages: its texts, and imported names, followed to where they are used.

    Names mean the same in the whole file; an instance is known by the name of its class.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.references: list[Reference] = []
        self.texts: list[tuple[str, int]] = []
        self._known: dict[str, str] = {}
        # Twice: what a function takes may be assigned further down.
        for node in (*ast.walk(tree), *ast.walk(tree)):
            self._learn(node)
        self._read(tree)

    def _learn(self, node: ast.AST) -> None:
        """Note what an import, an assignment or an annotation says of a name."""
        if isinstance(node, ast.Import):
            whole = {one.asname or one.name.partition(".")[0]: one for one in node.names}
            self._known |= {name: one.name if one.asname else name for name, one in whole.items()}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            self._known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        for target, value in _bindings(node):
            if meant := self._meaning(value):
                self._known.setdefault(ast.unparse(target), meant)

    def _meaning(self, node: ast.AST) -> str:
        """Follow an expression to the dotted name it means; empty where that is not known."""
        if isinstance(node, ast.Await):
            return self._meaning(node.value)
        if isinstance(node, ast.Call):
            called = self._meaning(node.func)
            return called if called.rpartition(".")[2][:1].isupper() else ""
        if isinstance(node, ast.Attribute):
            owner = self._meaning(node.value)
            return self._known.get(ast.unparse(node)) or (f"{owner}.{node.attr}" if owner else "")
        # An annotation may stand in quotation marks.
        name = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
        return self._known.get(str(name), "")

    def _read(self, node: ast.AST) -> None:
        """Take down what a node refers to, then what is inside of it."""
        if isinstance(node, ast.Call):
            self._refer(node.func, {one.arg or "**": one.lineno for one in node.keywords})
        elif isinstance(node, ast.Attribute | ast.Name):
            if self._refer(node):
                return
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.texts.append((node.value, node.lineno))
        elif isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            self.references += [Reference(package + one.name, one.lineno) for one in node.names]
        # Documentation is left out, and so are the options that a program defines itself.
        own = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DECLARES
        for child in ast.iter_child_nodes(node):
            if not ((own or isinstance(node, ast.Expr)) and isinstance(child, ast.Constant)):
                self._read(child)

    def _refer(self, node: ast.expr, keywords: Mapping[str, int] | None = None) -> bool:
        """Take down a reference, a call where it has keywords; whether it is known what the whole of it means."""
        meant, line = self._meaning(node), node.end_lineno or node.lineno
        if name := meant or (f".{node.attr}" if isinstance(node, ast.Attribute) else ""):
            self.references.append(Reference(name, line, keywords is not None, keywords or {}))
        return bool(meant)


def _bindings(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Give what is bound to a name, and the expression or annotation that says what it is."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign):
        yield node.target, node.annotation
    elif isinstance(node, ast.arg) and node.annotation:
        yield ast.Name(node.arg), node.annotation
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield node.optional_vars, node.context_expr
