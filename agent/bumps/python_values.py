"""What an expression of one's own code stands for: a part of a package, or something of one's own."""

import ast
import builtins
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal

from agent.bumps.own_modules import OwnModules
from agent.bumps.python_scopes import (
    IMPORTS,
    Binding,
    Function,
    Scope,
    receiver_of,
    spelling,
)
from agent.bumps.type_annotations import annotation_shape, is_none, is_text

CALL, AWAIT, ITEM, ELEMENT, ENTER = "()", "await", "[]", "*", "with"
OPERATORS = (CALL, AWAIT, ITEM, ELEMENT, ENTER)
"""Parts of a path that no name can be: what a call returns, what is awaited, an item by its key,
an element of a loop, and what `with` gives."""
_MAX_PARTS = 24  # Of a path; a longer one is a circle


@dataclass(frozen=True)
class Foreign:
    """A part of a package, by a path of names and operators."""

    path: str
    is_certain: bool = True  # Not by annotations or alternatives alone

    def then(self, part: str) -> "Foreign":
        """Return what a further name or operator leads to."""
        return replace(self, path=f"{self.path}.{part}")


@dataclass(frozen=True)
class Own:
    """A module, class, function, object, or `super()` of one's own."""

    kind: Literal["module", "class", "function", "instance", "super"]
    scope: Scope


@dataclass(frozen=True)
class OwnFolder:
    """A package of one's own without a file."""

    path: str


@dataclass(frozen=True)
class Holder:
    """What holds or yields other values."""

    kind: Literal["iterable", "mapping", "tuple", "awaitable", "context"]
    parts: tuple["Values", ...]


Value = Foreign | Own | OwnFolder | Holder
Values = tuple[Value, ...]
"""What an expression may be; empty where that is not known."""
_VERSIONS = ("__version__", "__version_info__", "VERSION", "version", "version_info")
"""Names under which packages tell their version."""
_MAX_VERSION_HOPS = 4  # Names between a test and the version that it asks for
_PASSED_ON = ("staticmethod", "classmethod", "override", "abstractmethod", "cache", "lru_cache")
_PROPERTIES = ("property", "cached_property")
_CONTEXTS = ("contextmanager", "asynccontextmanager")


