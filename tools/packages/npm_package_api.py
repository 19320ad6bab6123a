"""The API of npm packages at a commit: what entry points export, as far as sources show it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tree_sitter import Node

from agent.bumps.argument_counts import ParameterCount
from agent.bumps.python_pin_readers import table
from agent.bumps.python_pin_readers import text_of as json_text
from tools.packages.repository_trees import Listing, TreeReader
from tools.packages.syntax import field_text, string_text, syntax_tree, text_of

_SUFFIXES = (".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".jsx", ".d.ts")
_SOURCE_FOLDERS = ("src", "source", "lib", "")
_MAX_STEPS = 80  # Files that are followed from one entry point
DEFAULT = "default"


@dataclass
class Exports:
    """The names that a module gives to others."""

    names: dict[str, set[ParameterCount]] = field(default_factory=dict)
    is_open: bool = False  # Whether there may be more names
    deprecated: set[str] = field(default_factory=set)


class NpmPackage:
    """A package in a folder of a repository at a commit."""

    def __init__(self, trees: TreeReader, sha: str, folder: str, listing: Listing) -> None:
        self._trees = trees
        self._sha = sha
        self._folder = folder
        self._listing = listing
        self._manifest: dict[str, object] = {}
        self._exports: dict[str, Exports | None] = {}
        self._steps = 0

    @classmethod
    async def at(cls, trees: TreeReader, sha: str, folder: str) -> "NpmPackage":
        """Open the package whose package.json is in a folder."""
        package = cls(trees, sha, folder, await trees.listing(sha))
        path = package._path("package.json")
        text = (await trees.texts(sha, [path])).get(path, "")
        try:
            package._manifest = table(json.loads(text))
        except (ValueError, RecursionError):
            package._manifest = {}
        return package

    @property
    def is_module_only(self) -> bool:
        """True for a package that `require` could not load before Node 22.12."""
        if self._manifest.get("type") != "module":
            return False
        main = json_text(self._manifest.get("main"))
        if main.endswith(".cjs"):
            return False
        return '"require"' not in json.dumps(self._manifest.get("exports"))

    def has_entry(self, subpath: str) -> bool | None:
        """Return whether users may import a path below the package; None if nobody can say."""
        exports = self._manifest.get("exports")
        if exports is None:
            return None
        if not isinstance(exports, dict) or not any(key.startswith(".") for key in exports):
            return subpath == "."
        for key in exports:
            start, star, end = key.partition("*")
            if key == subpath:
                return exports[key] is not None
            if star and subpath.startswith(start) and subpath.endswith(end):
                return exports[key] is not None
        return False

    async def exports(self, subpath: str = ".") -> Exports | None:
        """Return what a path of the package exports; None where its source was not found."""
        entry = self._entry(subpath)
        if not entry:
            return None
        self._steps = 0
        return await self._exports_of(entry)

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}" if self._folder else name

    def _entry(self, subpath: str) -> str:
        """Return the source file of an entry point; what is published is built from it."""
        if subpath != ".":
            return self._existing(self._path(subpath.removeprefix("./")))
        candidates: list[str] = []
        for folder in _SOURCE_FOLDERS:
            candidates.append(f"{folder}/index" if folder else "index")
        for name in (*self._written_entries(), *candidates):
            found = self._existing(self._path(str(PurePosixPath(name))))
            if found:
                return found
        return ""

    def _written_entries(self) -> list[str]:
        """Return what the manifest calls the entry point, and what that may be built from."""
        written = [json_text(self._manifest.get(key)) for key in ("main", "module", "types")]
        exported = table(self._manifest.get("exports"))
        exported = table(exported.get(".")) or exported
        for key in ("import", "require", "default", "types"):
            written.append(json_text(exported.get(key)))
        entries = [str(PurePosixPath(name)) for name in written if name]
        for name in tuple(entries):
            stem = PurePosixPath(name.removesuffix(".d.ts")).name
            entries += [f"{folder}/{stem}" for folder in _SOURCE_FOLDERS if folder]
        return entries

    def _existing(self, path: str) -> str:
        """Return the file that a path without or with its suffix means."""
        plain = path
        for suffix in (".js", ".mjs", ".cjs"):
            plain = plain.removesuffix(suffix)
        candidates = [path] if path.endswith(_SUFFIXES) else []
        candidates += [plain + suffix for suffix in _SUFFIXES]
        candidates += [f"{path}/index{suffix}" for suffix in _SUFFIXES]
        for candidate in candidates:
            if candidate in self._listing:
                return candidate
        return ""

    async def _exports_of(self, path: str) -> Exports:
        known = self._exports.get(path)
        if known is not None:
            return known
        exports = self._exports[path] = Exports()
        self._steps += 1
        if self._steps > _MAX_STEPS:
            exports.is_open = True
            return exports
        text = (await self._trees.texts(self._sha, [path])).get(path, "")
        root = syntax_tree(path, text)
        if root is None or root.has_error:
            exports.is_open = True
        if root is not None:
            functions = _functions(root)
            for node in root.named_children:
                await self._read(node, path, exports, functions)
        return exports

    async def _read(self, node: Node, path: str, exports: Exports, functions: "Functions") -> None:
        if node.type == "export_statement":
            source = node.child_by_field_name("source")
            is_all = source is not None and _is_star(node)
            if is_all:
                await self._add_all(string_text(source), path, exports)
            else:
                _read_export(node, exports, functions)
                _read_deprecation(node, exports)
        elif node.type == "expression_statement":
            for assigned in _assignments(node):
                await self._read_assignment(assigned, path, exports, functions)

    async def _add_all(self, source: str, path: str, exports: Exports) -> None:
        """Add what another file exports; one of another package is out of sight."""
        target = ""
        if source.startswith("."):
            joined = PurePosixPath(path).parent / source
            target = self._existing(_normalised(joined))
        if not target:
            exports.is_open = True
            return
        inner = await self._exports_of(target)
        for name, counts in inner.names.items():
            if name != DEFAULT:
                exports.names.setdefault(name, set()).update(counts)
        exports.is_open |= inner.is_open
        exports.deprecated |= inner.deprecated

    async def _read_assignment(
        self, node: Node, path: str, exports: Exports, functions: "Functions"
    ) -> None:
        left = field_text(node, "left")
        right = node.child_by_field_name("right")
        if left.startswith(("exports.", "module.exports.")):
            name = left.removeprefix("module.").removeprefix("exports.")
            exports.names.setdefault(name.partition(".")[0], set())
            return
        if left not in ("module.exports", "exports") or right is None:
            return
        if right.type == "object":
            for member in right.named_children:
                await self._read_member(member, path, exports, functions)
        elif right.type == "call_expression" and field_text(right, "function") == "require":
            await self._add_all(_required(right), path, exports)
        elif right.type != "assignment_expression":
            exports.is_open = True  # A class or function with members of its own

    async def _read_member(
        self, node: Node, path: str, exports: Exports, functions: "Functions"
    ) -> None:
        if node.type == "shorthand_property_identifier":
            name = text_of(node)
            exports.names.setdefault(name, set()).update(functions.get(name, ()))
        elif node.type == "pair":
            exports.names.setdefault(string_text(node.child_by_field_name("key")), set())
        elif node.type == "method_definition":
            exports.names.setdefault(field_text(node, "name"), set())
        elif node.type == "spread_element":
            inner = node.named_children[0] if node.named_children else None
            if inner is not None and field_text(inner, "function") == "require":
                await self._add_all(_required(inner), path, exports)
            else:
                exports.is_open = True


Functions = Mapping[str, set[ParameterCount]]


def _normalised(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _is_star(node: Node) -> bool:
    """Return True for `export * from`, and not for `export * as name from`."""
    kinds = [child.type for child in node.children]
    return "*" in kinds and "namespace_export" not in kinds


def _required(call: Node) -> str:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    return string_text(first)


def _assignments(statement: Node) -> Iterator[Node]:
    """Yield an assignment and those to its right: `module.exports = exports.a = 1`."""
    node = statement.named_children[0] if statement.named_children else None
    while node is not None and node.type == "assignment_expression":
        yield node
        node = node.child_by_field_name("right")


def _functions(root: Node) -> dict[str, set[ParameterCount]]:
    """Return the functions of a file by their names."""
    functions: dict[str, set[ParameterCount]] = {}
    for node in root.named_children:
        inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        if inner is not None:
            for name, counts in _declared(inner):
                functions.setdefault(name, set()).update(counts)
    return functions


def _declared(node: Node) -> Iterator[tuple[str, set[ParameterCount]]]:
    """Yield the names that a statement declares, with the parameters of functions."""
    if node.type in ("lexical_declaration", "variable_declaration"):
        for declarator in node.named_children:
            name = declarator.child_by_field_name("name")
            value = declarator.child_by_field_name("value")
            if name is not None and name.type == "object_pattern":
                for part in name.named_children:
                    yield text_of(part.child_by_field_name("value") or part), set()
            elif name is not None:
                is_function = value is not None and "function" in value.type
                yield text_of(name), {parameter_count(value)} if is_function and value else set()
    elif node.type in (
        "function_declaration",
        "function_signature",
        "generator_function_declaration",
    ):
        yield field_text(node, "name"), {parameter_count(node)}
    elif node.type == "ambient_declaration":
        for child in node.named_children:
            yield from _declared(child)
    elif node.child_by_field_name("name") is not None:
        yield field_text(node, "name"), set()


def _read_deprecation(node: Node, exports: Exports) -> None:
    """Note what an exported declaration says of itself in the comment above it."""
    comment = node.prev_named_sibling
    declaration = node.child_by_field_name("declaration")
    if comment is None or declaration is None or comment.type != "comment":
        return
    if "@deprecated" in text_of(comment) and comment.end_point[0] + 1 == node.start_point[0]:
        exports.deprecated.update(name for name, _ in _declared(declaration))


def _read_export(node: Node, exports: Exports, functions: Functions) -> None:
    if any(child.type in ("default", "=") for child in node.children):
        exports.names.setdefault(DEFAULT, set())
        exports.is_open |= any(child.type == "=" for child in node.children)
        return
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        for name, _ in _declared(declaration):
            exports.names.setdefault(name, set()).update(functions.get(name, ()))
    for child in node.named_children:
        if child.type == "namespace_export":
            exports.names.setdefault(text_of(child.named_children[-1]), set())
        elif child.type == "export_clause":
            for specifier in child.named_children:
                name = field_text(specifier, "name")
                alias = field_text(specifier, "alias") or name
                is_local = node.child_by_field_name("source") is None
                counts = functions.get(name, set()) if is_local else set()
                exports.names.setdefault(alias, set()).update(counts)


def parameter_count(function: Node) -> ParameterCount:
    """Return how many arguments a function takes."""
    parameters = function.child_by_field_name("parameters")
    least = 0
    count = 0
    for parameter in parameters.named_children if parameters is not None else ():
        if "comment" in parameter.type:
            continue
        pattern = parameter.child_by_field_name("pattern") or parameter
        if text_of(pattern) == "this":
            continue
        if pattern.type == "rest_pattern":
            return ParameterCount(least, None)
        count += 1
        is_optional = parameter.type in ("optional_parameter", "assignment_pattern")
        if not is_optional and parameter.child_by_field_name("value") is None:
            least = count
    return ParameterCount(least, count)
