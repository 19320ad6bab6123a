"""The broken uses in own JavaScript and TypeScript: lines that a new version of a package breaks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from agent.bumps.argument_counts import ArgumentCount, count_fault
from agent.bumps.bump_report_model import CodeUse, Effect, UsedName
from tools.packages.npm_package_api import DEFAULT, Exports, NpmPackage
from tools.packages.syntax import (
    field_text,
    line_of,
    nodes_of,
    string_text,
    syntax_tree,
    text_of,
    walk,
)

SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_TYPED = (".ts", ".tsx", ".mts", ".cts")


class _Import(NamedTuple):
    """A path of a package that a file imports, with the names that it has from it."""

    subpath: str  # `.` for the package itself
    line: int
    names: tuple[tuple[str, str, int], ...] = ()  # Exported name, name here, line
    whole: str = ""  # The name under which the file has all of it
    is_required: bool = False


@dataclass
class _FileUses:
    """What a file takes from its names, and the calls of them; it is walked once."""

    members: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    calls: dict[str, list[tuple[int, ArgumentCount]]] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Node) -> "_FileUses":
        """Read a file."""
        uses = cls()
        for node in walk(root):
            if node.type in ("member_expression", "nested_type_identifier"):
                uses._add_member(node)
            elif node.type == "variable_declarator":
                uses._add_pattern(node)
            elif node.type == "call_expression":
                uses._add_call(node)
        return uses

    def _add_member(self, node: Node) -> None:
        owner = node.child_by_field_name("object") or node.child_by_field_name("module")
        name = node.child_by_field_name("property") or node.child_by_field_name("name")
        if owner is not None and owner.type == "identifier" and name is not None:
            member = (text_of(name), line_of(name))
            self.members.setdefault(text_of(owner), []).append(member)

    def _add_pattern(self, node: Node) -> None:
        """Add the names of `const { a, b } = whole`."""
        value = node.child_by_field_name("value")
        pattern = node.child_by_field_name("name")
        if value is None or value.type != "identifier" or pattern is None:
            return
        for part in pattern.named_children if pattern.type == "object_pattern" else ():
            member = (text_of(part.child_by_field_name("key") or part), line_of(part))
            self.members.setdefault(text_of(value), []).append(member)

    def _add_call(self, call: Node) -> None:
        function = call.child_by_field_name("function")
        arguments = call.child_by_field_name("arguments")
        if function is None or function.type != "identifier":
            return
        if arguments is None or arguments.type != "arguments":
            return
        values = [value for value in arguments.named_children if "comment" not in value.type]
        is_open = any(value.type == "spread_element" for value in values)
        count = ArgumentCount(len(values), is_open)
        self.calls.setdefault(text_of(function), []).append((line_of(call), count))

    def taken(self, imported: _Import) -> Iterator[tuple[str, int]]:
        """Yield the names that an import takes by itself, and those taken from it as a whole."""
        for name, _, line in imported.names:
            yield name, line
        if imported.whole:
            yield from self.members.get(imported.whole, ())


def names_package(text: str, package: str) -> bool:
    """Return True for a file that may import a package."""
    return any(f"{quote}{package}" in text for quote in "\"'`")


class NpmUses(NamedTuple):
    """The lines that a bump breaks, and everything that own code names of a package."""

    broken: list[CodeUse]
    used: list[UsedName]


async def npm_uses(
    texts: Mapping[str, str], package: str, old: NpmPackage, new: NpmPackage
) -> NpmUses:
    """Return the uses of a package; broken are those that fit its old version and not the new."""
    broken: list[CodeUse] = []
    used: list[UsedName] = []
    for path, text in texts.items():
        if not path.endswith(SUFFIXES) or not names_package(text, package):
            continue
        root = syntax_tree(path, text)
        if root is None:
            continue
        file_uses = _FileUses.of(root)
        for imported in _imports(root, package):
            for name, line in file_uses.taken(imported):
                used.append(UsedName(name=name, file=path, line=line))
            broken += await _broken(path, file_uses, imported, package, old, new)
    return NpmUses(broken, used)


def imports_package(path: str, text: str, package: str) -> bool:
    """Return True for a file that imports a package or a path below it."""
    if not path.endswith(SUFFIXES) or not names_package(text, package):
        return False
    return any(True for _ in _imports(syntax_tree(path, text), package))


def _imports(root: Node | None, package: str) -> Iterator[_Import]:
    for node in nodes_of(root, "import_statement", "export_statement", "call_expression"):
        if node.type == "call_expression":
            yield from _required(node, package)
            continue
        source = node.child_by_field_name("source")
        clauses = [child for child in node.named_children if child.type.endswith("_clause")]
        for clause in clauses:
            source = source or clause.child_by_field_name("source")
        subpath = _subpath(string_text(source), package)
        if not subpath:
            continue
        if node.type == "export_statement":
            yield _Import(subpath, line_of(node), _specifiers(node))
        elif not clauses:
            yield _Import(subpath, line_of(node))
        for clause in clauses if node.type == "import_statement" else ():
            yield _Import(subpath, line_of(node), tuple(_clause_names(clause)), _namespace(clause))


def _subpath(source: str, package: str) -> str:
    if source == package:
        return "."
    return f"./{source[len(package) + 1 :]}" if source.startswith(f"{package}/") else ""


def _clause_names(clause: Node) -> Iterator[tuple[str, str, int]]:
    if clause.type == "import_require_clause":
        return
    for child in clause.named_children:
        if child.type == "identifier":
            yield DEFAULT, text_of(child), line_of(child)
        elif child.type == "named_imports":
            yield from _specifiers(clause)


def _specifiers(node: Node) -> tuple[tuple[str, str, int], ...]:
    names: list[tuple[str, str, int]] = []
    for specifier in nodes_of(node, "import_specifier", "export_specifier"):
        name = field_text(specifier, "name")
        names.append((name, field_text(specifier, "alias") or name, line_of(specifier)))
    return tuple(names)


def _namespace(clause: Node) -> str:
    if clause.type == "import_require_clause":
        return text_of(clause.named_children[0])
    for child in clause.named_children:
        if child.type == "namespace_import":
            return text_of(child.named_children[-1])
    return ""


def _required(call: Node, package: str) -> Iterator[_Import]:
    """Yield what a call of `require` or `import()` loads."""
    function = field_text(call, "function")
    arguments = call.child_by_field_name("arguments")
    if function not in ("require", "import") or arguments is None:
        return
    first = arguments.named_children[0] if arguments.named_children else None
    subpath = _subpath(string_text(first), package)
    if not subpath:
        return
    is_required = function == "require"
    target = call.parent
    while target is not None and target.type in ("await_expression", "parenthesized_expression"):
        target = target.parent
    if target is not None and target.type == "member_expression":
        name = field_text(target, "property")
        yield _Import(subpath, line_of(call), ((name, "", line_of(call)),), "", is_required)
        return
    pattern = target.child_by_field_name("name") if target is not None else None
    is_declared = target is not None and target.type == "variable_declarator"
    if not is_declared or pattern is None:
        yield _Import(subpath, line_of(call), is_required=is_required)
    elif pattern.type == "object_pattern":
        names: list[tuple[str, str, int]] = []
        for part in pattern.named_children:
            if part.type == "shorthand_property_identifier_pattern":
                names.append((text_of(part), text_of(part), line_of(part)))
            elif part.type == "pair_pattern":
                here = field_text(part, "value")
                names.append((field_text(part, "key"), here, line_of(part)))
        yield _Import(subpath, line_of(call), tuple(names), "", is_required)
    else:
        yield _Import(subpath, line_of(call), (), text_of(pattern), is_required)


async def _broken(
    file: str,
    file_uses: _FileUses,
    imported: _Import,
    package: str,
    old: NpmPackage,
    new: NpmPackage,
) -> list[CodeUse]:
    broken: list[CodeUse] = []
    source = package if imported.subpath == "." else f"{package}/{imported.subpath[2:]}"
    if imported.is_required and new.is_module_only and not old.is_module_only:
        text = "is only an ES module now, which `require` loads from Node 22.12 on"
        broken.append(_use(file, imported.line, source, "gone", text, is_certain=False))
    if old.has_entry(imported.subpath) is not False and new.has_entry(imported.subpath) is False:
        text = "is not among the paths that the package exports"
        return [*broken, _use(file, imported.line, source, "gone", text)]
    before = await old.exports(imported.subpath)
    after = await new.exports(imported.subpath)
    if before is None or after is None:
        return broken
    broken += _broken_names(file, file_uses, imported, package, before, after)
    if file.endswith(_TYPED):
        broken += _broken_calls(file, file_uses, imported, package, before, after)
    return broken


def _broken_names(
    file: str,
    file_uses: _FileUses,
    imported: _Import,
    package: str,
    before: Exports,
    after: Exports,
) -> Iterator[CodeUse]:
    for name, line in file_uses.taken(imported):
        shown = f"{package}.{name}"
        if name in before.names and name not in after.names and not after.is_open:
            yield _use(file, line, shown, "gone", "is gone")
        elif name in after.deprecated - before.deprecated:
            yield _use(file, line, shown, "changed", "is deprecated")


def _broken_calls(
    file: str,
    file_uses: _FileUses,
    imported: _Import,
    package: str,
    before: Exports,
    after: Exports,
) -> Iterator[CodeUse]:
    """Yield calls that the compiler of TypeScript refuses; JavaScript passes any arguments."""
    for name, here, _ in imported.names:
        old_counts = frozenset(before.names.get(name, ()))
        new_counts = frozenset(after.names.get(name, ()))
        for line, call in file_uses.calls.get(here, ()):
            fault = count_fault(old_counts, new_counts, call)
            if fault:
                yield _use(file, line, f"{package}.{name}", "argument", f": {fault}")


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