@dataclass
class ValueReader:
    """Evaluates expressions without running them; each is looked at once."""

    packages: frozenset[str]
    modules: OwnModules
    _known: dict[ast.AST, Values] = field(default_factory=dict)
    _open: dict[Scope, bool] = field(default_factory=dict)
    _under_way: set[object] = field(default_factory=set)

    def values(self, node: ast.AST, scope: Scope) -> Values:
        """Return what an expression stands for in a scope."""
        if node in self._known:
            return self._known[node]
        if node in self._under_way:
            return ()
        self._under_way.add(node)
        values = self._evaluated(node, scope)
        self._under_way.discard(node)
        self._known[node] = values
        return values

    def _evaluated(self, node: ast.AST, scope: Scope) -> Values:
        if isinstance(node, ast.Name):
            return self.of_name(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, scope)
        if isinstance(node, ast.Call):
            return self._of_call(node, scope)
        if isinstance(node, ast.Await):
            return self._each(self.values(node.value, scope), _awaited)
        if isinstance(node, ast.Subscript):
            index = node.slice.value if isinstance(node.slice, ast.Constant) else None
            number = index if isinstance(index, int) else -1
            return self._each(self.values(node.value, scope), lambda value: _item(value, number))
        return self._of_compound(node, scope)

    def _of_compound(self, node: ast.AST, scope: Scope) -> Values:
        if isinstance(node, ast.NamedExpr):
            return self.values(node.value, scope)
        if isinstance(node, ast.IfExp):
            return self._any_of([node.body, node.orelse], scope)
        if isinstance(node, ast.BoolOp):
            return self._any_of(node.values, scope)
        if isinstance(node, ast.Tuple):
            return (Holder("tuple", tuple(self.values(part, scope) for part in node.elts)),)
        if isinstance(node, ast.List | ast.Set):
            return (Holder("iterable", (self._any_of(node.elts, scope),)),)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            inner = scope.module.inner.get(node, scope)
            return (Holder("iterable", (self.values(node.elt, inner),)),)
        if isinstance(node, ast.DictComp):
            inner = scope.module.inner.get(node, scope)
            parts = (self.values(node.key, inner), self.values(node.value, inner))
            return (Holder("mapping", parts),)
        return ()

    def _any_of(self, nodes: Iterable[ast.expr], scope: Scope) -> Values:
        return joined(self.values(node, scope) for node in nodes if not is_none(node))

    def of_name(self, name: str, scope: Scope) -> Values:
        """Return what a name stands for."""
        bindings = scope.lookup(name)
        if bindings:
            return self._of_bindings(bindings)
        return () if hasattr(builtins, name) else self._of_stars(name, scope.module)

    def _of_stars(self, name: str, module: Scope) -> Values:
        """Return what a name stands for that only star imports can have bound."""
        foreign: list[Foreign] = []
        for statement in module.stars:
            source = statement.module or ""
            if not statement.level and is_part_of(source, self.packages):
                foreign.append(Foreign(f"{source}.{name}"))
                continue
            place = self.modules.place(module.file, source, statement.level)
            values = self._of_member(place, name) if place else ()
            if values:
                return values
        return tuple(foreign) if len(foreign) == 1 else _uncertain(foreign)

    def _of_bindings(self, bindings: Sequence[Binding]) -> Values:
        """Return what all bindings of a name agree on.

        Where they do not, its annotation decides; an import that leads elsewhere is passed over.
        """
        key = bindings[0]
        if key in self._under_way:
            return ()
        self._under_way.add(key)
        alternatives: list[Values] = []
        is_unknown = False
        for binding in bindings:
            if binding.kind == "declared":
                continue
            values = self._of_binding(binding)
            if values:
                alternatives.append(values)
            elif binding.kind not in IMPORTS:
                is_unknown = True
        declared = [binding for binding in bindings if binding.kind == "declared"]
        result = () if is_unknown else joined(alternatives)
        if not result and declared:
            result = self._of_binding(declared[0])
        self._under_way.discard(key)
        return result

    def _of_binding(self, binding: Binding) -> Values:
        values = self._bound_values(binding)
        for number in binding.index:
            values = joined(_item(value, number) for value in values)
        return values

    def _bound_values(self, binding: Binding) -> Values:
        node, scope = binding.node, binding.scope
        if binding.kind in IMPORTS:
            return self._imported(binding)
        if binding.kind == "value":
            return self.values(node, scope)
        if binding.kind == "element":
            return self._each(self.values(node, scope), _element)
        if binding.kind == "entered":
            return self._each(self.values(node, scope), _entered)
        if binding.kind == "definition":
            kind: Literal["class", "function"] = "function"
            if isinstance(node, ast.ClassDef):
                kind = "class"
            return (Own(kind, scope.module.inner[node]),)
        return self._told_values(binding)

    def _told_values(self, binding: Binding) -> Values:
        node, scope = binding.node, binding.scope
        if binding.kind == "parameter" and isinstance(node, ast.arg):
            return self._of_parameter(node, binding)
        if binding.kind == "declared" and isinstance(node, ast.expr):
            return self.annotated(node, scope)
        if binding.kind == "instance":
            classes = node.elts if isinstance(node, ast.Tuple) else [node]
            return joined(self._objects(self.values(part, scope)) for part in classes)
        return ()

    def _imported(self, binding: Binding) -> Values:
        alias, statement = binding.node, binding.around
        assert isinstance(alias, ast.alias)
        file = binding.scope.file
        if isinstance(statement, ast.ImportFrom):
            module = statement.module or ""
            if not statement.level and is_part_of(module, self.packages):
                return (Foreign(f"{module}.{alias.name}"),)
            place = self.modules.place(file, module, statement.level)
            return self._of_member(place, alias.name) if place else ()
        top = alias.name.partition(".")[0]
        if is_part_of(alias.name, self.packages):
            return (Foreign(alias.name if alias.asname else top),)
        return self._module(self.modules.place(file, alias.name if alias.asname else top))

    def _module(self, place: str) -> Values:
        if not place:
            return ()
        if not place.endswith(".py"):
            return (OwnFolder(place),)
        scopes = self.modules.scopes(place)
        return (Own("module", scopes.scope),) if scopes is not None else ()

    def _of_member(self, place: str, name: str) -> Values:
        """Return what a module of one's own has under a name."""
        scopes = self.modules.scopes(place) if place.endswith(".py") else None
        if scopes is not None and name in scopes.scope.bindings:
            return self._of_bindings(scopes.scope.bindings[name])
        below = self.modules.below(place, name)
        if below or scopes is None:
            return self._module(below)
        key = (scopes.scope, name)
        if key in self._under_way:
            return ()
        self._under_way.add(key)
        values = self._of_stars(name, scopes.scope)
        self._under_way.discard(key)
        return values

    def _of_attribute(self, node: ast.Attribute, scope: Scope) -> Values:
        narrowed = scope.narrowed(spelling(node))
        if narrowed:
            return self._of_bindings(narrowed)
        return self.members(self.values(node.value, scope), node.attr)

    def members(self, owners: Values, name: str) -> Values:
        """Return what an attribute stands for, whichever of some values has it."""
        return joined(self.member(owner, name) for owner in owners)

    def member(self, owner: Value, name: str) -> Values:
        """Return what an attribute of a value stands for."""
        if isinstance(owner, Foreign):
            return _bounded(owner.then(name))
        if isinstance(owner, OwnFolder):
            return self._of_member(owner.path, name)
        if isinstance(owner, Holder):
            return ()
        if owner.kind == "module":
            return self._of_member(owner.scope.file, name)
        if owner.kind == "function":
            return ()
        return self._of_class(owner, name)

    def _of_class(self, owner: Own, name: str) -> Values:
        """Return what a class of one's own has under a name: itself, or from its bases."""
        if owner.kind != "super":
            if self.is_open(owner.scope):
                return ()
            own = (*owner.scope.bindings.get(name, ()), *owner.scope.attributes.get(name, ()))
            if own:
                return self._read_member(own)
        if name.startswith("__"):
            return ()
        return self._inherited(owner, name)

    def _read_member(self, bindings: Sequence[Binding]) -> Values:
        node, scope = bindings[0].node, bindings[0].scope
        if _decorators(node) & {*_PROPERTIES}:
            return self.returned(scope.module.inner[node])
        return self._of_bindings(bindings)

    def _inherited(self, owner: Own, name: str) -> Values:
        foreign: list[Foreign] = []
        bases = self.bases(owner.scope)
        for base in bases:
            if isinstance(base, Foreign):
                foreign.append(base.then(name))
            elif base is not None:
                if self.is_open(base.scope):
                    return ()
                values = self.member(Own(_as(owner), base.scope), name)
                own = [value for value in values if not isinstance(value, Foreign)]
                if own:
                    return values
                foreign += [value for value in values if isinstance(value, Foreign)]
        return tuple(foreign) if len(bases) == 1 else _uncertain(foreign)

    def is_open(self, scope: Scope) -> bool:
        """Return True for a class that makes attributes up."""
        if scope not in self._open:
            self._open[scope] = _makes_attributes_up(scope)
        return self._open[scope]

    def bases(self, scope: Scope) -> list[Foreign | Own | None]:
        """Return the bases of a class of one's own; None for one that is not known."""
        node = scope.node
        bases: list[Foreign | Own | None] = []
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            expression = base.value if isinstance(base, ast.Subscript) else base
            values = self.values(expression, scope.parent or scope)
            value = values[0] if len(values) == 1 else None
            bases.append(value if isinstance(value, Foreign | Own) else None)
        return bases

    def _of_call(self, node: ast.Call, scope: Scope) -> Values:
        name = spelling(node.func)
        if name == "super" and not node.args:
            around = scope.class_around()
            return (Own("super", around),) if around is not None else ()
        if name.rpartition(".")[2] == "cast" and len(node.args) == 2:
            return self.annotated(node.args[0], scope)
        functions = self.values(node.func, scope)
        if functions:
            return self._each(functions, self._called)
        of_holder = self._of_holder_method(node, scope)
        return of_holder or self._in_strings(node)

    def _of_holder_method(self, node: ast.Call, scope: Scope) -> Values:
        """Return what the methods of dictionaries give: `values()`, `items()`, `get(key)`."""
        if not isinstance(node.func, ast.Attribute):
            return ()
        method = node.func.attr
        values: list[Value] = []
        for owner in self.values(node.func.value, scope):
            if not isinstance(owner, Holder) or owner.kind != "mapping":
                return ()
            if method in ("get", "pop", "setdefault"):
                values += owner.parts[1]
            elif method == "values":
                values.append(Holder("iterable", owner.parts[1:]))
            elif method == "items":
                values.append(Holder("iterable", ((Holder("tuple", owner.parts),),)))
        return tuple(values)

    def _in_strings(self, node: ast.Call) -> Values:
        """Return what is imported lazily by a module and a name in two strings."""
        texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if len(texts) < 2 or not all(is_text(argument) for argument in node.args[:2]):
            return ()
        module, name = str(texts[0]), str(texts[1])
        if is_part_of(module, self.packages) and name.isidentifier():
            return (Foreign(f"{module}.{name}"),)
        return ()

    def _called(self, function: Value) -> Values:
        if isinstance(function, Foreign):
            return _bounded(function.then(CALL))
        if not isinstance(function, Own):
            return ()
        if function.kind == "class":
            return (Own("instance", function.scope),)
        return self.returned(function.scope) if function.kind == "function" else ()

    def returned(self, scope: Scope) -> Values:
        """Return what a function of one's own returns."""
        node = scope.node
        if not isinstance(node, Function):
            return ()
        decorators = _decorators(node)
        known = {*_PASSED_ON, *_PROPERTIES, *_CONTEXTS, "fixture"}
        if not decorators <= known or scope in self._under_way:
            return ()
        self._under_way.add(scope)
        values = self._result(node, scope)
        self._under_way.discard(scope)
        if decorators & {*_CONTEXTS}:
            return (Holder("context", (self._each(values, _element),)),)
        is_generator = bool(scope.yields)
        if isinstance(node, ast.AsyncFunctionDef) and not is_generator:
            return (Holder("awaitable", (values,)),)
        return values

    def _result(self, node: Function, scope: Scope) -> Values:
        if node.returns is not None:
            return self.annotated(node.returns, scope.parent or scope)
        if scope.yields:
            return (Holder("iterable", (self._all_of(scope.yields),)),)
        return self._all_of(scope.returns)

    def _all_of(self, results: Iterable[tuple[ast.expr, Scope]]) -> Values:
        return joined(self.values(node, place) for node, place in results if not is_none(node))

    def _of_parameter(self, parameter: ast.arg, binding: Binding) -> Values:
        function, scope = binding.around, binding.scope
        if not isinstance(function, Function | ast.Lambda):
            return ()
        if parameter.annotation is not None:
            return self._of_annotated_parameter(parameter, function, scope)
        if not isinstance(function, Function):
            return ()
        owner = scope.real
        if owner.kind == "class" and parameter.arg == receiver_of(function):
            is_class = "classmethod" in _decorators(function)
            return (Own("class" if is_class else "instance", owner),)
        is_given = function.name.startswith("test") or "fixture" in _decorators(function)
        return self._of_fixture(parameter.arg, scope, function) if is_given else ()

    def _of_annotated_parameter(
        self, parameter: ast.arg, function: Function | ast.Lambda, scope: Scope
    ) -> Values:
        assert parameter.annotation is not None
        values = self.annotated(parameter.annotation, scope)
        if parameter is function.args.vararg:
            return (Holder("iterable", (values,)),)
        return () if parameter is function.args.kwarg else values

    def _of_fixture(self, name: str, scope: Scope, function: Function) -> Values:
        """Return what pytest passes to a test: the result of the nearest fixture of the name."""
        candidates = [*scope.real.bindings.get(name, ()), *scope.module.bindings.get(name, ())]
        for file in self.modules.conftests(scope.file):
            scopes = self.modules.scopes(file)
            if scopes is not None:
                candidates += scopes.scope.bindings.get(name, ())
        for binding in candidates:
            for value in self._of_bindings([binding]):
                is_function = isinstance(value, Own) and value.kind == "function"
                if not isinstance(value, Own) or not is_function or value.scope.node is function:
                    continue
                if "fixture" in _decorators(value.scope.node):
                    return self._of_fixture_function(value.scope)
        return ()

    def _of_fixture_function(self, scope: Scope) -> Values:
        values = self.returned(scope)
        if scope.yields:
            return self._each(values, _element)
        is_async = isinstance(scope.node, ast.AsyncFunctionDef)
        return self._each(values, _awaited) if is_async else values

    def depends_on_version(self, scope: Scope) -> bool:
        """Return True for a block that runs with some versions of a package only."""
        place = scope
        while place.parent is not None:
            test = place.test
            if test is not None and self._asks_version(test, place.parent, _MAX_VERSION_HOPS):
                return True
            place = place.parent
        return False

    def _asks_version(self, test: ast.AST, scope: Scope, hops: int) -> bool:
        return any(self._is_version(node, scope, hops) for node in ast.walk(test))

    def _is_version(self, node: ast.AST, scope: Scope, hops: int) -> bool:
        """Return True for the version of a package, whatever its name here is."""
        if isinstance(node, ast.Call):
            # As in `importlib.metadata.version("paint")`.
            is_asked = spelling(node.func).rpartition(".")[2] == "version"
            return is_asked and any(is_text(argument) for argument in node.args)
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        for value in self.values(node, scope):
            if isinstance(value, Foreign) and value.path.rpartition(".")[2] in _VERSIONS:
                return True
        if not hops or not isinstance(node, ast.Name):
            return False
        definitions = self._definitions(node.id, scope)
        return any(self._asks_version(one.node, one.scope, hops - 1) for one in definitions)

    def _definitions(self, name: str, scope: Scope) -> list[Binding]:
        """Return the expressions that a name is bound to, also in other modules of one's own."""
        found: list[Binding] = []
        for binding in scope.lookup(name):
            statement, alias = binding.around, binding.node
            if binding.kind == "value":
                found.append(binding)
            elif isinstance(statement, ast.ImportFrom) and isinstance(alias, ast.alias):
                module = statement.module or ""
                place = self.modules.place(binding.scope.file, module, statement.level)
                scopes = self.modules.scopes(place) if place.endswith(".py") else None
                if scopes is not None:
                    bindings = scopes.scope.bindings.get(alias.name, ())
                    found += [other for other in bindings if other.kind == "value"]
        return found

    def annotated(self, annotation: ast.expr, scope: Scope) -> Values:
        """Return what a value is by its annotation; nobody checks that it is."""
        shape = annotation_shape(annotation)
        if shape.kind == "nothing" or not shape.parts:
            return ()
        if shape.kind == "object":
            named = shape.parts[0]
            expression = named.value if isinstance(named, ast.Subscript) else named
            return self._objects(self.values(expression, scope))
        if shape.kind == "union":
            known = (self.annotated(part, scope) for part in shape.parts)
            return _uncertain(chain.from_iterable(known))
        if shape.kind == "class":
            return _uncertain(self.values(shape.parts[0], scope))
        parts = tuple(self.annotated(part, scope) for part in shape.parts)
        return (Holder(shape.kind, parts),)

    def _objects(self, classes: Values) -> Values:
        """Return objects of some classes."""
        objects: list[Value] = []
        for value in classes:
            if isinstance(value, Foreign):
                objects += _bounded(Foreign(f"{value.path}.{CALL}", is_certain=False))
            elif isinstance(value, Own) and value.kind == "class":
                objects.append(Own("instance", value.scope))
        return tuple(objects)

    def _each(self, values: Values, step: Callable[[Value], Values]) -> Values:
        """Return what a step makes of every alternative; nothing if one of them is lost."""
        return joined(step(value) for value in values)


