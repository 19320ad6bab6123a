"""The scopes of a Python file, and what each name in them is bound to."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from agent.bumps.annotation_shapes import is_none, is_text

ScopeKind = Literal["module", "class", "function", "comprehension", "narrowed"]
BindingKind = Literal[
    "import",  # `import a`: the alias
    "from",  # `from a import b`: the alias, and the statement
    "value",  # The expression that is assigned
    "declared",  # The annotation
    "element",  # What is looped over
    "entered",  # What `with` opens
    "instance",  # The class of `except … as`, or of `isinstance`
    "definition",  # A function or a class
    "parameter",
    "unknown",
]
IMPORTS: tuple[BindingKind, ...] = ("import", "from")
Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


@dataclass(frozen=True, eq=False)
class Binding:
    """One way in which a name gets its value."""

    kind: BindingKind
    node: ast.AST
    scope: "Scope"  # Where the node is evaluated
    around: ast.AST | None = None  # The import or the function that the node belongs to
    index: tuple[int, ...] = ()  # Where in a tuple that is unpacked


@dataclass(eq=False)
class Scope:
    """The names of a module, class, function or comprehension.

    A narrowed scope is a block in which a test says more about some names.
    """

    kind: ScopeKind
    node: ast.AST
    parent: "Scope | None"
    file: str
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    attributes: dict[str, list[Binding]] = field(default_factory=dict)
    """What the methods of a class assign to its objects."""
    stars: list[ast.ImportFrom] = field(default_factory=list)
    inner: dict[ast.AST, "Scope"] = field(default_factory=dict)  # Of definitions, by their nodes
    returns: list[tuple[ast.expr, "Scope"]] = field(default_factory=list)
    yields: list[tuple[ast.expr, "Scope"]] = field(default_factory=list)
    module_names: set[str] = field(default_factory=set)  # Declared as global
    is_for_types: bool = False  # Read by type checkers alone
    test: ast.expr | None = None  # What decides whether a narrowed block runs

    @property
    def real(self) -> "Scope":
        """The scope in which a statement binds names."""
        scope = self
        while scope.kind == "narrowed" and scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def module(self) -> "Scope":
        """The scope of the module."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, binding: Binding) -> None:
        """Add a binding of a name where a statement of this scope binds it."""
        scope = self.real
        if name in scope.module_names:
            scope = scope.module
        scope.bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> Sequence[Binding]:
        """Return the bindings that a name has here, as Python looks it up."""
        binding_scope = self.real
        scope: Scope | None = self
        while scope is not None:
            if name in binding_scope.module_names:
                return binding_scope.module.bindings.get(name, ())
            is_visible = scope.kind != "class" or scope is binding_scope
            if is_visible and name in scope.bindings:
                return scope.bindings[name]
            scope = scope.parent
        return ()

    def narrowed(self, spelling: str) -> Sequence[Binding]:
        """Return what a test around this place says of an attribute, as it is written."""
        scope: Scope | None = self
        while scope is not None and scope.kind in ("narrowed", "comprehension"):
            if spelling in scope.bindings:
                return scope.bindings[spelling]
            scope = scope.parent
        return ()

    def class_around(self) -> "Scope | None":
        """Return the class whose method this scope is in."""
        scope: Scope | None = self
        while scope is not None and scope.parent is not None:
            above = scope.parent.real
            if scope.kind == "function" and above.kind == "class":
                return above
            scope = scope.parent
        return None


class PlacedNode(NamedTuple):
    """A node of a file, and the scope in which it is evaluated."""

    node: ast.AST
    scope: Scope
    is_awaited: bool


