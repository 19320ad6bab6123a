"""Manifests of Python projects: pyproject.toml, setup.py (parsed, never run), requirements."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter_python
from tree_sitter import Language, Node, Parser

if TYPE_CHECKING:
    from tools.diff.manifests import Leaf, ManifestEntry, Text

_FILE = re.compile(r"(?:-r|--requirement|-c|--constraint)[\s=]+\S+")
_SETTING = re.compile(r"(-i|--index-url|--extra-index-url|-f|--find-links)[\s=]+(\S+)")
_BESIDE = re.compile(r"(?:^|\s)#.*|\s--hash=\S+|\\$|^(?:-e|--editable)[\s=]+")


def read_pyproject(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield what the standard tables of pyproject.toml declare."""
    for line in text.orphans():
        yield from text.listed(line)
    for leaf in text.leaves():
        yield from _requirements(leaf, text)
        table = _contents_table(leaf.path)
        if table is not None:
            for item, item_line in leaf.strings(text):
                if item_line is not None:
                    yield text.declare_at(item_line, "contents", item, table)
        if isinstance(leaf.value, str):
            yield from _single(leaf.path, leaf.value, (leaf.first, leaf.last), text)


def _requirements(leaf: "Leaf", text: "Text") -> Iterator["ManifestEntry"]:
    owner = _owner(leaf.path)
    if owner is None:
        return
    # Where a fragment lacks the header of a table, only what asks for a version is a requirement.
    has_header = len(leaf.path) > 1
    for item, line in leaf.strings(text):
        for entry in text.requirement(item, line, owner):
            if entry.parts or has_header:
                yield entry


def _owner(path: tuple[str, ...]) -> str | None:
    """Return what a table of dependencies is for, as `build`; None for any other table."""
    match path:
        case ("project", "dependencies") | ("dependencies",):
            return ""
        case ("build-system", "requires") | ("requires",):
            return "build"
        case ("project", "optional-dependencies", extra) | (extra,):
            return f"optional:{extra}"
        case ("dependency-groups", group):
            return _developers(group)
    return None


def _contents_table(path: tuple[str, ...]) -> str | None:
    """Return the name of a table that lists what the built package ships; None for any other."""
    match path:
        case ("tool", "setuptools", "packages"):
            return "packages"
        case ("tool", "setuptools", "packages", "find", "include"):
            return "packages"
        case ("tool", "setuptools", "package-data", package):
            return f"package data of {package}"
        case ("tool", "hatch", "build", "targets", "wheel", "packages" | "include"):
            return "packages"
    return None


def _single(
    path: tuple[str, ...], value: str, lines: tuple[int, int], text: "Text"
) -> Iterator["ManifestEntry"]:
    match path:
        case ("project", "requires-python") | ("requires-python",):
            yield text.declare("dependency", "python", lines, version=value)
        case ("project", "name"):
            yield text.declare("package", "name", lines, value=value)
        case ("project", "version") | ("version",):
            yield text.declare("version", "version", lines, value=value)
        case ("project", "scripts" | "gui-scripts", name):
            yield text.declare("registration", name, lines, path[-2], value=value)
        case ("project", "entry-points", group, name):
            yield text.declare("registration", name, lines, group, value=value)


def _developers(group: str) -> str:
    return "dev" if group == "dev" else f"dev:{group}"


