"""The API of Go packages at a commit: the names, members and parameters that users see."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tree_sitter import Node

from agent.bumps.argument_counts import ParameterCount
from tools.packages.repository_trees import TreeReader
from tools.packages.syntax import field_text, syntax_tree, text_of

_DECLARATIONS = ("const_spec", "var_spec", "type_spec", "type_alias")


@dataclass
class GoType:
    """A type with the fields and methods that its own package declares."""

    members: dict[str, set[ParameterCount]] = field(default_factory=dict)
    """By name; a field has no parameters."""
    is_open: bool = False  # Whether it may have more, from what it embeds or stands for


@dataclass
class GoPackage:
    """What one folder declares, whatever system its files are for."""

    name: str = ""
    names: set[str] = field(default_factory=set)
    functions: dict[str, set[ParameterCount]] = field(default_factory=dict)
    types: dict[str, GoType] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)
    """Names that say so in their comment, of members behind the type: `Canvas.Line`."""
    results: dict[str, str] = field(default_factory=dict)
    """The type of this package that a function returns first."""

    def type_named(self, name: str) -> GoType:
        """Return a type, of which perhaps only a method was read so far."""
        return self.types.setdefault(name, GoType())


class GoModule:
    """The packages of a module at a commit, read as they are asked for."""

    def __init__(self, trees: TreeReader, sha: str, path: str, folder: str) -> None:
        """Read the module of an import `path` that lies in a `folder` of the repository."""
        self._trees = trees
        self._sha = sha
        self._path = path
        self._folder = folder
        self._packages: dict[str, GoPackage | None] = {}

    async def package(self, import_path: str) -> GoPackage | None:
        """Return the package of an import path; None where there is no such folder with code."""
        if import_path not in self._packages:
            self._packages[import_path] = await self._read(import_path)
        return self._packages[import_path]

    def folder_of(self, import_path: str) -> str:
        """Return the folder of the repository that a package of the module is in."""
        inside = import_path.removeprefix(self._path).strip("/")
        return "/".join(part for part in (self._folder, inside) if part)

    async def _read(self, import_path: str) -> GoPackage | None:
        folder = self.folder_of(import_path)
        files: list[str] = []
        for path in await self._trees.listing(self._sha):
            parent = str(PurePosixPath(path).parent)
            is_here = parent == (folder or ".")
            if is_here and path.endswith(".go") and not path.endswith("_test.go"):
                files.append(path)
        texts = await self._trees.texts(self._sha, files)
        return read_package(texts) if texts else None


def read_package(texts: Mapping[str, str]) -> GoPackage:
    """Read the files of a folder as one package."""
    package = GoPackage()
    for path, text in texts.items():
        root = syntax_tree(path, text)
        for node in root.named_children if root is not None else ():
            _read_top_level(node, package)
    return package


def _read_top_level(node: Node, package: GoPackage) -> None:
    if node.type == "package_clause":
        package.name = package.name or text_of(node.named_children[0])
    elif node.type == "function_declaration":
        _read_function(node, package)
    elif node.type == "method_declaration":
        _read_method(node, package)
    else:
        for spec in _specs(node):
            _read_spec(spec, package, is_deprecated=_is_deprecated(spec) or _is_deprecated(node))


def _read_function(node: Node, package: GoPackage) -> None:
    name = field_text(node, "name")
    package.names.add(name)
    package.functions.setdefault(name, set()).add(parameter_count(node))
    result = _first_result(node)
    if result:
        package.results[name] = result
    if _is_deprecated(node):
        package.deprecated.add(name)


def _read_method(node: Node, package: GoPackage) -> None:
    receiver = node.child_by_field_name("receiver")
    owner = _plain_type(text_of(receiver).strip("()").rpartition(" ")[2])
    name = field_text(node, "name")
    members = package.type_named(owner).members
    members.setdefault(name, set()).add(parameter_count(node))
    if _is_deprecated(node):
        package.deprecated.add(f"{owner}.{name}")


def _read_spec(spec: Node, package: GoPackage, *, is_deprecated: bool) -> None:
    for identifier in spec.children_by_field_name("name"):
        package.names.add(text_of(identifier))
        if is_deprecated:
            package.deprecated.add(text_of(identifier))
    if spec.type in ("type_spec", "type_alias"):
        _read_type(spec, package)


def _is_deprecated(node: Node) -> bool:
    """Return True for a declaration right below a comment with a paragraph `Deprecated:`."""
    below = node
    comment = node.prev_named_sibling
    while comment is not None and comment.type == "comment":
        if comment.end_point[0] + 1 < below.start_point[0]:
            return False
        if text_of(comment).lstrip("/* \t").startswith("Deprecated:"):
            return True
        below = comment
        comment = comment.prev_named_sibling
    return False


def _specs(node: Node) -> Iterator[Node]:
    """Yield the declarations of a `const`, `var` or `type`, also those in brackets."""
    for child in node.named_children:
        if child.type in _DECLARATIONS:
            yield child
        elif child.type.endswith("_spec_list"):
            yield from child.named_children


def _read_type(spec: Node, package: GoPackage) -> None:
    go_type = package.type_named(field_text(spec, "name"))
    written = spec.child_by_field_name("type")
    if written is None or spec.type == "type_alias":
        go_type.is_open = True
    elif written.type == "struct_type":
        _read_struct(written, go_type)
    elif written.type == "interface_type":
        _read_interface(written, go_type)
    elif written.type in ("type_identifier", "qualified_type", "generic_type"):
        go_type.is_open = True


def _read_struct(node: Node, go_type: GoType) -> None:
    for fields in node.named_children:
        for declared in fields.named_children:
            names = declared.children_by_field_name("name")
            for name in names:
                go_type.members.setdefault(text_of(name), set())
            if declared.type == "field_declaration" and not names:
                embedded = _plain_type(field_text(declared, "type")).rpartition(".")[2]
                go_type.members.setdefault(embedded, set())
                go_type.is_open = True


def _read_interface(node: Node, go_type: GoType) -> None:
    for element in node.named_children:
        if element.type == "method_elem":
            counts = go_type.members.setdefault(field_text(element, "name"), set())
            counts.add(parameter_count(element))
        else:
            go_type.is_open = True


def parameter_count(function: Node) -> ParameterCount:
    """Return how many arguments a function or method takes."""
    count = 0
    is_variadic = False
    parameters = function.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters is not None else ():
        if parameter.type == "variadic_parameter_declaration":
            is_variadic = True
        elif parameter.type == "parameter_declaration":
            count += max(1, len(parameter.children_by_field_name("name")))
    return ParameterCount(count, None if is_variadic else count)


def _first_result(function: Node) -> str:
    result = function.child_by_field_name("result")
    if result is not None and result.type == "parameter_list":
        first = result.named_children[0] if result.named_children else None
        result = first.child_by_field_name("type") if first is not None else None
    name = _plain_type(text_of(result))
    return name if name.isidentifier() else ""


def _plain_type(written: str) -> str:
    """Return a type without its pointer and its parameters."""
    return written.strip("*& ").partition("[")[0]
