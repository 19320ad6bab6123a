"""Declarators of C, C++ and CUDA: what is declared, as what, with which parameters."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from tools.diff.readers import syntax
from tools.diff.reading import Param

_NAMES = {"identifier", "field_identifier", "type_identifier", "qualified_identifier", "operator_name"} | {
    "destructor_name",
    "template_function",
    "template_method",
    "template_type",
    "operator_cast",
}

_SAID = (b"const", b"volatile")
_UNWRITTEN = ("default_method_clause", "delete_method_clause")
_MARKED = re.compile(r"[A-Z][A-Z0-9_]{3,} ((?:typename )?[A-Za-z_][^=]*[ *&>])([A-Za-z_]\w*)$")
"""A parameter behind a macro of the project (`GRID_CONSTANT Params const params`), which no grammar knows."""
_QUALIFIED = re.compile(r"([^=]*[*&]) ?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)* ([A-Za-z_]\w*)(?: = (.*))?$", re.DOTALL)
"""A pointer behind a macro that qualifies it (`float * ACME_RESTRICT x`), which a grammar takes for the name."""
_FOLLOWED = re.compile(
    r"((?!(?:const |volatile )+[\w:]+ [A-Z])[^=]*[ *&>])([a-z_]\w*)(?: [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)+$"
)
"""A parameter before macros that bring further ones (`double scale ADDITIONAL_PARAMS`)."""

_SUFFIX = re.compile(r'\s*""\s*')
"""What stands before the suffix of a literal: `operator "" _hf` and `operator""_hf` are one."""


def dotted(text: str) -> str:
    """Return a name with dots, without template arguments: `A<T>::run` is `A.run`."""
    if "operator" in text:
        owner, _, sign = text.rpartition("operator")
        return _plain(owner) + "operator" + _SUFFIX.sub('""', sign)
    return _plain(text)


def parameters_of(parameters: Node, text: bytes) -> Iterator[Param]:
    """Give the parameters of a list; those without a name have an empty one."""
    for node in parameters.named_children:
        if not node.type.endswith("parameter_declaration"):
            continue
        rest = node.next_sibling
        broken = rest is not None and rest.type == "ERROR"
        if broken or node.has_error:
            written = syntax.fold(
                text[node.start_byte : rest.end_byte if rest is not None and broken else node.end_byte]
            )
            marked = _MARKED.match(written) if broken else None
            if marked is not None:
                yield Param(marked[2], annotation=marked[1].strip())
                continue
            if qualified := _QUALIFIED.match(written):
                yield Param(qualified[2], qualified[3], qualified[1])
                continue
        if node.has_error and (followed := _FOLLOWED.match(syntax.fold(text[node.start_byte : node.end_byte]))):
            yield Param(followed[2], annotation=followed[1].strip())
            continue
        default = node.child_by_field_name("default_value")
        declarator = node.child_by_field_name("declarator")
        name = named(declarator) if declarator is not None else None
        end = declarator.end_byte if declarator is not None else node.end_byte
        if name is None:
            label, annotation = "", syntax.fold(text[node.start_byte : end])
        else:
            label = syntax.fold(text[name.start_byte : name.end_byte])
            annotation = syntax.fold(text[node.start_byte : name.start_byte] + text[name.end_byte : end])
        if name is not None or annotation != "void":
            value = syntax.fold(text[default.start_byte : default.end_byte]) if default is not None else None
            yield Param(label, value, annotation)


def _plain(text: str) -> str:
    if "<" in text:
        kept, depth = [], 0
        for letter in text:
            depth += letter == "<"
            if depth == 0:
                kept.append(letter)
            depth -= letter == ">" and depth > 0
        text = "".join(kept)
    return text.replace("::", ".").replace(" ", "").lstrip(".")


def default_after(node: Node, index: int) -> Node | None:
    """Return the default value that stands behind the declarator at `index`, before the next one."""
    for place in range(index + 1, node.child_count):
        name = node.field_name_for_child(place)
        if name == "declarator":
            return None
        if name == "default_value":
            return node.child(place)
    return None


def pointee(node: Node, kind: Node, declarator: Node) -> tuple[int, int]:
    """Say where the type of what a declaration declares begins and ends, with what is said of what it points at."""
    if declarator.type not in ("pointer_declarator", "reference_declarator"):
        return kind.start_byte, kind.end_byte
    said = [child for child in node.children if child.type == "type_qualifier" and child.text in _SAID]
    spans = [(child.start_byte, child.end_byte) for child in (kind, *said) if child.end_byte <= declarator.start_byte]
    return min(spans)[0], max(spans)[1]


def is_unwritten(node: Node) -> bool:
    """Tell whether a function is left to the compiler, or forbidden to it: `= default`, `= delete`."""
    return any(child.type in _UNWRITTEN for child in node.children)


def is_pure(head: bytes, default: Node | None) -> bool:
    """Tell whether a method is left to those who derive from its class: `virtual void run() = 0`."""
    return default is not None and default.text == b"0" and b"virtual" in head


def does_nothing(node: Node, body: bytes | None) -> bool:
    """Tell whether a constructor or destructor is there for its own sake: it sets nothing and its body is blank."""
    sets = any(child.type == "field_initializer_list" for child in node.children)
    return body is not None and not body.strip() and not sets


def bases_of(node: Node) -> Iterator[Node]:
    """Give the bases of a class, or what an enumeration is counted in."""
    base = node.child_by_field_name("base")
    if base is not None:
        yield base
        return
    clauses = (child for child in node.named_children if child.type == "base_class_clause")
    for child in (child for clause in clauses for child in clause.named_children):
        if child.type not in ("access_specifier", "ERROR"):
            yield child


def _inner(node: Node) -> Node | None:
    return node.child_by_field_name("declarator") or (node.named_children[-1] if node.named_child_count else None)


def function_in(declarator: Node) -> Node | None:
    """Return the function declarator inside a declarator, past pointers and references; a function pointer is none."""
    node: Node | None = declarator
    while node is not None and node.type != "function_declarator":
        node = _inner(node) if node.type in ("pointer_declarator", "reference_declarator") else None
    inner = node.child_by_field_name("declarator") if node is not None else None
    return None if inner is None or inner.type == "parenthesized_declarator" else node


def named(declarator: Node) -> Node | None:
    """Return the name inside a declarator."""
    node: Node | None = declarator
    while node is not None and node.type not in _NAMES:
        node = None if node.type.startswith("abstract_") else _inner(node)
    return node
