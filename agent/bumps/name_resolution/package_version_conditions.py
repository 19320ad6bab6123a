"""Conditions on the version of a package: which blocks run with some versions only."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from agent.bumps.annotation_shapes import is_text
from agent.bumps.name_resolution.evaluator_protocol import Evaluator
from agent.bumps.name_resolution.values import Foreign, Value
from agent.bumps.python_scopes import Binding, Scope, spelling
from agent.bumps.user_modules import OwnModules

_VERSIONS = ("__version__", "__version_info__", "VERSION", "version", "version_info")
"""Names under which packages state their version."""
_MAX_HOPS = 4  # Names between a test and the version that it asks for


@dataclass(frozen=True)
class VersionTests:
    """Recognises tests of a package's version."""

    evaluator: Evaluator
    modules: OwnModules

    def decide(self, scope: Scope) -> bool:
        """Return True for a block that runs with some versions of a package only."""
        block = scope
        while block.parent is not None:
            if block.test is not None and self._asks_version(block.test, block.parent, _MAX_HOPS):
                return True
            block = block.parent
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
        if any(map(_states_version, self.evaluator.values(node, scope))):
            return True
        if not hops or not isinstance(node, ast.Name):
            return False
        definitions = self._definitions(node.id, scope)
        return any(
            self._asks_version(binding.node, binding.scope, hops - 1) for binding in definitions
        )

    def _definitions(self, name: str, scope: Scope) -> Iterator[Binding]:
        """Yield the expressions that a name is bound to, also in other modules of one's own."""
        for binding in scope.lookup(name):
            if binding.kind == "value":
                yield binding
            elif isinstance(binding.around, ast.ImportFrom) and isinstance(binding.node, ast.alias):
                yield from self._definitions_elsewhere(binding, binding.around, binding.node)

    def _definitions_elsewhere(
        self, binding: Binding, statement: ast.ImportFrom, alias: ast.alias
    ) -> Iterator[Binding]:
        path = self.modules.place(binding.scope.file, statement.module or "", statement.level)
        scopes = self.modules.scopes(path) if path.endswith(".py") else None
        if scopes is None:
            return
        for definition in scopes.scope.bindings.get(alias.name, ()):
            if definition.kind == "value":
                yield definition


def _states_version(value: Value) -> bool:
    return isinstance(value, Foreign) and value.path.rpartition(".")[2] in _VERSIONS
