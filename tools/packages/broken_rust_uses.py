"""The broken uses in own Rust code: lines that a new version of a crate breaks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from agent.bumps.argument_counts import ArgumentCount, count_fault
from agent.bumps.bump_report_model import CodeUse, Effect, UsedName
from tools.packages.rust_crate_api import RustItem, RustWorkspace, path_names, used_paths
from tools.packages.syntax import field_text, line_of, nodes_here, nodes_of, syntax_tree, text_of

_MAX_CHAIN = 100  # Calls that follow one another
_OUTER_PATHS = ("scoped_identifier", "scoped_type_identifier", "scoped_use_list")


class _RustUse(NamedTuple):
    """A line that names something by its whole path."""

    path: tuple[str, ...]
    line: int
    call: ArgumentCount | None = None
    fields: tuple[tuple[str, int], ...] = ()  # That a literal gives, with their lines
    is_whole_literal: bool = False  # Whether a literal must give all fields


@dataclass
class _RustFile:
    path: str
    root: Node
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The paths of what is imported, by the names that it has here."""
    declarations: dict[int, list[Node]] = field(default_factory=dict)
    """The variables and parameters of functions, by where these begin."""


def names_crate(text: str, crate: str) -> bool:
    """Return True for a file in which a crate may be used."""
    return f"{crate}::" in text or f"use {crate}" in text or f"extern crate {crate}" in text


class RustUses(NamedTuple):
    """The lines that a bump breaks, and everything that own code names of a crate."""

    broken: list[CodeUse]
    used: list[UsedName]


def rust_uses(
    texts: Mapping[str, str], crate: str, old: RustWorkspace, new: RustWorkspace
) -> RustUses:
    """Return the uses of a crate; broken are those that fit its old version and not the new."""
    broken: list[CodeUse] = []
    used: list[UsedName] = []
    for path, text in texts.items():
        if not path.endswith(".rs") or not names_crate(text, crate):
            continue
        root = syntax_tree(path, text)
        if root is None:
            continue
        file = _RustFile(path, root)
        _read_imports(file)
        for use in _uses(file, crate):
            name = use.path[-1].rstrip("!")
            used.append(UsedName(name=name, file=path, line=use.line))
            broken += _broken(file, use, old, new)
        broken += _lost_methods(file, crate, old, new)
    return RustUses(broken, used)


def _read_imports(file: _RustFile) -> None:
    for declaration in nodes_of(file.root, "use_declaration"):
        for path, name in used_paths(declaration.child_by_field_name("argument")):
            if name != "*":
                file.names[name] = path


def _uses(file: _RustFile, crate: str) -> Iterator[_RustUse]:
    for declaration in nodes_of(file.root, "use_declaration"):
        for path, name in used_paths(declaration.child_by_field_name("argument")):
            if path[0] == crate and len(path) > 1:
                line = _line_of_name(declaration, path[-1])
                yield _RustUse(path, line if name != "*" else line_of(declaration))
    kinds = ("scoped_identifier", "scoped_type_identifier", "macro_invocation")
    for node in nodes_of(file.root, *kinds, "call_expression", "struct_expression"):
        use = _use_of_node(file, node)
        if use is not None and use.path[0] == crate and len(use.path) > 1:
            yield use


def _use_of_node(file: _RustFile, node: Node) -> _RustUse | None:
    if node.type == "macro_invocation":
        path = _full_path(file, node.child_by_field_name("macro"))
        if not path:
            return None
        return _RustUse((*path[:-1], f"{path[-1]}!"), line_of(node))
    if node.type == "struct_expression":
        path = _full_path(file, node.child_by_field_name("name"))
        if not path:
            return None
        body = node.child_by_field_name("body")
        is_whole = body is not None and not nodes_here(body, "base_field_initializer")
        fields = _given_fields(node)
        return _RustUse(path, line_of(node), fields=fields, is_whole_literal=is_whole)
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        if function is not None and function.type == "generic_function":
            function = function.child_by_field_name("function")
        if function is None or function.type not in ("identifier", "scoped_identifier"):
            return None
        path = _full_path(file, function)
        arguments = node.child_by_field_name("arguments")
        values = [] if arguments is None else arguments.named_children
        count = sum("comment" not in value.type for value in values)
        return _RustUse(path, line_of(function), ArgumentCount(count)) if path else None
    parent = node.parent
    is_part = parent is not None and parent.type in (*_OUTER_PATHS, "use_as_clause", "use_list")
    if is_part or _is_in_use(node):
        return None
    path = _full_path(file, node)
    return _RustUse(path, line_of(node)) if path else None