def _as(owner: Own) -> Literal["class", "instance"]:
    return "class" if owner.kind == "class" else "instance"


def _awaited(value: Value) -> Values:
    if isinstance(value, Foreign):
        return _bounded(value.then(AWAIT))
    return value.parts[0] if isinstance(value, Holder) and value.kind == "awaitable" else ()


def _element(value: Value) -> Values:
    if isinstance(value, Foreign):
        return _bounded(value.then(ELEMENT))
    if not isinstance(value, Holder) or value.kind not in ("iterable", "mapping", "tuple"):
        return ()
    return joined(value.parts) if value.kind == "tuple" else value.parts[0]


def _item(value: Value, number: int) -> Values:
    if isinstance(value, Foreign):
        return _bounded(value.then(ITEM))
    if not isinstance(value, Holder):
        return ()
    if value.kind == "mapping":
        return value.parts[1] if len(value.parts) > 1 else ()
    if value.kind == "iterable":
        return value.parts[0]
    is_known = value.kind == "tuple" and 0 <= number < len(value.parts)
    return value.parts[number] if is_known else ()


def _entered(value: Value) -> Values:
    if isinstance(value, Foreign):
        return _bounded(value.then(ENTER))
    return value.parts[0] if isinstance(value, Holder) and value.kind == "context" else ()


