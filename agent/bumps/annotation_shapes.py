"""Type annotations of Python: the class of a value, or what it holds or yields."""

import ast
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

AnnotationKind = Literal[
    "object", "union", "iterable", "mapping", "tuple", "awaitable", "context", "class", "nothing"
]
_MAX_STRING = 300  # Characters of an annotation in quotes

_KINDS: Mapping[str, AnnotationKind] = {
    "list": "iterable",
    "List": "iterable",
    "set": "iterable",
    "Set": "iterable",
    "frozenset": "iterable",
    "FrozenSet": "iterable",
    "AbstractSet": "iterable",
    "deque": "iterable",
    "Deque": "iterable",
    "Sequence": "iterable",
    "MutableSequence": "iterable",
    "Collection": "iterable",
    "Iterable": "iterable",
    "Iterator": "iterable",
    "Generator": "iterable",
    "AsyncIterable": "iterable",
    "AsyncIterator": "iterable",
    "AsyncGenerator": "iterable",
    "dict": "mapping",
    "Dict": "mapping",
    "defaultdict": "mapping",
    "DefaultDict": "mapping",
    "OrderedDict": "mapping",
    "Mapping": "mapping",
    "MutableMapping": "mapping",
    "tuple": "tuple",
    "Tuple": "tuple",
    "Awaitable": "awaitable",
    "Coroutine": "awaitable",
    "Future": "awaitable",
    "Task": "awaitable",
    "ContextManager": "context",
    "AbstractContextManager": "context",
    "AsyncContextManager": "context",
    "AbstractAsyncContextManager": "context",
    "type": "class",
    "Type": "class",
    "Union": "union",
    "Optional": "union",
}
"""Generic types of the standard library, whose arguments say what they hold."""
_QUALIFIERS = ("Annotated", "ClassVar", "Final", "InitVar", "Required", "NotRequired", "ReadOnly")


class AnnotationShape(NamedTuple):
    """An annotation, taken apart once."""

    kind: AnnotationKind
    parts: tuple[ast.expr, ...] = ()  # Annotations of what it is made of; of an object, its class


def annotation_shape(annotation: ast.expr) -> AnnotationShape:
    """Take an annotation apart; one in quotes is parsed first."""
    if isinstance(annotation, ast.Constant):
        return _shape_of_constant(annotation)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return AnnotationShape("union", tuple(_without_none(_operands(annotation))))
    if not isinstance(annotation, ast.Subscript):
        return AnnotationShape("object", (annotation,))
    name = _last_name(annotation.value)
    arguments = _arguments(annotation)
    if name in _QUALIFIERS:
        return annotation_shape(arguments[0]) if arguments else AnnotationShape("nothing")
    kind = _KINDS.get(name, "object")
    if kind == "object":
        return AnnotationShape(kind, (annotation,))
    if kind == "union":
        return AnnotationShape(kind, tuple(_without_none(arguments)))
    if kind == "tuple" and len(arguments) == 2 and _is_ellipsis(arguments[1]):
        return AnnotationShape("iterable", (arguments[0],))
    if name == "Coroutine":
        arguments = arguments[2:]
    return AnnotationShape(kind, tuple(arguments))


def type_arguments(annotation: ast.expr) -> tuple[ast.expr, ...]:
    """Return what stands in the brackets of a generic class."""
    return tuple(_arguments(annotation)) if isinstance(annotation, ast.Subscript) else ()


def _shape_of_constant(annotation: ast.Constant) -> AnnotationShape:
    text = annotation.value
    if not isinstance(text, str) or len(text) > _MAX_STRING:
        return AnnotationShape("nothing")
    try:
        quoted = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return AnnotationShape("nothing")
    return AnnotationShape("nothing") if is_text(quoted) else annotation_shape(quoted)


def is_text(node: ast.AST) -> bool:
    """Return True for a string that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_none(node: ast.AST | None) -> bool:
    """Return True for `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def _operands(annotation: ast.expr) -> list[ast.expr]:
    operands: list[ast.expr] = []
    while isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        operands.insert(0, annotation.right)
        annotation = annotation.left
    return [annotation, *operands]


def _without_none(annotations: Sequence[ast.expr]) -> list[ast.expr]:
    return [annotation for annotation in annotations if not is_none(annotation)]


def _arguments(annotation: ast.Subscript) -> list[ast.expr]:
    inner = annotation.slice
    return list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
