"""Uses of other packages in Python files: names, calls, overridden methods, names in strings."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from agent.bumps.name_resolution.classes import is_constructed_as_base
from agent.bumps.name_resolution.expressions import ValueReader
from agent.bumps.name_resolution.values import (
    OPERATORS,
    Foreign,
    Own,
    Value,
    is_part_of,
    plain_path,
)
from agent.bumps.python_scopes import (
    IMPORTS,
    Binding,
    Function,
    ModuleScopes,
    PlacedNode,
    Scope,
    literal_keys,
    spelling,
)
from agent.bumps.user_modules import OwnModules, parsed, scopes_of

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_MAX_STRING = 300  # Characters of a string that may be a path


class CallShape(NamedTuple):
    """The arguments of a call, as far as its source shows them."""

    positions: int
    keywords: tuple[str, ...]
    is_open: bool  # Whether `*` or `**` may pass more


class Override(NamedTuple):
    """The parameters of a method that stands in for one of a package."""

    by_position: tuple[str, ...]
    names: tuple[str, ...]
    takes_positions: bool
    takes_names: bool
    is_called: bool  # Whether own code itself calls it


class PathUse(NamedTuple):
    """A line that uses something by its path.

    The parts of a path are names, and operators such as `()` for what a call returns.
    """

    path: str
    line: int
    call: CallShape | None = None
    caught: frozenset[str] = frozenset()  # The errors that are handled where the line is
    is_certain: bool = True  # Not by annotations or alternatives alone
    is_awaited: bool = False
    override: Override | None = None
    is_whole: bool = False  # Whether the path is written out here, in an import or a string


def imported_packages(source: str) -> set[str]:
    """Return the top-level names that a file imports."""
    names: set[str] = set()
    tree = parsed(source)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    return names


def path_uses(source: str, packages: Collection[str]) -> list[PathUse]:
    """Return what a file by itself uses of some packages, by paths without operators."""
    if not any(package in source for package in packages):
        return []
    uses: set[PathUse] = set()
    for use in OwnPython({_ALONE: source}, packages).uses(_ALONE):
        if use.override is None:
            uses.add(use._replace(path=plain_path(use.path)))
    return sorted(uses, key=lambda use: (use.line, use.path))


_ALONE = "file.py"


class OwnPython:
    """The Python files of a repository, of which those are parsed that may use some packages."""

    def __init__(self, texts: Mapping[str, str], packages: Collection[str]) -> None:
        self._modules = OwnModules(texts)
        self._values = ValueReader(frozenset(packages), self._modules)
        self._packages = frozenset(packages)
        self._concerned = self._modules.concerned_with(packages)

    def uses(self, file: str) -> list[PathUse]:
        """Return what a file uses of the packages, by line."""
        scopes = self._modules.scopes(file) if file in self._concerned else None
        return self._uses(scopes)

    def uses_of_text(self, file: str, text: str) -> list[PathUse]:
        """Return what another version of a file uses."""
        is_concerned = any(package in text for package in self._packages)
        if file not in self._concerned and not is_concerned:
            return []
        return self._uses(scopes_of(file, text))

    def _uses(self, scopes: ModuleScopes | None) -> list[PathUse]:
        if scopes is None:
            return []
        reader = _UseReader(self._packages, self._modules, self._values)
        try:
            reader.read(scopes)
        except RecursionError:
            return []
        return sorted(set(reader.uses), key=lambda use: (use.line, use.path))


@dataclass
class _UseReader:
    """Collects the uses of a file."""

    packages: frozenset[str]
    modules: OwnModules
    values: ValueReader
    uses: list[PathUse] = field(default_factory=list)
    _caught: dict[int, set[str]] = field(default_factory=dict)  # Errors, by line
    _scope: Scope | None = None  # Of the node that is read
    _versioned: dict[Scope, bool] = field(default_factory=dict)
    _attributes: set[str] = field(default_factory=set)  # The names of all that are used

    def read(self, scopes: ModuleScopes) -> None:
        """Collect all uses of a module."""
        called: set[ast.AST] = set()
        for placed in scopes.nodes:
            self._note_handlers(placed.node)
            if isinstance(placed.node, ast.Call):
                called.add(placed.node.func)
            elif isinstance(placed.node, ast.Attribute) and not _is_super(placed.node.value):
                self._attributes.add(placed.node.attr)
        for placed in scopes.nodes:
            node = placed.node
            scope = placed.scope
            self._scope = scope
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._read_import(node, scope)
            elif isinstance(node, ast.Call):
                self._read_call(node, placed)
                self._read_strings(node, scope)
                self._read_attribute_in_string(node, scope)
            elif isinstance(node, ast.ClassDef):
                self._read_overrides(scope.module.inner[node])
            elif isinstance(node, ast.Attribute | ast.Name) and node not in called:
                self._read_name(node, scope)

    def _depends_on_version(self) -> bool:
        """Return True where the code around asks for the version of a package first."""
        scope = self._scope
        if scope is None:
            return False
        if scope not in self._versioned:
            self._versioned[scope] = self.values.depends_on_version(scope)
        return self._versioned[scope]

    def _note_handlers(self, node: ast.AST) -> None:
        """Record which errors are caught on the lines of an attempt.

        What a function does that is only defined there happens later, and is not caught.
        """
        if not isinstance(node, ast.Try):
            return
        caught: set[str] = set()
        for handler in node.handlers:
            caught.update(_names_of_handler(handler))
        for statement in node.body:
            end = statement.end_lineno or statement.lineno
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for line in range(statement.lineno, end + 1):
                    self._caught.setdefault(line, set()).update(caught)

    def _read_import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        is_run = not _is_for_types(scope)
        module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        if isinstance(node, ast.ImportFrom) and node.level:
            return
        for alias in node.names:
            path = f"{module}{alias.name}".removesuffix(".*")
            if is_part_of(path, self.packages):
                line = node.lineno if alias.name == "*" else alias.lineno
                self._add(Foreign(path, is_run), line, is_whole=True)

    def _read_call(self, call: ast.Call, placed: PlacedNode) -> None:
        shape = self._call_shape(call, placed.scope)
        for value in self._functions(call.func, placed.scope):
            self._add(value, call.lineno, shape, is_awaited=placed.is_awaited)

    def _functions(self, function: ast.expr, scope: Scope) -> Iterator[Foreign]:
        """Yield what a call calls; a class of one's own may be constructed as its base is."""
        if isinstance(function, ast.Attribute) and function.attr == "__init__":
            for owner in self.values.values(function.value, scope):
                if isinstance(owner, Own) and owner.kind == "super":
                    yield from self._constructors(owner.scope, is_of_base=True)
            return
        for value in self.values.values(function, scope):
            if isinstance(value, Own) and value.kind == "class":
                yield from self._constructors(value.scope, is_of_base=False)
            elif isinstance(value, Foreign):
                yield value

    def _constructors(self, scope: Scope, *, is_of_base: bool) -> Iterator[Foreign]:
        """Yield the class of a package whose constructor runs for a class of one's own."""
        bases = self.values.bases(scope)
        if len(bases) != 1 or not (is_of_base or is_constructed_as_base(scope)):
            return
        base = bases[0]
        if isinstance(base, Foreign):
            yield base
        elif base is not None and base.kind == "class" and base.scope is not scope:
            yield from self._constructors(base.scope, is_of_base=False)

    def _read_name(self, node: ast.Attribute | ast.Name, scope: Scope) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        if isinstance(node, ast.Name):
            bindings = scope.lookup(node.id)
            if not bindings or any(binding.kind not in IMPORTS for binding in bindings):
                return
        for value in self.values.values(node, scope):
            if isinstance(value, Foreign) and value.path.rpartition(".")[2] not in OPERATORS:
                self._add(value, node.end_lineno or node.lineno)

    def _read_overrides(self, scope: Scope) -> None:
        """Note the methods of a class that may stand in for those of a package."""
        bases = [base for base in self.values.bases(scope) if isinstance(base, Foreign)]
        for name, bindings in scope.bindings.items():
            method = bindings[-1].node
            if not isinstance(method, Function) or method.decorator_list or name.startswith("__"):
                continue
            override = _override_of(method, is_called=name in self._attributes)
            for base in bases:
                use = PathUse(f"{base.path}.{name}", method.lineno, override=override)
                self.uses.append(use)

    def _call_shape(self, call: ast.Call, scope: Scope) -> CallShape:
        """Return the arguments of a call; `**` also passes the keys of a dictionary in the file."""
        is_open = any(isinstance(argument, ast.Starred) for argument in call.args)
        keywords: list[str] = []
        for keyword in call.keywords:
            if keyword.arg is None:
                is_open = True
                keywords += self._keys(keyword.value, scope)
            else:
                keywords.append(keyword.arg)
        return CallShape(len(call.args), tuple(keywords), is_open)

    def _keys(self, node: ast.expr, scope: Scope) -> tuple[str, ...]:
        """Return the keys of a dictionary that is bound once."""
        bindings: Iterable[Binding] = ()
        if isinstance(node, ast.Name):
            bindings = scope.lookup(node.id)
        elif isinstance(node, ast.Attribute):
            for owner in self.values.values(node.value, scope):
                bindings = _attribute_bindings(owner, node.attr)
        assigned = [binding for binding in bindings if binding.kind != "declared"]
        if len(assigned) != 1 or assigned[0].kind != "value" or assigned[0].index:
            return ()
        return literal_keys(assigned[0].node) or ()

    def _read_strings(self, call: ast.Call, scope: Scope) -> None:
        """Read paths that are passed as strings: `import_module("a.b")`, `patch("a.b.c")`.

        A module and a name in two strings beside each other are a path as well.
        """
        texts = [_text_of(argument) for argument in call.args]
        for index, text in enumerate(texts):
            if not _DOTTED.fullmatch(text) and text not in self.packages:
                continue
            line = call.args[index].lineno
            if not is_part_of(text, self.packages):
                for value in self._through_own_module(text, scope):
                    self._add(value, line)
                continue
            follower = texts[index + 1] if index + 1 < len(texts) else ""
            if follower.isidentifier():
                path = f"{text}.{follower}"
                line = call.args[index + 1].lineno
                self._add(Foreign(path), line, is_whole=True)
            elif "." in text:
                self._add(Foreign(text), line, is_whole=True)

    def _read_attribute_in_string(self, call: ast.Call, scope: Scope) -> None:
        """Read an attribute that must be there by its name: `patch.object(C, "name")`.

        So do `monkeypatch.setattr` and `getattr` without a default; the builtin `setattr` makes it.
        """
        texts = [_text_of(argument) for argument in call.args[:2]]
        if len(texts) != 2 or not texts[1].isidentifier() or not _needs_attribute(call):
            return
        for value in self.values.values(call.args[0], scope):
            if isinstance(value, Foreign):
                self._add(value.then(texts[1]), call.args[1].lineno)

    def _through_own_module(self, text: str, scope: Scope) -> list[Foreign]:
        """Return what a path through a module of one's own stands for: `patch("app.canvas.line")`."""
        parts = text.split(".")
        for length in range(len(parts) - 1, 0, -1):
            file = self.modules.place(scope.file, ".".join(parts[:length]))
            if not file.endswith(".py"):
                continue
            scopes = self.modules.scopes(file)
            values: tuple[Value, ...] = (Own("module", scopes.scope),) if scopes else ()
            for part in parts[length:]:
                values = self.values.members(values, part)
            return [value for value in values if isinstance(value, Foreign)]
        return []

    def _add(
        self,
        value: Foreign,
        line: int,
        call: CallShape | None = None,
        *,
        is_awaited: bool = False,
        is_whole: bool = False,
    ) -> None:
        use = PathUse(
            path=value.path,
            line=line,
            call=call,
            caught=frozenset(self._caught.get(line, ())),
            is_certain=value.is_certain and not self._depends_on_version(),
            is_awaited=is_awaited,
            is_whole=is_whole,
        )
        self.uses.append(use)


