"""What expressions stand for: names, attributes, calls, and what is composed of them."""

import ast
from collections.abc import Iterable, Sequence

from agent.bumps.annotation_shapes import is_none, is_text
from agent.bumps.name_resolution.annotations import AnnotationReader
from agent.bumps.name_resolution.classes import ClassReader
from agent.bumps.name_resolution.functions import FunctionReader
from agent.bumps.name_resolution.meaning_of_names import NameReader
from agent.bumps.name_resolution.package_version_conditions import VersionTests
from agent.bumps.name_resolution.values import (
    CALL,
    Foreign,
    Holder,
    Own,
    Value,
    Values,
    awaited,
    bounded,
    each,
    is_part_of,
    item,
    joined,
)
from agent.bumps.python_scopes import Binding, Scope, spelling
from agent.bumps.user_modules import OwnModules


class ValueReader:
    """Evaluates expressions without running them; each is looked at once.

    It brings the readers together that ask one another: of names, classes, functions, annotations.
    """

    def __init__(self, packages: frozenset[str], modules: OwnModules) -> None:
        self._packages = packages
        self._names = NameReader(self, packages, modules)
        self._classes = ClassReader(self)
        self._functions = FunctionReader(self, modules)
        self._annotations = AnnotationReader(self)
        self._version_tests = VersionTests(self, modules)
        self._values_by_node: dict[ast.AST, Values] = {}
        self._under_way: set[ast.AST] = set()

    def values(self, node: ast.AST, scope: Scope) -> Values:
        """Return what an expression stands for in a scope."""
        if node in self._values_by_node:
            return self._values_by_node[node]
        if node in self._under_way:
            return ()
        self._under_way.add(node)
        values = self._evaluated(node, scope)
        self._under_way.discard(node)
        self._values_by_node[node] = values
        return values

    def members(self, owners: Values, name: str) -> Values:
        """Return what an attribute stands for, whichever of some values has it."""
        return self._classes.members(owners, name)

    def bases(self, scope: Scope) -> list[Foreign | Own | None]:
        """Return the bases of a class of one's own; None for one that is not known."""
        return self._classes.bases(scope)

    def depends_on_version(self, scope: Scope) -> bool:
        """Return True for a block that runs with some versions of a package only."""
        return self._version_tests.decide(scope)

    def annotated(self, annotation: ast.expr, scope: Scope) -> Values:
        """Return what a value is by its annotation; nobody checks that it is."""
        return self._annotations.annotated(annotation, scope)

    def bound(self, bindings: Sequence[Binding]) -> Values:
        """Return what all bindings of a name agree on."""
        return self._names.bound(bindings)

    def in_module(self, path: str, name: str) -> Values:
        """Return what a module or folder of one's own has under a name."""
        return self._names.in_module(path, name)

    def passed(self, parameter: ast.arg, binding: Binding) -> Values:
        """Return what a parameter of a function stands for."""
        return self._functions.passed(parameter, binding)

    def returned(self, scope: Scope) -> Values:
        """Return what a function of one's own returns."""
        return self._functions.returned(scope)

    def _evaluated(self, node: ast.AST, scope: Scope) -> Values:
        if isinstance(node, ast.Name):
            return self._names.of_name(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, scope)
        if isinstance(node, ast.Call):
            return self._of_call(node, scope)
        if isinstance(node, ast.Await):
            return each(self.values(node.value, scope), awaited)
        if isinstance(node, ast.Subscript):
            index = node.slice.value if isinstance(node.slice, ast.Constant) else None
            number = index if isinstance(index, int) else -1
            return each(self.values(node.value, scope), lambda value: item(value, number))
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

    def _of_attribute(self, node: ast.Attribute, scope: Scope) -> Values:
        narrowed = scope.narrowed(spelling(node))
        if narrowed:
            return self._names.bound(narrowed)
        return self._classes.members(self.values(node.value, scope), node.attr)

    def _of_call(self, node: ast.Call, scope: Scope) -> Values:
        name = spelling(node.func)
        if name == "super" and not node.args:
            class_scope = scope.class_around()
            return (Own("super", class_scope),) if class_scope is not None else ()
        if name.rpartition(".")[2] == "cast" and len(node.args) == 2:
            return self.annotated(node.args[0], scope)
        functions = self.values(node.func, scope)
        if functions:
            return each(functions, self._called)
        return self._of_mapping_method(node, scope) or self._in_strings(node)

    def _of_mapping_method(self, node: ast.Call, scope: Scope) -> Values:
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
        module = str(texts[0])
        name = str(texts[1])
        if is_part_of(module, self._packages) and name.isidentifier():
            return (Foreign(f"{module}.{name}"),)
        return ()

    def _called(self, function: Value) -> Values:
        if isinstance(function, Foreign):
            return bounded(function.then(CALL))
        if not isinstance(function, Own):
            return ()
        if function.kind == "class":
            return (Own("instance", function.scope),)
        return self.returned(function.scope) if function.kind == "function" else ()
