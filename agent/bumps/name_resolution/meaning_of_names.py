"""What a name stands for, by the assignments, imports and definitions that bind it."""

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent.bumps.name_resolution.evaluator_protocol import Evaluator
from agent.bumps.name_resolution.values import (
    Foreign,
    Own,
    OwnFolder,
    Values,
    each,
    element,
    entered,
    is_part_of,
    item,
    joined,
    objects_of,
    uncertain,
)
from agent.bumps.python_scopes import IMPORTS, Binding, Scope
from agent.bumps.user_modules import OwnModules


@dataclass
class NameReader:
    """Reads the bindings of names."""

    evaluator: Evaluator
    packages: frozenset[str]
    modules: OwnModules
    _under_way: set[object] = field(default_factory=set)

    def of_name(self, name: str, scope: Scope) -> Values:
        """Return what a name stands for."""
        bindings = scope.lookup(name)
        if bindings:
            return self.bound(bindings)
        if hasattr(builtins, name):
            return ()
        return self._of_stars(name, scope.module)

    def _of_stars(self, name: str, module: Scope) -> Values:
        """Return what a name stands for that only star imports can have bound."""
        foreign: list[Foreign] = []
        for statement in module.stars:
            source = statement.module or ""
            if not statement.level and is_part_of(source, self.packages):
                foreign.append(Foreign(f"{source}.{name}"))
                continue
            path = self.modules.place(module.file, source, statement.level)
            values = self.in_module(path, name) if path else ()
            if values:
                return values
        return tuple(foreign) if len(foreign) == 1 else uncertain(foreign)

    def bound(self, bindings: Sequence[Binding]) -> Values:
        """Return what all bindings of a name agree on.

        Where they do not, its annotation decides; an import that leads elsewhere is passed over.
        """
        key = bindings[0]
        if key in self._under_way:
            return ()
        self._under_way.add(key)
        values = self._agreed(bindings)
        self._under_way.discard(key)
        return values

    def _agreed(self, bindings: Sequence[Binding]) -> Values:
        declarations: list[Binding] = []
        alternatives: list[Values] = []
        is_unknown = False
        for binding in bindings:
            if binding.kind == "declared":
                declarations.append(binding)
                continue
            values = self._of_binding(binding)
            if values:
                alternatives.append(values)
            elif binding.kind not in IMPORTS:
                is_unknown = True
        agreed = () if is_unknown else joined(alternatives)
        if not agreed and declarations:
            return self._of_binding(declarations[0])
        return agreed

    def _of_binding(self, binding: Binding) -> Values:
        values = self._before_unpacking(binding)
        for number in binding.index:
            values = joined(item(value, number) for value in values)
        return values

    def _before_unpacking(self, binding: Binding) -> Values:
        node = binding.node
        scope = binding.scope
        if binding.kind in IMPORTS:
            return self._imported(binding)
        if binding.kind == "value":
            return self.evaluator.values(node, scope)
        if binding.kind == "element":
            return each(self.evaluator.values(node, scope), element)
        if binding.kind == "entered":
            return each(self.evaluator.values(node, scope), entered)
        if binding.kind == "definition":
            kind: Literal["class", "function"] = "function"
            if isinstance(node, ast.ClassDef):
                kind = "class"
            return (Own(kind, scope.module.inner[node]),)
        return self._by_type(binding)

    def _by_type(self, binding: Binding) -> Values:
        """Return what a parameter, an annotation or a test of the type says."""
        node = binding.node
        if binding.kind == "parameter" and isinstance(node, ast.arg):
            return self.evaluator.passed(node, binding)
        if binding.kind == "declared" and isinstance(node, ast.expr):
            return self.evaluator.annotated(node, binding.scope)
        if binding.kind == "instance":
            classes = node.elts if isinstance(node, ast.Tuple) else [node]
            values = (self.evaluator.values(part, binding.scope) for part in classes)
            return joined(map(objects_of, values))
        return ()

    def _imported(self, binding: Binding) -> Values:
        alias = binding.node
        statement = binding.around
        assert isinstance(alias, ast.alias)
        file = binding.scope.file
        if isinstance(statement, ast.ImportFrom):
            module = statement.module or ""
            if not statement.level and is_part_of(module, self.packages):
                return (Foreign(f"{module}.{alias.name}"),)
            path = self.modules.place(file, module, statement.level)
            return self.in_module(path, alias.name) if path else ()
        # `import a.b` binds `a`, `import a.b as c` binds the module itself.
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        if is_part_of(alias.name, self.packages):
            return (Foreign(name),)
        return self._module(self.modules.place(file, name))

    def _module(self, path: str) -> Values:
        if not path:
            return ()
        if not path.endswith(".py"):
            return (OwnFolder(path),)
        scopes = self.modules.scopes(path)
        return (Own("module", scopes.scope),) if scopes is not None else ()

    def in_module(self, path: str, name: str) -> Values:
        """Return what a module or folder of one's own has under a name."""
        scopes = self.modules.scopes(path) if path.endswith(".py") else None
        if scopes is not None and name in scopes.scope.bindings:
            return self.bound(scopes.scope.bindings[name])
        below = self.modules.below(path, name)
        if below or scopes is None:
            return self._module(below)
        key = (scopes.scope, name)
        if key in self._under_way:
            return ()
        self._under_way.add(key)
        values = self._of_stars(name, scopes.scope)
        self._under_way.discard(key)
        return values