def read_requirements(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield what a file of requirements or constraints asks for, line by line as pip does."""
    for number, line in enumerate(text.lines, start=1):
        written = _BESIDE.sub("", line).strip()
        yield from text.requirement(written, number)
        if _FILE.fullmatch(written):
            yield text.declare_at(number, "config", written)
        elif setting := _SETTING.fullmatch(written):
            yield text.declare_at(number, "config", setting[1], value=setting[2])


_LISTS = ("list", "tuple", "set", "parenthesized_expression", "binary_operator")
_SHIPPED = ("name", "packages", "package_data")
_BINDINGS = {"assignment": ("left", "right"), "keyword_argument": ("name", "value")}


def read_setup(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield what the arguments of `setup()` declare, and the variables that stand for them.

    A fragment may show the variables alone. Only `setup.py` is one by its name.
    """
    if not text.path.endswith("setup.py") and b"setup(" not in text.source:
        return
    bound: dict[str, dict[str, Node]] = {kind: {} for kind in _BINDINGS}
    shipped: dict[str, Node] = {}
    waiting = [Parser(Language(tree_sitter_python.language())).parse(text.source).root_node]
    while waiting:
        node = waiting.pop()
        binding = _binding(node)
        if binding is not None:
            bound[node.type][binding.name] = binding.value
            if binding.name in _SHIPPED and _is_argument_of_setup(node):
                shipped[binding.name] = binding.value
        waiting.extend(reversed(node.children))
    variables = bound["assignment"]
    arguments = variables | bound["keyword_argument"]
    # Extensions and other calls have names and packages of their own.
    for name in _SHIPPED:
        arguments.pop(name, None)
    arguments |= shipped
    values = {name: variables.get(_source(value), value) for name, value in arguments.items()}
    entries = list(_fields(values, text))
    yield from entries
    if not entries:
        for line in range(1, len(text.lines) + 1):
            yield from text.listed(line)


class _Binding(NamedTuple):
    """A name and the value that it stands for."""

    name: str
    value: Node


def _binding(node: Node) -> _Binding | None:
    """Return what an assignment or an argument by name binds."""
    fields = _BINDINGS.get(node.type)
    if fields is None:
        return None
    name = node.child_by_field_name(fields[0])
    value = node.child_by_field_name(fields[1])
    return _Binding(_source(name), value) if name and value else None


def _is_argument_of_setup(node: Node) -> bool:
    """Return True for an argument of `setup()`, or of a call whose end the text lacks."""
    around = node.parent
    while around is not None and around.type != "call":
        around = around.parent
    function = around.child_by_field_name("function") if around is not None else None
    return function is None or _source(function).rpartition(".")[2] == "setup"


def _fields(values: dict[str, Node], text: "Text") -> Iterator["ManifestEntry"]:
    for field, owner in (("install_requires", ""), ("setup_requires", "build")):
        for written, line in _strings(values.get(field)):
            yield from text.requirement(written, line, owner)
    for key, node in _pairs(values.get("extras_require")):
        for written, line in _strings(node):
            yield from text.requirement(written, line, f"optional:{key}")
    for written, line in _strings(values.get("python_requires")):
        yield text.declare_at(line, "dependency", "python", version=written)
    for written, line in _strings(values.get("version")):
        yield text.declare_at(line, "version", "version", value=written)
    yield from _shipped_fields(values, text)


def _shipped_fields(values: dict[str, Node], text: "Text") -> Iterator["ManifestEntry"]:
    """Yield the name of the package, what it ships, and its entry points."""
    for written, line in _strings(values.get("name")):
        yield text.declare_at(line, "package", "name", value=written)
    for written, line in _strings(values.get("packages")):
        yield text.declare_at(line, "contents", written, "packages")
    for package, node in _pairs(values.get("package_data")):
        for written, line in _strings(node):
            yield text.declare_at(line, "contents", written, f"package data of {package}")
    for group, node in _pairs(values.get("entry_points")):
        for written, line in _strings(node):
            yield from text.entry_point(written, line, group)


def _pairs(node: Node | None) -> Iterator[tuple[str, Node | None]]:
    """Yield the keys of a dictionary with their values."""
    if node is None or node.type != "dictionary":
        return
    for pair in node.children:
        for key, _ in _strings(pair.child_by_field_name("key")):
            yield key, pair.child_by_field_name("value")


def _strings(node: Node | None) -> Iterator[tuple[str, int]]:
    """Yield a string, or those of a list or a sum of lists, each with its line.

    The arguments of a call are left out.
    """
    waiting = [node] if node is not None else []
    while waiting:
        expression = waiting.pop()
        if expression.type in _LISTS:
            waiting.extend(reversed(expression.children))
        elif expression.type == "string" and not _is_formatted(expression):
            with suppress(ValueError, SyntaxError):
                yield str(ast.literal_eval(_source(expression))), expression.start_point[0] + 1


def _is_formatted(string: Node) -> bool:
    """Return True for a formatted string, which has no value before it is run."""
    return any(child.type == "interpolation" for child in string.children)


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