class ModuleScopes:
    """All nodes of a file with their scopes."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.nodes: list[PlacedNode] = []
        self.scope = Scope("module", tree, None, file)
        self._file = file
        self._block(tree.body, self.scope)

    def _block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Read statements in their order: one that ends the block otherwise narrows the others."""
        for number, statement in enumerate(statements):
            self._walk(statement, scope)
            rest = statements[number + 1 :]
            narrowed = self._scope_after(statement, scope, rest)
            if narrowed is not None:
                self._block(rest, narrowed)
                return

    def _scope_after(
        self, statement: ast.stmt, scope: Scope, rest: Sequence[ast.stmt]
    ) -> Scope | None:
        if isinstance(statement, ast.Assert):
            return self._narrowed(statement.test, scope, rest)
        if isinstance(statement, ast.If) and _is_left(statement.body) and not statement.orelse:
            test = statement.test
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                return self._narrowed(test.operand, scope, rest)
            return self._otherwise(test, scope)
        return None

    def _narrowed(self, test: ast.expr, scope: Scope, block: Sequence[ast.AST]) -> Scope | None:
        """Return the scope of a block that runs if a test is true; None if it says nothing."""
        facts = dict(_facts_of(test, scope))
        stored: set[str] = set()
        if facts:
            for part in block:
                stored.update(spelling(node) for node in ast.walk(part) if is_bound(node))
        bindings = {name: [binding] for name, binding in facts.items() if name not in stored}
        is_for_types = spelling(test).rpartition(".")[2] == "TYPE_CHECKING"
        if not bindings and not is_for_types and not _may_ask_version(test):
            return None
        return Scope(
            "narrowed",
            test,
            scope,
            self._file,
            bindings=bindings,
            is_for_types=is_for_types,
            test=test,
        )

    def _otherwise(self, test: ast.expr, scope: Scope) -> Scope:
        """Return the scope of a block that runs if a test is false."""
        return Scope("narrowed", test, scope, self._file, test=test)

    def _walk(self, node: ast.AST, scope: Scope, *, is_awaited: bool = False) -> None:
        self.nodes.append(PlacedNode(node, scope, is_awaited))
        _bind(node, scope)
        if isinstance(node, Function | ast.Lambda):
            self._walk_function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._walk_class(node, scope)
        elif isinstance(node, _COMPREHENSIONS):
            self._walk_comprehension(node, scope)
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            self._walk_condition(node, scope)
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            self._walk_conjunction(node, scope)
        else:
            self._walk_fields(node, scope, is_awaited=isinstance(node, ast.Await))

    def _walk_fields(self, node: ast.AST, scope: Scope, *, is_awaited: bool) -> None:
        for _, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                self._walk(value, scope, is_awaited=is_awaited)
            elif isinstance(value, list):
                if value and isinstance(value[0], ast.stmt):
                    self._block(value, scope)
                    continue
                for element in value:
                    if isinstance(element, ast.AST):
                        self._walk(element, scope)

    def _walk_all(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self._walk(node, scope)

    def _walk_function(self, node: Function | ast.Lambda, scope: Scope) -> None:
        inner = Scope("function", node, scope, self._file)
        scope.module.inner[node] = inner
        parameters = all_parameters(node.args)
        self._walk_all((*node.args.defaults, *node.args.kw_defaults), scope)
        self._walk_all((parameter.annotation for parameter in parameters), scope)
        for parameter in parameters:
            inner.bind(parameter.arg, Binding("parameter", parameter, scope, node))
        if isinstance(node, ast.Lambda):
            self._walk(node.body, inner)
            return
        self._walk_all((*node.decorator_list, node.returns), scope)
        self._block(node.body, inner)

    def _walk_class(self, node: ast.ClassDef, scope: Scope) -> None:
        inner = Scope("class", node, scope, self._file)
        scope.module.inner[node] = inner
        self._walk_all((*node.decorator_list, *node.bases, *node.keywords), scope)
        self._block(node.body, inner)

    def _walk_comprehension(self, node: _COMPREHENSIONS, scope: Scope) -> None:
        inner = Scope("comprehension", node, scope, self._file)
        scope.module.inner[node] = inner
        for number, generator in enumerate(node.generators):
            self._walk(generator.iter, inner if number else scope)
            evaluated_in = inner if number else scope
            _bind_target(generator.target, Binding("element", generator.iter, evaluated_in), inner)
            self._walk_all((generator.target, *generator.ifs), inner)
        results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        self._walk_all(results, inner)

    def _walk_condition(self, node: ast.If | ast.IfExp | ast.While, scope: Scope) -> None:
        self._walk(node.test, scope)
        if isinstance(node, ast.IfExp):
            self._walk(node.body, self._narrowed(node.test, scope, [node.body]) or scope)
            self._walk(node.orelse, self._otherwise(node.test, scope))
            return
        self._block(node.body, self._narrowed(node.test, scope, node.body) or scope)
        self._block(node.orelse, self._otherwise(node.test, scope))

    def _walk_conjunction(self, node: ast.BoolOp, scope: Scope) -> None:
        """Read `a and b`, where b is evaluated only if a is true."""
        for value in node.values:
            self._walk(value, scope)
            scope = self._narrowed(value, scope, node.values) or scope


def _facts_of(test: ast.expr, scope: Scope) -> Iterator[tuple[str, Binding]]:
    """Yield what `isinstance(x, C)` and `hasattr(x, "name")` say where they are true."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from _facts_of(part, scope)
    if not isinstance(test, ast.Call) or len(test.args) != 2:
        return
    subject, argument = test.args
    if isinstance(subject, ast.NamedExpr):
        subject = subject.target
    if spelling(test.func) == "isinstance" and spelling(subject):
        yield spelling(subject), Binding("instance", argument, scope)
    elif spelling(test.func) == "hasattr" and is_text(argument):
        yield (
            f"{spelling(subject)}.{ast.literal_eval(argument)}",
            Binding("unknown", argument, scope),
        )


def _may_ask_version(test: ast.expr) -> bool:
    """Return True for a test of something that has a name of its own, such as `IS_NEW`."""
    return any(isinstance(node, ast.Name | ast.Attribute) for node in ast.walk(test))


def _is_left(block: Sequence[ast.stmt]) -> bool:
    return isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _bind(node: ast.AST, scope: Scope) -> None:
    """Bind the names that a node binds."""
    if isinstance(node, ast.Import):
        _bind_imports(node, scope)
    elif isinstance(node, ast.ImportFrom):
        _bind_names(node, scope)
    elif isinstance(node, Function | ast.ClassDef):
        scope.bind(node.name, Binding("definition", node, scope))
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
        _bind_assigned(node, scope)
    elif isinstance(node, ast.For | ast.AsyncFor):
        _bind_target(node.target, Binding("element", node.iter, scope), scope)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        _bind_target(node.optional_vars, Binding("entered", node.context_expr, scope), scope)
    else:
        _bind_otherwise(node, scope)


def _bind_otherwise(node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.ExceptHandler) and node.name:
        kind: BindingKind = "instance" if node.type is not None else "unknown"
        scope.bind(node.name, Binding(kind, node.type or node, scope))
    elif isinstance(node, ast.AugAssign):
        _bind_target(node.target, Binding("unknown", node, scope), scope)
    elif isinstance(node, ast.Global):
        scope.real.module_names.update(node.names)
    elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        scope.bind(node.name, Binding("unknown", node, scope))
    elif isinstance(node, ast.Return) and node.value is not None:
        scope.real.returns.append((node.value, scope))
    elif isinstance(node, ast.Yield) and node.value is not None:
        scope.real.yields.append((node.value, scope))


def _bind_imports(node: ast.Import, scope: Scope) -> None:
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        scope.bind(name, Binding("import", alias, scope, node))


def _bind_names(node: ast.ImportFrom, scope: Scope) -> None:
    for alias in node.names:
        if alias.name == "*":
            scope.module.stars.append(node)
        else:
            scope.bind(alias.asname or alias.name, Binding("from", alias, scope, node))


def _bind_assigned(node: ast.Assign | ast.AnnAssign | ast.NamedExpr, scope: Scope) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(node, ast.AnnAssign):
            _bind_target(target, Binding("declared", node.annotation, scope), scope)
        # None stands in for an import that failed, or for what comes later.
        if node.value is not None and not is_none(node.value):
            _bind_target(target, Binding("value", node.value, scope), scope)


def _bind_target(target: ast.AST, binding: Binding, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        binding_scope = scope.real
        while isinstance(binding.node, ast.NamedExpr) and binding_scope.kind == "comprehension":
            binding_scope = binding_scope.parent.real if binding_scope.parent else binding_scope
        binding_scope.bind(target.id, binding)
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = scope.class_around()
        if owner is not None and target.value.id == _receiver(owner, scope):
            owner.attributes.setdefault(target.attr, []).append(binding)
    elif isinstance(target, ast.Tuple | ast.List):
        for number, element in enumerate(target.elts):
            part = Binding(
                binding.kind, binding.node, binding.scope, index=(*binding.index, number)
            )
            _bind_target(element, part, scope)
    elif isinstance(target, ast.Starred):
        _bind_target(target.value, Binding("unknown", target, scope), scope)


def _receiver(owner: Scope, scope: Scope) -> str:
    """Return the name of the first parameter of the method that a scope is in."""
    inner: Scope | None = scope
    while inner is not None and not (inner.kind == "function" and inner.parent is not None):
        inner = inner.parent
    while inner is not None and inner.parent is not None and inner.parent.real is not owner:
        inner = inner.parent
    node = inner.node if inner is not None else None
    return receiver_of(node) if isinstance(node, Function) else ""


def receiver_of(method: Function) -> str:
    """Return the name by which a method knows its object or its class; empty if it is static."""
    decorators = {spelling(node) for node in method.decorator_list}
    parameters = [*method.args.posonlyargs, *method.args.args]
    return parameters[0].arg if parameters and "staticmethod" not in decorators else ""


def all_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """Return every parameter of a function."""
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return parameters


def is_bound(node: ast.AST) -> bool:
    """Return True for a name or an attribute that gets a value."""
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)


def spelling(node: ast.AST) -> str:
    """Return a name with its attributes as it is written; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *names]) if isinstance(node, ast.Name) else ""


def literal_keys(node: ast.AST) -> tuple[str, ...] | None:
    """Return the keys of a dictionary that is written out, `{"a": 1}` or `dict(a=1)`."""
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        return tuple(key for key in keys if isinstance(key, str))
    if isinstance(node, ast.Call) and spelling(node.func) == "dict":
        return tuple(keyword.arg for keyword in node.keywords if keyword.arg)
    return None
