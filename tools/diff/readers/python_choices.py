"""The literal items of a list that is written out, named or built from names of the same Python file."""

from collections.abc import Iterable, Mapping
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_syntax import SEQUENCES, STRINGS, Code

STEPS: Final = 2_000
WRAPPERS: Final = ("list", "tuple", "set", "sorted", "frozenset", "get_args", "keys")
NAMED: Final = ("identifier", "attribute", "subscript")
ELSEWHERE: Final = "*"
"""Marks the name of choices that another file lists."""
TYPES: Final = ("type", "generic_type", "union_type")
PLAIN: Final = ("integer", "float", "true", "false", "none", "unary_operator")


def choices_of(code: Code, node: Node | None, constants: Mapping[str, Node]) -> tuple[str, ...] | None:
    """List the items, strings without their quotes; None where nothing of them is known.

    A part that stands elsewhere, beside others, is listed by its name: `*benchmarks["gemm"]`.
    """
    if node is None:
        return None
    items: list[str] = []
    stack, steps, whole = [node], 0, node
    while stack:
        node = stack.pop()
        steps += 1
        if node.type in STRINGS:
            items.append(code.string(node) or "")
        elif node.type in PLAIN:
            items.append(code.fold(node))
        elif steps > STEPS:
            return None
        elif (parts := _parts(code, node, constants)) is not None:
            stack.extend(reversed([part for part in parts if part.type != "comment"]))
        elif node.type in NAMED and whole.type != "identifier":
            items.append(f"{ELSEWHERE}{code.fold(node)}")
        else:
            return None
    return None if len(items) == 1 and items[0].startswith(ELSEWHERE) else tuple(items)


def _parts(code: Code, node: Node, constants: Mapping[str, Node]) -> Iterable[Node] | None:
    """Give what an expression is made of, in order; None for what is only known when it runs."""
    kind = node.type
    if kind in SEQUENCES or kind in ("parenthesized_expression", "list_splat"):
        return node.named_children
    if kind == "binary_operator" and any(child.type == "+" for child in node.children):
        return node.named_children
    if kind == "identifier":
        value = constants.get(code.word(node))
        return None if value is None else [value]
    if kind == "dictionary":
        return [key for pair in node.named_children if (key := pair.child_by_field_name("key")) is not None]
    if kind in TYPES:
        return _type_parts(code, node)
    if kind == "subscript" and code.word(node.child_by_field_name("value")).endswith("Literal"):
        return node.children_by_field_name("subscript")
    return _call_parts(code, node) if kind == "call" else None


def _type_parts(code: Code, node: Node) -> Iterable[Node] | None:
    """Give what an annotation lets one choose from: the literals of `Literal["a", "b"]`, be it optional."""
    if node.type != "generic_type":
        return [part for part in node.named_children if code.raw(part) != b"None"]
    chosen = code.word(node.named_children[0]).rpartition(".")[2] in ("Literal", "Optional")
    return node.named_children[-1].named_children if chosen else None


def _call_parts(code: Code, node: Node) -> Iterable[Node] | None:
    name = code.callee(node)
    function = node.child_by_field_name("function")
    if name not in WRAPPERS or function is None:
        return None
    positional, _ = code.arguments(node)
    if name == "keys" and function.type == "attribute":
        return [operand] if (operand := function.child_by_field_name("object")) is not None else None
    return positional if len(positional) == 1 and name != "keys" else None
