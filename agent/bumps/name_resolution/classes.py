"""What an attribute stands for: of a module, a class with its bases, or an object."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent.bumps.name_resolution.evaluator_protocol import Evaluator
from agent.bumps.name_resolution.functions import PROPERTIES, decorators
from agent.bumps.name_resolution.values import (
    Foreign,
    Holder,
    Own,
    OwnFolder,
    Value,
    Values,
    bounded,
    joined,
    uncertain,
)
from agent.bumps.python_scopes import Binding, Scope, spelling


@dataclass
class ClassReader:
    """Reads the members of classes and of everything else that has attributes."""

    evaluator: Evaluator
    _open: dict[Scope, bool] = field(default_factory=dict)

    def members(self, owners: Values, name: str) -> Values:
        """Return what an attribute stands for, whichever of some values has it."""
        return joined(self._member(owner, name) for owner in owners)

    def _member(self, owner: Value, name: str) -> Values:
        if isinstance(owner, Foreign):
            return bounded(owner.then(name))
        if isinstance(owner, OwnFolder):
            return self.evaluator.in_module(owner.path, name)
        if isinstance(owner, Holder) or owner.kind == "function":
            return ()
        if owner.kind == "module":
            return self.evaluator.in_module(owner.scope.file, name)
        return self._of_class(owner, name)

    def _of_class(self, owner: Own, name: str) -> Values:
        """Return what a class of one's own has under a name: itself, or from its bases."""
        if owner.kind != "super":
            if self._is_open(owner.scope):
                return ()
            scope = owner.scope
            bindings = (*scope.bindings.get(name, ()), *scope.attributes.get(name, ()))
            if bindings:
                return self._of_bindings(bindings)
        if name.startswith("__"):
            return ()
        return self._inherited(owner, name)

    def _of_bindings(self, bindings: Sequence[Binding]) -> Values:
        node = bindings[0].node
        if decorators(node) & {*PROPERTIES}:
            return self.evaluator.returned(bindings[0].scope.module.inner[node])
        return self.evaluator.bound(bindings)

    def _inherited(self, owner: Own, name: str) -> Values:
        kind: Literal["class", "instance"] = "class" if owner.kind == "class" else "instance"
        foreign: list[Foreign] = []
        bases = self.bases(owner.scope)
        for base in bases:
            if isinstance(base, Foreign):
                foreign.append(base.then(name))
            elif base is not None:
                if self._is_open(base.scope):
                    return ()
                values = self._member(Own(kind, base.scope), name)
                foreign_values = [value for value in values if isinstance(value, Foreign)]
                if len(foreign_values) < len(values):
                    return values
                foreign += foreign_values
        return tuple(foreign) if len(bases) == 1 else uncertain(foreign)

    def _is_open(self, scope: Scope) -> bool:
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
            values = self.evaluator.values(expression, scope.parent or scope)
            value = values[0] if len(values) == 1 else None
            bases.append(value if isinstance(value, Foreign | Own) else None)
        return bases


def _makes_attributes_up(scope: Scope) -> bool:
    if {"__getattr__", "__getattribute__"} & scope.bindings.keys():
        return True
    calls = (node for node in ast.walk(scope.node) if isinstance(node, ast.Call))
    return any(spelling(call.func) == "setattr" for call in calls)


def is_constructed_as_base(scope: Scope) -> bool:
    """Return True for a class that takes the arguments which its base takes."""
    node = scope.node
    if not isinstance(node, ast.ClassDef) or node.decorator_list or node.keywords:
        return False
    if {"__init__", "__new__"} & scope.bindings.keys():
        return False
    return not any(isinstance(statement, ast.AnnAssign) for statement in node.body)