def _is_in_use(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "use_declaration"


def _full_path(file: _RustFile, node: Node | None) -> tuple[str, ...]:
    """Return a path as it is from the name of its crate on; empty for what is not imported."""
    names = path_names(node)
    if not names or not all(name.isidentifier() for name in names):
        return ()
    if names[0] in file.names:
        return (*file.names[names[0]], *names[1:])
    return names if len(names) > 1 else ()


def _given_fields(node: Node) -> tuple[tuple[str, int], ...]:
    body = node.child_by_field_name("body")
    fields: list[tuple[str, int]] = []
    for child in body.named_children if body is not None else ():
        if child.type == "field_initializer":
            fields.append((field_text(child, "field"), line_of(child)))
        elif child.type == "shorthand_field_initializer":
            fields.append((text_of(child), line_of(child)))
    return tuple(fields)


def _line_of_name(declaration: Node, name: str) -> int:
    for node in nodes_of(declaration, "identifier", "type_identifier"):
        if text_of(node) == name:
            return line_of(node)
    return line_of(declaration)


def _broken(
    file: _RustFile, use: _RustUse, old: RustWorkspace, new: RustWorkspace
) -> Iterator[CodeUse]:
    shown = "::".join(use.path)
    before = old.resolve(use.path)
    if before is None:
        return
    after = new.resolve(use.path)
    if before.is_open:
        yield from _broken_member(file, use, shown, old, new)
    elif after is None:
        yield _code_use(file.path, use.line, shown, "gone", "is gone")
    elif before.item is not None and after.item is not None:
        yield from _broken_item(file, use, shown, before.item, after.item)


def _broken_item(
    file: _RustFile, use: _RustUse, shown: str, before: RustItem, after: RustItem
) -> Iterator[CodeUse]:
    """Yield what happens to the use of an item that is still there."""
    if after.is_deprecated and not before.is_deprecated:
        yield _code_use(file.path, use.line, shown, "changed", "is deprecated")
    fault = count_fault(frozenset(before.counts), frozenset(after.counts), use.call)
    if fault:
        yield _code_use(file.path, use.line, shown, "argument", f": {fault}")
    for name, line in use.fields:
        if name in before.members and name not in after.members and after.members:
            yield _code_use(file.path, line, f"{shown}.{name}", "gone", "is gone")
    given = {name for name, _ in use.fields}
    missing = after.members - before.members - given
    if use.is_whole_literal and after.kind == "struct_item" and given == before.members:
        for name in sorted(missing):
            text = f": it needs the field `{name}`"
            yield _code_use(file.path, use.line, shown, "argument", text)


def _broken_member(
    file: _RustFile, use: _RustUse, shown: str, old: RustWorkspace, new: RustWorkspace
) -> Iterator[CodeUse]:
    """Yield a variant or function of a type that is gone; the type itself may be gone too."""
    if len(use.path) < 3:
        return
    owner_path = use.path[:-1]
    name = use.path[-1]
    owner = old.resolve(owner_path)
    if owner is None or owner.item is None:
        return
    later = new.resolve(owner_path)
    if later is None:
        yield _code_use(file.path, use.line, "::".join(owner_path), "gone", "is gone")
        return
    if later.item is None:
        return
    old_functions = old.impls.functions.get(owner.item.name, {})
    new_functions = new.impls.functions.get(later.item.name, {})
    had = name in owner.item.members or name in old_functions
    has = name in later.item.members or name in new.impls.names or name in new_functions
    if had and not has and later.item.kind != "type_item":
        yield _code_use(file.path, use.line, shown, "gone", "is gone")
        return
    if name in _deprecated_of(later.item, new) - _deprecated_of(owner.item, old):
        yield _code_use(file.path, use.line, shown, "changed", "is deprecated")
    fault = count_fault(
        frozenset(old_functions.get(name, ())), frozenset(new_functions.get(name, ())), use.call
    )
    if fault:
        yield _code_use(file.path, use.line, shown, "argument", f": {fault}", is_certain=False)


def _deprecated_of(item: RustItem, workspace: RustWorkspace) -> set[str]:
    """Return the variants, fields and functions of a type that say so."""
    functions = workspace.impls.deprecated_of.get(item.name, set())
    return item.deprecated_members | functions


def _lost_methods(
    file: _RustFile, crate: str, old: RustWorkspace, new: RustWorkspace
) -> Iterator[CodeUse]:
    """Yield calls of methods that the whole repository of the crate declares no more.

    What they are called on must come from the crate: a chain that begins with one of its paths, or
    a variable or parameter that is written with its type or made by one of its functions.
    """
    for call in nodes_of(file.root, "call_expression"):
        function = call.child_by_field_name("function")
        if function is None or function.type != "field_expression":
            continue
        name = field_text(function, "field")
        value = function.child_by_field_name("value")
        owner = _type_of_chain(file, value, crate, old)
        line = line_of(function.child_by_field_name("field") or function)
        if owner:
            is_lost = _is_lost_from(owner, name, old, new)
        else:
            is_lost = name in old.impls.public - new.impls.names
            is_lost = is_lost and _is_of_crate(file, value, crate)
        if is_lost:
            text = f"is a method that `{owner}` has no more" if owner else _LOST
            yield _code_use(file.path, line, f".{name}", "gone", text, is_certain=False)
            continue
        if owner:
            before = old.impls.deprecated_of.get(owner, set())
            is_deprecated = name in new.impls.deprecated_of.get(owner, set()) - before
        else:
            is_deprecated = name in new.impls.deprecated - old.impls.deprecated
            is_deprecated = is_deprecated and _is_of_crate(file, value, crate)
        if is_deprecated:
            yield _code_use(file.path, line, f".{name}", "changed", "is deprecated")


_LOST = "is a method that the crate has no more"


def _is_lost_from(owner: str, name: str, old: RustWorkspace, new: RustWorkspace) -> bool:
    """Return True for a method that a type had itself, and that no trait can give it."""
    before = old.impls.functions.get(owner, {})
    after = new.impls.functions.get(owner)
    if name not in before or after is None or name in new.impls.of_traits:
        return False
    return name not in after


def _type_of_chain(file: _RustFile, value: Node | None, crate: str, old: RustWorkspace) -> str:
    """Return the type of a chain such as `Arg::new(1).help(2)`; empty where it is not known."""
    methods: list[str] = []
    while value is not None and value.type == "call_expression":
        function = value.child_by_field_name("function")
        if function is None or function.type != "field_expression":
            break
        if len(methods) == _MAX_CHAIN:
            return ""
        methods.append(field_text(function, "field"))
        value = function.child_by_field_name("value")
    if value is None or value.type != "call_expression":
        return ""
    path = _full_path(file, value.child_by_field_name("function"))
    if len(path) < 2 or path[0] != crate:
        return ""
    owner = path[-2]
    for name in (path[-1], *reversed(methods)):
        owner = old.impls.returns.get(owner, {}).get(name, "")
    return owner


def _is_of_crate(file: _RustFile, value: Node | None, crate: str) -> bool:
    """Return True for a value whose chain of calls begins with something of a crate."""
    for _ in range(_MAX_CHAIN):
        if value is None or value.type not in _CHAIN:
            break
        inner = value.child_by_field_name("function") or value.child_by_field_name("value")
        value = inner if inner is not None else next(iter(value.named_children), None)
    if value is None:
        return False
    if value.type in ("scoped_identifier", "macro_invocation"):
        written = value.child_by_field_name("macro") or value
        return _begins_with(file, written, crate)
    if value.type != "identifier":
        return False
    path = file.names.get(text_of(value))
    if path is not None:
        return path[0] == crate
    return _is_declared_with_crate(file, value, crate)


_CHAIN = ("call_expression", "field_expression", "try_expression", "reference_expression")
_FUNCTIONS = ("function_item", "closure_expression")


def _is_declared_with_crate(file: _RustFile, variable: Node, crate: str) -> bool:
    """Return True for a variable or parameter of the function around it that is of a crate."""
    function = variable.parent
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    if function is None:
        return False
    name = text_of(variable)
    if function.start_byte not in file.declarations:
        declarations = nodes_of(function, "let_declaration", "parameter")
        file.declarations[function.start_byte] = declarations
    for declared in file.declarations[function.start_byte]:
        pattern = text_of(declared.child_by_field_name("pattern"))
        if pattern.removeprefix("mut ") != name:
            continue
        written = declared.child_by_field_name("type")
        if any(_begins_with(file, node, crate) for node in nodes_of(written, *_TYPE_NAMES)):
            return True
        value = declared.child_by_field_name("value")
        if value is not None and text_of(value) != name and value.start_byte < variable.start_byte:
            root = value
            while root.type in _CHAIN and root.named_children:
                root = root.named_children[0]
            return root.type == "scoped_identifier" and _begins_with(file, root, crate)
    return False


_TYPE_NAMES = ("type_identifier", "scoped_type_identifier")


def _begins_with(file: _RustFile, node: Node, crate: str) -> bool:
    names = path_names(node)
    if not names:
        return False
    return file.names.get(names[0], names)[0] == crate


def _code_use(
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
