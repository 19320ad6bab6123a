"""What a value is by its annotation."""

import ast
from dataclasses import dataclass
from itertools import chain

from agent.bumps.annotation_shapes import annotation_shape
from agent.bumps.name_resolution.evaluator_protocol import Evaluator
from agent.bumps.name_resolution.values import Holder, Values, objects_of, uncertain
from agent.bumps.python_scopes import Scope


@dataclass(frozen=True)
class AnnotationReader:
    """Reads annotations of parameters, results and variables."""

    evaluator: Evaluator

    def annotated(self, annotation: ast.expr, scope: Scope) -> Values:
        """Return what a value is by its annotation; nobody checks that it is."""
        shape = annotation_shape(annotation)
        if shape.kind == "nothing" or not shape.parts:
            return ()
        if shape.kind == "object":
            part = shape.parts[0]
            expression = part.value if isinstance(part, ast.Subscript) else part
            return objects_of(self.evaluator.values(expression, scope))
        if shape.kind == "class":
            return uncertain(self.evaluator.values(shape.parts[0], scope))
        parts = tuple(self.annotated(part, scope) for part in shape.parts)
        if shape.kind == "union":
            return uncertain(chain.from_iterable(parts))
        return (Holder(shape.kind, parts),)
