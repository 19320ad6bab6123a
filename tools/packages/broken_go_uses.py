"""The broken uses in own Go code: lines that a new version of a module breaks."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from tree_sitter import Node

from agent.bumps.argument_counts import ArgumentCount, count_fault
from agent.bumps.bump_report_model import CodeUse, Effect, UsedName
from tools.packages.go_package_api import GoModule, GoPackage
from tools.packages.syntax import field_text, line_of, nodes_of, string_text, syntax_tree, text_of


class GoName(NamedTuple):
    """A name of a package that a line uses, or a member of one of its types."""

    import_path: str
    name: str
    line: int
    member: str = ""
    call: ArgumentCount | None = None
    is_literal: bool = False  # Whether a literal gives the member, and so names its type


class _GoFunction(NamedTuple):
    """Where a function is, and the names of its parameters and variables."""

    start: int
    end: int
    names: frozenset[str]


@dataclass
class _GoFile:
    """A file of one's own with what it imports of a module."""

    path: str
    root: Node
    imports: dict[str, str] = field(default_factory=dict)  # Import paths by their names here
    types: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The type of a variable or field, if all of its name have the same."""
    functions: list[_GoFunction] = field(default_factory=list)


def imports_of(path: str, text: str, module: str) -> list[str]:
    """Return the packages of a module that a file imports."""
    if module not in text:
        return []
    root = syntax_tree(path, text)
    paths = [string_text(spec.child_by_field_name("path")) for spec in _import_specs(root)]
    return [path for path in paths if is_in_module(path, module)]


def is_in_module(import_path: str, module: str) -> bool:
    """Return True for a package of a module, and not of another one that begins alike."""
    if import_path == module:
        return True
    inside = import_path.removeprefix(f"{module}/")
    is_next_version = inside.partition("/")[0].lstrip("v").isdigit() and inside.startswith("v")
    return inside != import_path and not is_next_version


class GoUses(NamedTuple):
    """The lines that a bump breaks, and everything that own code names of a module."""

    broken: list[CodeUse]
    used: list[UsedName]


async def go_uses(texts: Mapping[str, str], module: str, old: GoModule, new: GoModule) -> GoUses:
    """Return the uses of a module; broken are those that fit its old version and not the new."""
    broken: list[CodeUse] = []
    used: list[UsedName] = []
    for path, text in texts.items():
        if not path.endswith(".go") or not imports_of(path, text, module):
            continue
        file = await _read_file(path, text, module, old)
        if file is None:
            continue
        for import_path, line in _import_lines(file, module):
            if await old.package(import_path) and not await new.package(import_path):
                broken.append(_use(path, line, import_path, "gone", "is gone"))
        for use in await _uses(file, old):
            name = use.member or use.name
            folder = new.folder_of(use.import_path)
            used.append(UsedName(name=name, file=path, line=use.line, defined_in=folder))
            before = await old.package(use.import_path)
            after = await new.package(use.import_path)
            if before is not None and after is not None:
                broken += _broken(path, use, before, after)
    return GoUses(broken, used)


async def _read_file(path: str, text: str, module: str, old: GoModule) -> _GoFile | None:
    root = syntax_tree(path, text)
    if root is None:
        return None
    file = _GoFile(path, root, functions=_functions(root))
    for spec in _import_specs(root):
        import_path = string_text(spec.child_by_field_name("path"))
        package = await old.package(import_path) if is_in_module(import_path, module) else None
        if package is not None:
            file.imports[field_text(spec, "name") or package.name] = import_path
    return file


def _import_specs(root: Node | None) -> list[Node]:
    return nodes_of(root, "import_spec")


def _import_lines(file: _GoFile, module: str) -> Iterator[tuple[str, int]]:
    for spec in _import_specs(file.root):
        import_path = string_text(spec.child_by_field_name("path"))
        if is_in_module(import_path, module):
            yield import_path, line_of(spec)


async def _uses(file: _GoFile, old: GoModule) -> list[GoName]:
    packages: dict[str, GoPackage] = {}
    for import_path in file.imports.values():
        package = await old.package(import_path)
        if package is not None:
            packages[import_path] = package
    file.types.update(_types(file, packages))
    uses: list[GoName] = []
    for node in nodes_of(file.root, "selector_expression", "qualified_type", "composite_literal"):
        uses += _uses_of_node(file, node)
    return uses


def _uses_of_node(file: _GoFile, node: Node) -> Iterator[GoName]:
    if node.type == "composite_literal":
        yield from _given_fields(file, node)
        return
    if node.type == "qualified_type":
        import_path = file.imports.get(field_text(node, "package"), "")
        if import_path:
            yield GoName(import_path, field_text(node, "name"), line_of(node))
        return
    operand = node.child_by_field_name("operand")
    name = field_text(node, "field")
    line = line_of(node.child_by_field_name("field") or node)
    is_name = operand is not None and operand.type == "identifier"
    import_path = file.imports.get(text_of(operand), "") if is_name else ""
    if import_path and not _is_shadowed(file, node, text_of(operand)):
        yield GoName(import_path, name, line, call=_call(node))
        return
    variable = text_of(operand) if is_name else ""
    if operand is not None and operand.type == "selector_expression":
        variable = field_text(operand, "field")
    if variable in file.types:
        owner_path, owner = file.types[variable]
        yield GoName(owner_path, owner, line, member=name, call=_call(node))


def _given_fields(file: _GoFile, literal: Node) -> Iterator[GoName]:
    """Yield the fields that a literal of a type of the module gives by name."""
    written = literal.child_by_field_name("type")
    if written is None or written.type != "qualified_type":
        return
    import_path = file.imports.get(field_text(written, "package"), "")
    body = literal.child_by_field_name("body")
    for element in body.named_children if import_path and body is not None else ():
        key = element.child_by_field_name("key") if element.type == "keyed_element" else None
        if key is not None and text_of(key).isidentifier():
            name = field_text(written, "name")
            yield GoName(import_path, name, line_of(key), text_of(key), is_literal=True)


def _call(node: Node) -> ArgumentCount | None:
    """Return the arguments if a node is what is called."""
    call = node.parent
    if call is None or call.type != "call_expression":
        return None
    if call.child_by_field_name("function") != node:
        return None
    arguments = call.child_by_field_name("arguments")
    values = [] if arguments is None else arguments.named_children
    values = [value for value in values if value.type != "comment"]
    # A single call may return several values, which are all passed on.
    is_open = any(value.type == "variadic_argument" for value in values)
    is_open |= len(values) == 1 and values[0].type == "call_expression"
    return ArgumentCount(len(values), is_open)


def _functions(root: Node) -> list[_GoFunction]:
    """Return the functions of a file, in their order, with the names that they declare."""
    functions: list[_GoFunction] = []
    for node in root.named_children:
        if node.type not in ("function_declaration", "method_declaration"):
            continue
        names: set[str] = set()
        for declared in nodes_of(
            node, "short_var_declaration", "parameter_declaration", "var_spec"
        ):
            identifiers = declared.children_by_field_name("name")
            left = declared.child_by_field_name("left")
            if left is not None:
                identifiers = [*identifiers, *left.named_children]
            names.update(map(text_of, identifiers))
        functions.append(_GoFunction(node.start_byte, node.end_byte, frozenset(names)))
    return functions


def _is_shadowed(file: _GoFile, node: Node, name: str) -> bool:
    """Return True if the function around a node has a variable of the name of a package."""
    index = bisect_right(file.functions, node.start_byte, key=lambda function: function.start) - 1
    if index < 0:
        return False
    function = file.functions[index]
    return node.start_byte < function.end and name in function.names


def _types(file: _GoFile, packages: Mapping[str, GoPackage]) -> dict[str, tuple[str, str]]:
    """Return the types of the module that variables, parameters and fields have by their names."""
    types: dict[str, set[tuple[str, str]]] = {}
    kinds = ("parameter_declaration", "var_spec", "field_declaration")
    for declared in nodes_of(file.root, *kinds):
        for name in declared.children_by_field_name("name"):
            written = _written_type(file, declared.child_by_field_name("type"))
            types.setdefault(text_of(name), set()).add(written)
    for declared in nodes_of(file.root, "short_var_declaration"):
        left = declared.child_by_field_name("left")
        right = declared.child_by_field_name("right")
        if left is None or right is None:
            continue
        values = right.named_children
        for number, name in enumerate(left.named_children):
            value = values[number] if number < len(values) else None
            types.setdefault(text_of(name), set()).add(_value_type(file, value, packages))
    certain: dict[str, tuple[str, str]] = {}
    for variable, variable_types in types.items():
        if len(variable_types) == 1:
            (written,) = variable_types
            if written[1]:
                certain[variable] = written
    return certain


_UNKNOWN = ("", "")


def _written_type(file: _GoFile, node: Node | None) -> tuple[str, str]:
    if node is not None and node.type == "pointer_type":
        node = node.named_children[0] if node.named_children else None
    if node is None or node.type != "qualified_type":
        return _UNKNOWN
    import_path = file.imports.get(field_text(node, "package"), "")
    return (import_path, field_text(node, "name")) if import_path else _UNKNOWN


def _value_type(
    file: _GoFile, node: Node | None, packages: Mapping[str, GoPackage]
) -> tuple[str, str]:
    """Return the type that a value has: a literal, or what a function of the package returns."""
    if node is not None and node.type == "unary_expression":
        node = node.child_by_field_name("operand")
    if node is None:
        return _UNKNOWN
    if node.type == "composite_literal":
        return _written_type(file, node.child_by_field_name("type"))
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is None or function.type != "selector_expression":
        return _UNKNOWN
    import_path = file.imports.get(field_text(function, "operand"), "")
    if import_path not in packages:
        return _UNKNOWN
    result = packages[import_path].results.get(field_text(function, "field"), "")
    return (import_path, result) if result else _UNKNOWN


def _broken(file: str, use: GoName, before: GoPackage, after: GoPackage) -> Iterator[CodeUse]:
    shown = f"{PurePosixPath(use.import_path).name}.{use.name}"
    if before.name:
        shown = f"{before.name}.{use.name}"
    if use.member:
        yield from _broken_member(file, use, f"{shown}.{use.member}", before, after)
        return
    if use.name not in before.names:
        return
    if use.name not in after.names:
        yield _use(file, use.line, shown, "gone", "is gone")
        return
    if use.name in after.deprecated - before.deprecated:
        yield _use(file, use.line, shown, "changed", "is deprecated")
    old_counts = frozenset(before.functions.get(use.name, ()))
    new_counts = frozenset(after.functions.get(use.name, ()))
    fault = count_fault(old_counts, new_counts, use.call)
    if fault:
        yield _use(file, use.line, shown, "argument", f": {fault}")


def _broken_member(
    file: str, use: GoName, shown: str, before: GoPackage, after: GoPackage
) -> Iterator[CodeUse]:
    earlier = before.types.get(use.name)
    later = after.types.get(use.name)
    if earlier is None or later is None or use.member not in earlier.members:
        return
    # A literal names its type; of a variable the type is known from its name alone.
    if use.member not in later.members:
        if not later.is_open:
            yield _use(file, use.line, shown, "gone", "is gone", is_certain=use.is_literal)
        return
    if f"{use.name}.{use.member}" in after.deprecated - before.deprecated:
        yield _use(file, use.line, shown, "changed", "is deprecated")
    old_counts = frozenset(earlier.members[use.member])
    new_counts = frozenset(later.members[use.member])
    fault = count_fault(old_counts, new_counts, use.call)
    if fault:
        yield _use(file, use.line, shown, "argument", f": {fault}", is_certain=False)


def _use(
    file: str, line: int, name: str, effect: Effect, text: str, *, is_certain: bool = True
) -> CodeUse:
    separator = "" if text.startswith(":") else " "
    return CodeUse(
        file=file,
        line=line,
        name=name,
        effect=effect,
        text=f"`{name}`{separator}{text}",
        is_certain=is_certain,
    )
