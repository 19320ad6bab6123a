"""What a setup.py hands to setuptools, read from its syntax tree; nothing of it is run."""

import ast
from collections.abc import Iterator
from contextlib import suppress

from tree_sitter import Node

from tools.diff.declarations import Declaration
from tools.diff.languages import language_of
from tools.diff.manifests.text import Text

_LISTS = ("list", "tuple", "set", "parenthesized_expression", "binary_operator")
_BINDINGS = {"assignment": ("left", "right"), "keyword_argument": ("name", "value")}


def read_setup(text: Text) -> Iterator[Declaration]:
    """Read the arguments of `setup()`, and the variables that stand for them; a fragment may show these alone."""
    bound: dict[str, dict[str, Node]] = {kind: {} for kind in _BINDINGS}
    language = language_of("setup.py")
    waiting = [language.parse(text.source)] if language else []
    while waiting:
        node = waiting.pop()
        if fields := _BINDINGS.get(node.type):
            name, value = map(node.child_by_field_name, fields)
            bound[node.type] |= {_source(name): value} if name and value else {}
        waiting.extend(reversed(node.children))
    variables = bound["assignment"]
    given = variables | bound["keyword_argument"]
    found = list(_fields({name: variables.get(_source(value), value) for name, value in given.items()}, text))
    yield from found
    for line, _ in () if found else enumerate(text.lines, start=1):
        yield from text.listed(line)


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


def _pairs(node: Node | None) -> Iterator[tuple[str, Node | None]]:
    for pair in node.children if node is not None and node.type == "dictionary" else ():
        for key, _ in _strings(pair.child_by_field_name("key")):
            yield key, pair.child_by_field_name("value")


def _strings(node: Node | None) -> Iterator[tuple[str, int]]:
    """Give a string, or those of a list or a sum of lists, each with its line; the arguments of a call are none."""
    waiting = [node] if node is not None else []
    while waiting:
        one = waiting.pop()
        if one.type in _LISTS:
            waiting.extend(reversed(one.children))
        # A formatted string has no value before it is run.
        elif one.type == "string" and not any(child.type == "interpolation" for child in one.children):
            with suppress(ValueError, SyntaxError):
                yield str(ast.literal_eval(_source(one))), one.start_point[0] + 1


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
