"""The parameters of a Python signature."""

from typing import Literal

from tree_sitter import Node

from tools.diff.readers.python_syntax import Code
from tools.diff.reading import Param


def params_of(code: Code, function: Node) -> tuple[Param, ...]:
    """List a function's parameters with what stands before `/` and after `*` marked."""
    holder = function.child_by_field_name("parameters")
    params: list[Param] = []
    keyword_only = False
    for node in holder.named_children if holder is not None else ():
        if node.type == "positional_separator":
            params = [param._replace(positional_only=True) for param in params]
        elif node.type == "keyword_separator":
            keyword_only = True
        elif (param := _param(code, node, keyword_only)) is not None:
            params.append(param)
            keyword_only = keyword_only or param.star == "*"
    return tuple(params)


def receiver(params: tuple[Param, ...], *, known: bool) -> tuple[Param, ...]:
    """Leave out what the method is called on; where the class is not known, only if it is called `self` or `cls`."""
    if not params or params[0].star or (not known and params[0].name not in ("self", "cls")):
        return params
    return params[1:]


def _param(code: Code, node: Node, keyword_only: bool) -> Param | None:
    if node.type == "identifier":
        return Param(code.word(node), keyword_only=keyword_only)
    name = node
    if node.type in ("typed_parameter", "default_parameter", "typed_default_parameter"):
        name = node.named_children[0]
    star = _star(name)
    if star:
        name = next(iter(name.named_children), name)
    if name.type != "identifier":
        return None
    default, annotation = node.child_by_field_name("value"), node.child_by_field_name("type")
    return Param(
        code.word(name),
        None if default is None else code.fold(default),
        None if annotation is None else code.fold(annotation),
        star,
        keyword_only and not star,
    )


def _star(node: Node) -> Literal["", "*", "**"]:
    if node.type == "list_splat_pattern":
        return "*"
    return "**" if node.type == "dictionary_splat_pattern" else ""