def _needs_attribute(call: ast.Call) -> bool:
    """Return True for a call that fails if its first argument has no attribute of the second."""
    name = spelling(call.func)
    if name in ("getattr", "delattr"):
        return len(call.args) == 2
    is_tolerant = any(keyword.arg in ("raising", "create") for keyword in call.keywords)
    return name.endswith((".setattr", ".delattr", "patch.object")) and not is_tolerant


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and spelling(node.func) == "super"


def _is_for_types(scope: Scope) -> bool:
    enclosing: Scope | None = scope
    while enclosing is not None:
        if enclosing.is_for_types:
            return True
        enclosing = enclosing.parent
    return False


def _override_of(method: Function, *, is_called: bool) -> Override:
    arguments = method.args
    by_position = [*arguments.posonlyargs, *arguments.args]
    names = [argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)]
    return Override(
        by_position=tuple(argument.arg for argument in by_position[1:]),
        names=tuple(names[0 if arguments.posonlyargs else 1 :]),
        takes_positions=arguments.vararg is not None,
        takes_names=arguments.kwarg is not None,
        is_called=is_called,
    )


def _attribute_bindings(owner: Value, name: str) -> list[Binding]:
    if not isinstance(owner, Own) or owner.kind not in ("instance", "class", "module"):
        return []
    return [*owner.scope.bindings.get(name, ()), *owner.scope.attributes.get(name, ())]


def _names_of_handler(handler: ast.ExceptHandler) -> Iterator[str]:
    if handler.type is None:
        yield "Exception"
        return
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    for error in caught:
        if spelling(error):
            yield spelling(error)


def _text_of(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if len(node.value) <= _MAX_STRING else ""
    return ""
