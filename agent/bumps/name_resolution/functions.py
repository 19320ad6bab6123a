"""What functions of one's own return, and what is passed to their parameters."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agent.bumps.annotation_shapes import is_none
from agent.bumps.name_resolution.evaluator_protocol import Evaluator
from agent.bumps.name_resolution.values import Holder, Own, Values, awaited, each, element, joined
from agent.bumps.python_scopes import Binding, Function, Scope, receiver_of, spelling
from agent.bumps.user_modules import OwnModules

PROPERTIES = ("property", "cached_property")
_CONTEXTS = ("contextmanager", "asynccontextmanager")
_PASSED_ON = ("staticmethod", "classmethod", "override", "abstractmethod", "cache", "lru_cache")
_UNDERSTOOD_DECORATORS = frozenset((*_PASSED_ON, *PROPERTIES, *_CONTEXTS, "fixture"))


@dataclass
class FunctionReader:
    """Reads results and parameters of functions; each is looked at once at a time."""

    evaluator: Evaluator
    modules: OwnModules
    _under_way: set[Scope] = field(default_factory=set)

    def returned(self, scope: Scope) -> Values:
        """Return what a function of one's own returns."""
        node = scope.node
        if not isinstance(node, Function):
            return ()
        decorated_by = decorators(node)
        if not decorated_by <= _UNDERSTOOD_DECORATORS or scope in self._under_way:
            return ()
        self._under_way.add(scope)
        values = self._result(node, scope)
        self._under_way.discard(scope)
        if decorated_by & {*_CONTEXTS}:
            return (Holder("context", (each(values, element),)),)
        is_generator = bool(scope.yields)
        if isinstance(node, ast.AsyncFunctionDef) and not is_generator:
            return (Holder("awaitable", (values,)),)
        return values

    def _result(self, node: Function, scope: Scope) -> Values:
        if node.returns is not None:
            return self.evaluator.annotated(node.returns, scope.parent or scope)
        if scope.yields:
            return (Holder("iterable", (self._all_of(scope.yields),)),)
        return self._all_of(scope.returns)

    def _all_of(self, results: Iterable[tuple[ast.expr, Scope]]) -> Values:
        some = ((node, scope) for node, scope in results if not is_none(node))
        return joined(self.evaluator.values(node, scope) for node, scope in some)

    def passed(self, parameter: ast.arg, binding: Binding) -> Values:
        """Return what a parameter stands for."""
        function = binding.around
        if not isinstance(function, Function | ast.Lambda):
            return ()
        if parameter.annotation is not None:
            return self._annotated(parameter, parameter.annotation, function, binding.scope)
        if not isinstance(function, Function):
            return ()
        owner = binding.scope.real
        if owner.kind == "class" and parameter.arg == receiver_of(function):
            is_class = "classmethod" in decorators(function)
            return (Own("class" if is_class else "instance", owner),)
        if function.name.startswith("test") or "fixture" in decorators(function):
            return self._fixture(parameter.arg, binding.scope, function)
        return ()

    def _annotated(
        self,
        parameter: ast.arg,
        annotation: ast.expr,
        function: Function | ast.Lambda,
        scope: Scope,
    ) -> Values:
        values = self.evaluator.annotated(annotation, scope)
        if parameter is function.args.vararg:
            return (Holder("iterable", (values,)),)
        return () if parameter is function.args.kwarg else values

    def _fixture(self, name: str, scope: Scope, function: Function) -> Values:
        """Return what pytest passes to a test: the result of the nearest fixture of the name."""
        for binding in self._fixture_bindings(name, scope):
            for value in self.evaluator.bound([binding]):
                is_function = isinstance(value, Own) and value.kind == "function"
                if not isinstance(value, Own) or not is_function or value.scope.node is function:
                    continue
                if "fixture" in decorators(value.scope.node):
                    return self._given_by(value.scope)
        return ()

    def _fixture_bindings(self, name: str, scope: Scope) -> Iterator[Binding]:
        yield from scope.real.bindings.get(name, ())
        yield from scope.module.bindings.get(name, ())
        for file in self.modules.conftests(scope.file):
            scopes = self.modules.scopes(file)
            if scopes is not None:
                yield from scopes.scope.bindings.get(name, ())

    def _given_by(self, fixture: Scope) -> Values:
        values = self.returned(fixture)
        if fixture.yields:
            return each(values, element)
        is_async = isinstance(fixture.node, ast.AsyncFunctionDef)
        return each(values, awaited) if is_async else values


def decorators(node: ast.AST) -> set[str]:
    """Return the last names of the decorators of a function."""
    names: set[str] = set()
    for decorator in node.decorator_list if isinstance(node, Function) else ():
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        names.add(spelling(function).rpartition(".")[2])
    return names
