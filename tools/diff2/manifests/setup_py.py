"""What a setup.py hands to setuptools, read from its syntax tree; nothing of it is run."""

import ast
from collections.abc import Iterator

from tree_sitter import Node

from tools.diff2.declarations import Declaration
from tools.diff2.languages import language_of
from tools.diff2.manifests.text import Text

_LISTS = ("list", "tuple", "set", "parenthesized_expression", "binary_operator")


def read_setup(text: Text) -> Iterator[Declaration]:
    """Read the arguments of `setup()`, and the variables that stand for them."""
    assigned = dict(_bound(text, "assignment", "left", "right"))
    # A fragment may show the variable alone.
    given = assigned | dict(_bound(text, "keyword_argument", "name", "value"))
    found = list(_fields({name: assigned.get(_source(node), node) for name, node in given.items()}, text))
    yield from found
    for line, _ in () if found else text.numbered():
        yield from text.listed(line)


def _bound(text: Text, kind: str, name: str, value: str) -> Iterator[tuple[str, Node]]:
    """Find what names are bound to."""
    language = language_of("setup.py")
    waiting = [language.parse(text.source)] if language else []
    while waiting:
        node = waiting.pop()
        target, right = node.child_by_field_name(name), node.child_by_field_name(value)
        if node.type == kind and target is not None and right is not None:
            yield _source(target), right
        waiting.extend(reversed(node.children))


def _fields(values: dict[str, Node], text: Text) -> Iterator[Declaration]:
    for field, owner in (("install_requires", ""), ("setup_requires", "build")):
        for written, line in _strings(values.get(field)):
            yield from text.requirement(written, line, owner)
    for key, node in _pairs(values.get("extras_require")):
        for written, line in _strings(node):
            yield from text.requirement(written, line, f"optional:{key}")
    for written, line in _strings(values.get("python_requires")):
        yield text.declare("dependency", "python", (line, line), version=written)
    for written, line in _strings(values.get("version")):
        yield text.declare("version", "version", (line, line), value=written)
    for group, node in _pairs(values.get("entry_points")):
        for written, line in _strings(node):
            yield from text.entry_point(written, line, group)


def _pairs(node: Node | None) -> Iterator[tuple[str, Node]]:
    for pair in node.children if node is not None and node.type == "dictionary" else ():
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        for name, _ in _strings(key) if value is not None else ():
            yield name, value


def _strings(node: Node | None) -> Iterator[tuple[str, int]]:
    """Give a string, or those of a list or a sum of lists, each with its line; the arguments of a call are none."""
    if node is not None and node.type in _LISTS:
        for child in node.children:
            yield from _strings(child)
    elif node is not None and node.type == "string":
        try:
            yield str(ast.literal_eval(_source(node))), node.start_point[0] + 1
        except (ValueError, SyntaxError):
            # A formatted string has no value before it is run.
            return


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
