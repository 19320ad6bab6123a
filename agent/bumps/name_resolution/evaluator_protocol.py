"""The protocol of the evaluator: what readers of names, classes, functions and annotations ask of one another."""

import ast
from collections.abc import Sequence
from typing import Protocol

from agent.bumps.name_resolution.values import Values
from agent.bumps.python_scopes import Binding, Scope


class Evaluator(Protocol):
    """Answers what code stands for; an empty answer means that it is not known."""

    def values(self, node: ast.AST, scope: Scope) -> Values:
        """Return what an expression stands for in a scope."""

    def annotated(self, annotation: ast.expr, scope: Scope) -> Values:
        """Return what a value is by its annotation."""

    def bound(self, bindings: Sequence[Binding]) -> Values:
        """Return what all bindings of a name agree on."""

    def in_module(self, path: str, name: str) -> Values:
        """Return what a module or folder of one's own has under a name."""

    def passed(self, parameter: ast.arg, binding: Binding) -> Values:
        """Return what a parameter of a function stands for."""

    def returned(self, scope: Scope) -> Values:
        """Return what a function of one's own returns."""