def _bounded(value: Foreign) -> Values:
    return (value,) if value.path.count(".") < _MAX_PARTS else ()


def _uncertain(values: Iterable[Value]) -> Values:
    uncertain: dict[Value, None] = {}
    for value in values:
        if isinstance(value, Foreign):
            value = replace(value, is_certain=False)
        uncertain[value] = None
    return tuple(uncertain)


def joined(alternatives: Iterable[Values]) -> Values:
    """Return what one of several expressions may be; nothing if one of them is not known.

    Several parts of packages may be meant; of one's own things only the same one.
    """
    distinct: dict[Value, None] = {}
    is_certain = True
    for values in alternatives:
        if not values:
            return ()
        for value in values:
            if isinstance(value, Foreign):
                is_certain = is_certain and value.is_certain
                value = replace(value, is_certain=True)
            distinct[value] = None
    values = tuple(distinct)
    if len(values) > 1 and not all(isinstance(value, Foreign) for value in values):
        return ()
    return values if is_certain and len(values) == 1 else _uncertain(values)


def _decorators(node: ast.AST) -> set[str]:
    """Return the last names of the decorators of a function."""
    names: set[str] = set()
    for decorator in node.decorator_list if isinstance(node, Function) else ():
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        names.add(spelling(function).rpartition(".")[2])
    return names


def _makes_attributes_up(scope: Scope) -> bool:
    if {"__getattr__", "__getattribute__"} & scope.bindings.keys():
        return True
    calls = (node for node in ast.walk(scope.node) if isinstance(node, ast.Call))
    return any(spelling(call.func) == "setattr" for call in calls)


def is_part_of(path: str, packages: Collection[str]) -> bool:
    """Return True for a package or something in it; the name of a package may have a namespace."""
    return any(path == package or path.startswith(f"{package}.") for package in packages)


def plain_path(path: str) -> str:
    """Return a path without its operators."""
    return ".".join(part for part in path.split(".") if part not in OPERATORS)


def is_constructed_as_base(scope: Scope) -> bool:
    """Return True for a class that takes the arguments which its base takes."""
    node = scope.node
    if not isinstance(node, ast.ClassDef) or node.decorator_list or node.keywords:
        return False
    if {"__init__", "__new__"} & scope.bindings.keys():
        return False
    return not any(isinstance(statement, ast.AnnAssign) for statement in node.body)
